import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { Context } from 'koa';
import { sendFile } from '#api/send_file.ts';
import type { ApiServices } from '#api/services.ts';
import { Problem, unavailable } from '#shared/interface/errors.ts';
import { filesOf } from '#shared/packs/files_of.ts';
import { reportStyle, SHARE_BAR } from '#shared/packs/report/html.ts';
import { findShared, noteVisit, type SharedPack } from '#shared/packs/store/pack_shares.ts';
import { html, htmlText } from '#shared/platform/html.ts';

/** The page behind a link to a pack: its report, below a bar with the download. Throws `not_found` for a link that does not work. */
export async function sharePage(ctx: Context, token: string, services: ApiServices): Promise<void> {
  const shared = await visit(ctx, token, 'page', services);
  const file = await services.storage.get(filesOf(shared, shared.pack_id, shared.built_in).report);
  if (!file) throw gone();
  ctx.set('Content-Security-Policy', reportPolicy);
  ctx.type = 'html';
  ctx.body = (await text(file.body)).replace(SHARE_BAR, () => bar(shared, token));
}

/** The ZIP behind a link to a pack. Throws `not_found` likewise. */
export async function shareDownload(ctx: Context, token: string, services: ApiServices): Promise<void> {
  const shared = await visit(ctx, token, 'download', services);
  const file = await services.storage.get(filesOf(shared, shared.pack_id, shared.built_in).zip);
  if (!file) throw unavailable('This pack’s file is temporarily unavailable.');
  ctx.status = 200;
  ctx.set('Repr-Digest', `sha-256=:${Buffer.from(shared.sha256, 'hex').toString('base64')}:`);
  const name = `${shared.pack_id}.zip`;
  sendFile(ctx, { stream: file.body, size: file.size, media_type: 'application/zip', name });
}

async function visit(ctx: Context, token: string, what: 'page' | 'download', { db, config, now }: ApiServices) {
  ctx.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex, nofollow' });
  const shared = await findShared(db, token, config.environment, now());
  if (!shared) throw gone();
  if (ctx.method === 'GET')
    await noteVisit(db, shared, { what, ip: ctx.ip, user_agent: ctx.get('User-Agent') || null }, now());
  return shared;
}

const gone = () =>
  new Problem('not_found', 'This link has expired, was revoked, or is incomplete. Ask the sender for a new one.', {
    // Whoever has a link to a pack need not have an account.
    page: { title: 'Link not available', way_on: null },
  });

// The report has one inline style sheet, and nothing else that a browser would act on.
const reportPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(reportStyle).digest('base64')}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const bar = ({ size_bytes, sha256, expires_at }: SharedPack, token: string) =>
  htmlText(html`<nav class="share-bar" aria-label="This pack">
    <a href="/share/${encodeURIComponent(token)}/download" download>Download pack (ZIP, ${sizeText(size_bytes)})</a>
    <span>SHA-256 <code>${sha256}</code></span>
    <span>Verify it with <a href="/verify.mjs">verify.mjs</a> and the <a href="/v1/keys.json">public keys</a>.</span>
    <span>This link expires <time datetime=${expires_at}>${expires_at.slice(0, 10)}</time>.</span>
  </nav>`);

function sizeText(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.max(1, Math.round(bytes / 1_000))} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
