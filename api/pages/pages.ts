import { readFile } from 'node:fs/promises';
import type { Context, Middleware, Next } from 'koa';
import { refuseMethod } from '#api/methods.ts';
import { pagePolicy } from './page.ts';
import { setupPage } from './setup.ts';
import { shareDownload, sharePage } from './share.ts';
import { signInPage } from './sign_in.ts';
import { verifierHashPage, verifierPage } from './verifier.ts';
import type { ApiServices } from '#api/services.ts';

/** The pages for people that work without scripts. */
export function pages(services: ApiServices): Middleware {
  return async (ctx: Context, next: Next) => {
    const shown = all.find(({ pattern }) => pattern.test(ctx.path));
    if (!shown) return next();
    const { route, pattern, methods, show } = shown;
    const [, token = ''] = pattern.exec(ctx.path) ?? [];
    ctx.state['route'] = route;
    ctx.set('Content-Security-Policy', pagePolicy);
    ctx['compress'] = false;
    if (methods.includes(ctx.method)) await show(ctx, token, services);
    else refuseMethod(ctx, methods);
  };
}

/** Whether there is a page for people at this path. */
export const isPagePath = (path: string): boolean => all.some(({ pattern }) => pattern.test(path));

const style = readFile(new URL('./style.css', import.meta.url), 'utf8');

async function sheet(ctx: Context): Promise<void> {
  ctx.type = 'css';
  ctx.set('Cache-Control', 'public, max-age=3600');
  ctx.body = await style;
}

type Show = (ctx: Context, token: string, services: ApiServices) => Promise<void>;

/** A page at a path; `show` gets what stands in place of `{token}`. */
const pageAt = (route: string, show: Show, methods = ['GET', 'HEAD']) => ({
  route,
  pattern: new RegExp(`^${route.replaceAll('.', '\\.').replace('{token}', '([^/]{1,500})')}$`),
  methods,
  show,
});

const all = [
  pageAt('/pages/style.css', sheet),
  pageAt('/verify.mjs', verifierPage),
  pageAt('/verify.mjs.sha256', verifierHashPage),
  pageAt('/sign-in/{token}', signInPage, ['GET', 'HEAD', 'POST']),
  pageAt('/setup/{token}', setupPage, ['GET', 'HEAD', 'POST']),
  pageAt('/share/{token}', sharePage),
  pageAt('/share/{token}/download', shareDownload),
];
