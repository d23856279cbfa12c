import type { Context } from 'koa';
import { SECOND } from '#shared/values/time.ts';
import type { FileAnswer } from './route.ts';

/** How long nobody may take any of a file before the connection ends. */
const UNREAD = 60 * SECOND;

/** Answers with a file to be saved, as it is read; what is compressed already is not compressed again. */
export function sendFile(ctx: Context, { stream, media_type, size, name, part }: FileAnswer, patience = UNREAD): void {
  ctx['compress'] = false;
  ctx.set('Content-Disposition', `attachment; filename="${name}"`);
  if (ctx.method === 'HEAD') {
    stream.destroy();
    ctx.body = null;
    ctx.status = part ? 206 : 200;
  } else {
    ctx.body = stream;
    // Node looks whether any of what waits to be sent has left since the last time.
    ctx.res.setTimeout(patience, () => ctx.req.socket.destroy());
  }
  if (part) ctx.set('Content-Range', `bytes ${part.first}-${part.last}/${part.total}`);
  ctx.type = media_type;
  ctx.length = size;
}
