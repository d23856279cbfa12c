import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { DAY, SECOND, timestamp } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { ask, built } from '#test/helpers/packs.ts';
import { world } from '#test/helpers/world.ts';

const html = { accept: 'text/html' };

/** A pack that is ready, and a clock that can be moved on. */
async function ready(t: ExecutionContext) {
  let time = Date.now();
  const w = await world(t, { now: () => time });
  await w.as.post('/v1/events', event({ payment_id: 'order-1', payee_name: '<b>Hotel</b>' }));
  await w.analyze();
  const made = await built(t, w, { payment_id: 'order-1' }, { title: 'For <the> auditor' });
  const share = async (expires_in_days = 7) => {
    const { status, body } = await w.as.post(`/v1/packs/${made.pack.id}/share`, { expires_in_days });
    t.is(status, 201, JSON.stringify(body));
    return body as { id: string; url: string; expires_at: string };
  };
  return { ...w, ...made, share, start: time, pass: (milliseconds: number) => (time += milliseconds) };
}

test('a link shows the report and has the pack for download, to whoever has it', async t => {
  const w = await ready(t);
  const { url, expires_at, id } = await w.share();
  t.deepEqual((await w.as.get(`/v1/packs/${w.pack.id}`)).body.shares[0].visits, []);
  t.regex(url, new RegExp(`^${w.api.address}/share/[A-Za-z0-9_-]{43}$`));
  t.is(expires_at, timestamp(w.start + 7 * DAY));
  const page = await fetch(url, { headers: html });
  t.is(page.status, 200);
  t.is(page.headers.get('content-type'), 'text/html; charset=utf-8');
  const text = await page.text();
  t.true(text.includes('For &lt;the> auditor'));
  t.notRegex(text, /<b>Hotel/);
  t.true(text.includes(`/share/${url.slice(-43)}/download`));
  t.true(text.includes(w.pack.sha256));
  const download = await fetch(`${url}/download`);
  t.is(download.headers.get('content-disposition'), `attachment; filename="${w.pack.id}.zip"`);
  t.true(w.zip.equals(Buffer.from(await download.arrayBuffer())));
  const { body } = await w.as.get(`/v1/packs/${w.pack.id}`);
  t.is(body.shares.length, 1);
  t.like(body.shares[0], { id, expires_at, revoked_at: null, created_by: w.full.id });
  t.deepEqual(
    body.shares[0].visits.map(({ what, ip }: { what: string; ip: string }) => [what, ip]),
    [
      ['download', '127.0.0.1'],
      ['page', '127.0.0.1'],
    ],
  );
});

test('a lost answer is not a lost link: the same Idempotency-Key answers with the address again for a day', async t => {
  const w = await ready(t);
  const ask = (body: object) =>
    w.as.post(`/v1/packs/${w.pack.id}/share`, body, { 'idempotency-key': 'for the auditor' });
  const { status, body } = await ask({ expires_in_days: 7 });
  t.is(status, 201);
  const again = await ask({ expires_in_days: 7 });
  t.deepEqual([again.status, again.body], [201, body]);
  t.is(again.headers.get('idempotent-replayed'), 'true');
  t.is((await fetch(body.url, { headers: html })).status, 200);
  t.is((await w.as.get(`/v1/packs/${w.pack.id}`)).body.shares.length, 1);
  t.is((await ask({ expires_in_days: 8 })).status, 422);
  w.pass(DAY + SECOND);
  t.not((await ask({ expires_in_days: 7 })).body.id, body.id);
});

test('no page of a link is kept, found, framed, told of to others, or runs anything', async t => {
  const w = await ready(t);
  const { url } = await w.share();
  for (const path of [url, `${url}/download`, `${url.slice(0, -1)}x`]) {
    const { headers } = await fetch(path, { headers: html });
    t.is(headers.get('cache-control'), 'no-store', path);
    t.regex(headers.get('x-robots-tag') ?? '', /noindex/);
    t.is(headers.get('referrer-policy'), 'no-referrer');
    const policy = headers.get('content-security-policy') ?? '';
    t.regex(policy, /^default-src 'none'; /);
    t.regex(policy, /frame-ancestors 'none'/);
    t.notRegex(policy, /script|unsafe|\*/);
  }
  const page = await (await fetch(url, { headers: html })).text();
  t.notRegex(page, /<script|\son\w+=|style=|https?:\/\//i);
});

test('a link that expired, was revoked, never was, or leads to a pack that is gone is not found', async t => {
  const w = await ready(t);
  const gone = async (url: string, why: string) => {
    for (const path of [url, `${url}/download`]) {
      t.is((await fetch(path)).status, 404, why);
      const page = await fetch(path, { headers: html });
      t.is(page.status, 404, why);
      t.regex(page.headers.get('content-type') ?? '', /html/);
    }
  };
  const [first, second, third] = [await w.share(), await w.share(1), await w.share()];
  const { status, body } = await w.as.delete(`/v1/packs/${w.pack.id}/shares/${first.id}`);
  t.is(status, 200);
  t.is(body.revoked_at, timestamp(w.start));
  await gone(first.url, 'revoked');
  w.pass(DAY - SECOND);
  t.is((await fetch(second.url)).status, 200);
  w.pass(SECOND);
  await gone(second.url, 'expired');
  t.is((await fetch(third.url)).status, 200);
  for (const token of ['x'.repeat(43), 'x', third.url.slice(-43).toLowerCase(), '%00'])
    await gone(`${w.api.address}/share/${token}`, token);
  await w.as.delete(`/v1/packs/${w.pack.id}`);
  await gone(third.url, 'the pack is removed');
  t.is((await w.as.delete(`/v1/packs/${w.pack.id}/shares/${newId('shr')}`)).status, 404);
});

test('the secret of a link is stored nowhere to be read, though it can be answered again', async t => {
  const w = await ready(t);
  const again = { 'idempotency-key': 'share-1' };
  const path = `/v1/packs/${w.pack.id}/share`;
  const { body } = await w.as.post(path, { expires_in_days: 3 }, again);
  const replay = await w.as.post(path, { expires_in_days: 3 }, again);
  t.deepEqual([replay.status, replay.body], [201, body]);
  const token = body.url.slice(-43);
  const Text = z.object({ text: z.string() });
  for (const table of ['pack_shares', 'pack_share_directory', 'audit_log', 'idempotency_keys', 'pack_share_visits']) {
    const rows = await w.db.anyFirst(
      sql.type(Text)`select row_to_json(r)::text as text from ${sql.identifier([table])} r`,
    );
    t.false(
      rows.some(row => row.includes(token)),
      table,
    );
  }
});

test('a pack that is not ready has no links, and one lives as long as its last link', async t => {
  const w = await ready(t);
  const waiting = await ask(t, w, { payment_id: 'order-1' });
  const refused = await w.as.post(`/v1/packs/${waiting}/share`, { expires_in_days: 1 });
  t.is(refused.status, 409);
  t.regex(refused.body.error.message, /queued/);
  for (const expires_in_days of [0, 91, 1.5, '7', null])
    t.is((await w.as.post(`/v1/packs/${w.pack.id}/share`, { expires_in_days })).status, 400);
  w.pass(390 * DAY);
  const { expires_at } = await w.share(90);
  t.is((await w.as.get(`/v1/packs/${w.pack.id}`)).body.expires_at, expires_at);
});
