import { readFile } from 'node:fs/promises';
import type { Context, Middleware, Next } from 'koa';
import { refuseMethod } from '#api/methods.ts';
import { pagePolicy } from './page.ts';
import { setupPage } from './setup.ts';
import { shareDownload, sharePage } from './share.ts';
import { signInPage } from './sign_in.ts';
import type { ApiServices } from '#api/services.ts';
import { isNamed } from '#api/etag.ts';
import { verifier } from '#shared/packs/verifier.ts';

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

/** The program that verifies packs, for anybody who was given one: the very bytes whose SHA-256 is published. */
async function verifierPage(ctx: Context): Promise<void> {
  // RFC 9530; people who check the hash by hand use the other page, whose line sha256sum reads.
  ctx.set('Repr-Digest', `sha-256=:${Buffer.from(verifier.sha256, 'hex').toString('base64')}:`);
  send(ctx, 'text/javascript; charset=utf-8', `"${verifier.sha256}"`, verifier.bytes);
}

/** Its SHA-256, as a line that `sha256sum --check` reads. */
async function verifierHashPage(ctx: Context): Promise<void> {
  send(ctx, 'text/plain; charset=utf-8', `"${verifier.sha256}-line"`, `${verifier.sha256}  verify.mjs\n`);
}

/** The content changes only with the version of the service; a cache may keep it for five minutes. */
function send(ctx: Context, type: string, tag: string, body: Buffer | string): void {
  ctx.set({ 'Cache-Control': 'public, max-age=300', ETag: tag });
  if (isNamed(ctx.get('If-None-Match'), tag)) {
    ctx.status = 304;
    return;
  }
  ctx.set('Content-Type', type);
  ctx.body = body;
}
