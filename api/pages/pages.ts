import { readFile } from 'node:fs/promises';
import type { Context, Middleware, Next } from 'koa';
import { refuseMethod } from '#api/methods.ts';
import { answerError, pagePolicy } from './page.ts';
import { shareDownload, sharePage } from './share.ts';
import { signInPage } from './sign_in.ts';
import { verifierHashPage, verifierPage } from './verifier.ts';
import type { ApiServices } from '#api/services.ts';

type Page = { route: string; methods: string[]; show: (ctx: Context) => Promise<void> };

/** The pages for people that need no script. What goes wrong is a page too, for whom reads HTML. */
export function pages(services: ApiServices): Middleware {
  const style = readFile(new URL('./style.css', import.meta.url), 'utf8');
  const fixed: Record<string, (ctx: Context) => Promise<void>> = {
    '/pages/style.css': ctx => sheet(ctx, style),
    '/verify.mjs': verifierPage,
    '/verify.mjs.sha256': verifierHashPage,
  };
  const withToken: [pattern: RegExp, page: Omit<Page, 'show'>, show: typeof signInPage][] = [
    [/^\/sign-in\/([^/]{1,500})$/, { route: '/sign-in/{token}', methods: ['GET', 'HEAD', 'POST'] }, signInPage],
    [/^\/share\/([^/]{1,500})$/, { route: '/share/{token}', methods: ['GET', 'HEAD'] }, sharePage],
    [
      /^\/share\/([^/]{1,500})\/download$/,
      { route: '/share/{token}/download', methods: ['GET', 'HEAD'] },
      shareDownload,
    ],
  ];
  const find = (path: string): Page | undefined => {
    const known = Object.hasOwn(fixed, path) && fixed[path];
    if (known) return { route: path, methods: ['GET', 'HEAD'], show: known };
    for (const [pattern, page, show] of withToken) {
      const token = pattern.exec(path)?.[1];
      if (token) return { ...page, show: ctx => show(ctx, token, services) };
    }
    return undefined;
  };
  return async (ctx: Context, next: Next) => {
    const page = find(ctx.path);
    if (!page) return next();
    ctx.state['route'] = page.route;
    ctx.set('Content-Security-Policy', pagePolicy);
    ctx['compress'] = false;
    try {
      if (page.methods.includes(ctx.method)) await page.show(ctx);
      else refuseMethod(ctx, page.methods);
    } catch (thrown) {
      answerError(ctx, thrown, services);
    }
  };
}

async function sheet(ctx: Context, style: Promise<string>): Promise<void> {
  ctx.type = 'css';
  ctx.set('Cache-Control', 'public, max-age=3600');
  ctx.body = await style;
}
