import { documentText, type Html, html } from '#shared/platform/html.ts';

/**
 * A page of ours, with no script and nothing from elsewhere. The header says no-referrer, with which browsers send a form with `Origin:
 * null` (Fetch §3.2.6), so the page says strict-origin for itself, which still tells nobody its path.
 */
export const page = (title: string, body: Html, style = '/pages/style.css'): string =>
  documentText(html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex" />
      <meta name="referrer" content="strict-origin" />
      <title>${title} · Agent Payment Oversight Service</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href=${style} />
    </head>
    <body>${body}</body>
  </html>`);

/** A page with one message under its title. */
export const shortPage = (title: string, content: Html): string =>
  page(title, html`<main><h1>${title}</h1>${content}</main>`);

/** The policy of these pages: no script runs, and forms go to us. */
export const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
