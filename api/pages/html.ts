/** Text for HTML, in an element or a quoted attribute. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`);

/*
 * The header says no-referrer, with which browsers send a form with `Origin: null` (Fetch §3.2.6); so the page says strict-origin for
 * itself, and still tells nobody its path.
 */
/** A page of ours. `body` is HTML already; the title is text. No script, no address of anybody else's. */
export const htmlPage = (title: string, body: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <meta name="referrer" content="strict-origin" />
    <title>${escapeHtml(title)} · Agent Payment Oversight Service</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/pages/style.css" />
  </head>
  <body>
    <main>
      <h1>${escapeHtml(title)}</h1>
      ${body}
    </main>
  </body>
</html>
`;
