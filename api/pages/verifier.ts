import type { Context } from 'koa';
import { isNamed } from '#api/etag.ts';
import { verifier } from '#shared/packs/verifier.ts';

/** The program that checks packs, for whoever got a pack from somebody else: the very bytes whose SHA-256 is published. */
export async function verifierPage(ctx: Context): Promise<void> {
  // RFC 9530; whoever checks the hash by hand takes the line of the other page, in the form that sha256sum reads.
  ctx.set('Repr-Digest', `sha-256=:${Buffer.from(verifier.sha256, 'hex').toString('base64')}:`);
  send(ctx, 'text/javascript; charset=utf-8', `"${verifier.sha256}"`, verifier.bytes);
}

/** Its SHA-256, as a line that `sha256sum --check` reads. */
export async function verifierHashPage(ctx: Context): Promise<void> {
  send(ctx, 'text/plain; charset=utf-8', `"${verifier.sha256}-line"`, `${verifier.sha256}  verify.mjs\n`);
}

/** It changes with the version of the service only; a cache may keep it for five minutes. */
function send(ctx: Context, type: string, tag: string, body: Buffer | string): void {
  ctx.set({ 'Cache-Control': 'public, max-age=300', ETag: tag });
  if (isNamed(ctx.get('If-None-Match'), tag)) {
    ctx.status = 304;
    return;
  }
  ctx.set('Content-Type', type);
  ctx.body = body;
}
