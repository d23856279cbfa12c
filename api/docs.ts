import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Context, Middleware, Next } from 'koa';
import { isNamed } from './etag.ts';
import { allowPage } from './headers.ts';
import { refuseMethod } from './methods.ts';

/** The source of each file of the reference. Nothing else is served. */
const files = new Map([
  ['/docs', { type: 'html', from: import.meta.resolve('./docs/page.html') }],
  ['/docs/start.js', { type: 'js', from: import.meta.resolve('./docs/start.js') }],
  ['/docs/style.css', { type: 'css', from: import.meta.resolve('./docs/style.css') }],
  ['/docs/swagger-ui.js', { type: 'js', from: import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js') }],
  ['/docs/swagger-ui.css', { type: 'css', from: import.meta.resolve('swagger-ui-dist/swagger-ui.css') }],
  ['/docs/favicon.png', { type: 'png', from: import.meta.resolve('swagger-ui-dist/favicon-32x32.png') }],
]);

/** The API reference for people: Swagger UI over /v1/openapi.json, from our own files. It needs no credential. */
export function docs(): Middleware {
  const cache = new Map<string, Promise<{ body: Buffer; tag: string }>>();
  return async (ctx: Context, next: Next) => {
    const { path } = ctx;
    const file = files.get(path);
    if (!file) return next();
    ctx.state['route'] = '/docs';
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      refuseMethod(ctx, ['GET', 'HEAD']);
      return;
    }
    const content = cache.get(path) ?? load(file.from);
    cache.set(path, content);
    const { body, tag } = await content;
    if (file.type === 'html') allowPage(ctx);
    ctx.set('Cache-Control', 'public, no-cache');
    ctx.set('ETag', tag);
    if (isNamed(ctx.get('If-None-Match'), tag)) {
      ctx.status = 304;
      return;
    }
    ctx.type = file.type;
    ctx.body = body;
  };
}

async function load(from: string): Promise<{ body: Buffer; tag: string }> {
  const body = await readFile(fileURLToPath(from));
  return { body, tag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}
