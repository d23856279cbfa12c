import type { Context } from 'koa';
import { isNamed } from '#api/etag.ts';
import { verifier } from '#shared/packs/verifier.ts';

/** The program that verifies packs, for anybody who was given one: the very bytes whose SHA-256 is published. */
export async function verifierPage(ctx: Context): Promise<void> {
  // RFC 9530; people who check the hash by hand use the other page, whose line sha256sum reads.
  ctx.set('Repr-Digest', `sha-256=:${Buffer.from(verifier.sha256, 'hex').toString('base64')}:`);
  send(ctx, 'text/javascript; charset=utf-8', `"${verifier.sha256}"`, verifier.bytes);
}

/** Its SHA-256, as a line that `sha256sum --check` reads. */
export async function verifierHashPage(ctx: Context): Promise<void> {
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
