import { z } from 'zod';
import { isVisible } from './shown_name.ts';

/** Schema of one line of text with 1 to `max` UTF-16 units and no control characters; of `z.string().trim()`, what is left then. */
export const line = (max: number, text = z.string()) =>
  text.min(1).max(max).regex(oneLine, 'must not contain line breaks or other control characters');

/** Schema of text that may also hold tabs and line breaks. */
export const lines = (max: number, text = z.string()) =>
  text.min(1).max(max).regex(manyLines, 'must not contain control characters other than tab and line break');

/** Schema of a line of which something can be seen. */
export const visibleLine = (max: number, text = z.string()) => line(max, text).refine(isVisible, 'must not be blank');

/** Schema of a name or a title that a person gives: without the blanks around it. */
export const named = (max: number) => visibleLine(max, z.string().trim());

/** What `line` and `lines` consist of. */
// Halves of surrogate pairs are not mentioned: a pattern with them would refuse every emoji where the OpenAPI
// document is read without the u flag. Strict and canonical JSON refuse them anyway.
// oxlint-disable-next-line no-control-regex
export const oneLine = /^[^\u0000-\u001f\u007f-\u009f]*$/;
// oxlint-disable-next-line no-control-regex
export const manyLines = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$/;
