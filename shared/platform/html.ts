import { html as preactHtml } from 'htm/preact';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** What a page is made of: elements, and text, which is never taken for HTML. */
export type Html = VNode | string | number | boolean | null | undefined | readonly Html[];

/**
 * Makes elements from a template that looks like HTML: `html`<p class="note">${text}</p>``. Whatever is put in is escaped when it is written
 * out. As in JSX, every element is closed, white space around a line break is dropped, and an attribute that is `false` is left out.
 */
export const html: (strings: TemplateStringsArray, ...values: (Html | { __html: string })[]) => VNode = preactHtml;

/** Writes out an element. It is well-formed XML too, but for attributes without a value; there text may not hold `]]>`. */
export const htmlText = (element: VNode): string => renderToString(element).replaceAll(']]>', ']]&gt;');

/** Writes out a document, from its `<html>` on. */
export const documentText = (document: VNode): string => `<!DOCTYPE html>\n${htmlText(document)}\n`;
