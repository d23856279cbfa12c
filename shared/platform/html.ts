import { html as preactHtml } from 'htm/preact';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** The contents of a page: elements, and text, which is never taken for HTML. */
export type Html = VNode | string | number | boolean | null | undefined | readonly Html[];

/**
 * Makes elements from a template that looks like HTML: `html`<p class="note">${text}</p>``. Inserted values are escaped when rendered. As
 * in JSX, every element is closed, white space around a line break is dropped, and an attribute that is `false` is left out.
 */
export const html: (strings: TemplateStringsArray, ...values: (Html | { __html: string })[]) => VNode = preactHtml;

/** Renders an element. The result is well-formed XML too, except for attributes without a value; its text may not hold `]]>`. */
export const htmlText = (element: VNode): string => renderToString(element).replaceAll(']]>', ']]&gt;');

/** Renders a document, from its `<html>` on. */
export const documentText = (document: VNode): string => `<!DOCTYPE html>\n${htmlText(document)}\n`;
