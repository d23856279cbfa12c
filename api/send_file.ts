import type { Context } from 'koa';
import type { FileAnswer } from './route.ts';

/** Answers with a file to be saved, as it is read; what is compressed already is not compressed again. */
export function sendFile(ctx: Context, { stream, media_type, size, name }: FileAnswer): void {
  ctx['compress'] = false;
  ctx.set('Content-Disposition', `attachment; filename="${name}"`);
  if (ctx.method === 'HEAD') {
    stream.destroy();
    ctx.body = null;
    ctx.status = 200;
  } else {
    ctx.body = stream;
  }
  ctx.type = media_type;
  ctx.length = size;
}
