import type { Context, Middleware, Next } from 'koa';
import { cookieOf, sessionCookie } from '#api/cookies.ts';
import { type BundleFile, type Bundle, dashboardBundle } from './bundle.ts';
import { isDashboardPath } from './paths.ts';
import { allowPage } from '#api/headers.ts';
import { documentText, html } from '#shared/platform/html.ts';
import { refuseMethod } from '#api/methods.ts';
import type { Config } from '#shared/settings/config.ts';
import type { Logger } from '#shared/platform/log.ts';

const ASSETS = '/dashboard/';

/** The mark of the product, as `Mark` draws it. */
const FAVICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4338ca"/><path d="M6 16c3-5 6.5-7.5 10-7.5S23 11 26 16c-3 5-6.5 7.5-10 7.5S9 21 6 16z" fill="none" stroke="#fff" stroke-width="2.5"/><circle cx="16" cy="16" r="3.5" fill="#fff"/></svg>',
)}`;

/** Bundles the dashboard before somebody asks for it. What fails is logged, and tried again when somebody does; the API needs none of it. */
export async function warmDashboard(log: Logger): Promise<void> {
  try {
    await dashboardBundle();
  } catch (error) {
    log.error({ error }, 'the dashboard cannot be bundled');
  }
}

/**
 * Serves the dashboard: one page for all its paths, and the script and style sheet that the page names. It needs no
 * credential: everything it shows it reads through /v1 with the session.
 */
export function dashboard(config: Pick<Config, 'base_url'>): Middleware {
  return async (ctx: Context, next: Next) => {
    const { path } = ctx;
    const isAsset = path.startsWith(ASSETS);
    if (!isAsset && !isDashboardPath(path)) return next();
    ctx.state['route'] = isAsset ? '/dashboard/{file}' : '/dashboard';
    const { script, style } = await dashboardBundle();
    const asset = [script, style].find(({ name }) => path === ASSETS + name);
    if (isAsset && !asset) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      refuseMethod(ctx, ['GET', 'HEAD']);
      return;
    }
    if (asset) sendAsset(ctx, asset);
    else sendPage(ctx, { script, style }, cookieOf(ctx)(sessionCookie(config)) !== undefined);
  };
}

function sendAsset(ctx: Context, { type, body }: BundleFile): void {
  ctx.type = type;
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
  ctx.body = body;
}

/** Whoever has no cookie is nobody, and need not ask who they are. */
function sendPage(ctx: Context, { script, style }: Bundle, hasSession: boolean): void {
  allowPage(ctx);
  ctx.type = 'html';
  ctx.set('Cache-Control', 'private, no-cache');
  ctx.vary('Cookie');
  ctx.body = documentText(html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex" />
      <meta name="color-scheme" content="light dark" />
      <title>Agent Payment Oversight</title>
      <link rel="icon" type="image/svg+xml" href=${FAVICON} />
      <link rel="stylesheet" href=${ASSETS + style.name} />
      <script type="module" src=${ASSETS + script.name}></script>
      ${hasSession && html`<link rel="preload" as="fetch" href="/v1/me" crossorigin="anonymous" />`}
    </head>
    <body>
      <div id="dashboard" data-session=${hasSession ? 'some' : 'none'}></div>
      <noscript><p>The dashboard needs JavaScript. The API does not: see <a href="/docs">the API reference</a>.</p></noscript>
    </body>
  </html>`);
}
