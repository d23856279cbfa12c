import { documentText, type Html, html } from './html.ts';

/** The HTML of a mail, in a column that is read well on any screen. Mail programs know no style sheets, and bring colors of their own for the dark. */
export const mailDocument = (content: Html): string =>
  documentText(html`<html lang="en"><body style="margin: 0; padding: 24px 16px; font: 16px/1.5 -apple-system, 'Segoe UI', Roboto, sans-serif">
    <div style="max-width: 34rem; margin: 0 auto; overflow-wrap: anywhere">
      <p style="margin: 0 0 24px; font-size: 13px; color: #6b7280">Agent Payment Oversight</p>
      ${content}
    </div>
  </body></html>`);

/** What a mail is for, to be pressed. */
export const mailButton = (url: string, label: string): Html =>
  html`<p style="margin: 24px 0"><a href=${url} style="display: inline-block; padding: 8px 16px; border-radius: 6px; background: #4338ca; color: #fff; text-decoration: none">${label}</a></p>`;

/** Of little weight, at the end. */
export const mailNote = (content: Html): Html => html`<p style="font-size: 13px; color: #6b7280">${content}</p>`;
