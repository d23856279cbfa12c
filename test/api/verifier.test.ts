import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { world } from '#test/helpers/world.ts';

const program = fileURLToPath(import.meta.resolve('#shared/packs/verify.mjs'));

test('anybody can get the program that checks packs, with its hash', async t => {
  const { api } = await world(t);
  const answer = await fetch(`${api.address}/verify.mjs`);
  t.is(answer.status, 200);
  t.is(answer.headers.get('content-type'), 'text/javascript; charset=utf-8');
  t.is(answer.headers.get('cache-control'), 'public, max-age=300');
  const bytes = Buffer.from(await answer.arrayBuffer());
  t.deepEqual(bytes, await readFile(program));
  const digest = createHash('sha256').update(bytes).digest();
  t.is(answer.headers.get('repr-digest'), `sha-256=:${digest.toString('base64')}:`);
  const line = await fetch(`${api.address}/verify.mjs.sha256`);
  t.is(line.headers.get('content-type'), 'text/plain; charset=utf-8');
  t.is(await line.text(), `${digest.toString('hex')}  verify.mjs\n`);
  t.is(await (await fetch(`${api.address}/verify.mjs.sha256`)).text(), await readFile(`${program}.sha256`, 'utf8'));
});

test('whoever has the program is not sent it again', async t => {
  const { client } = await world(t);
  for (const path of ['/verify.mjs', '/verify.mjs.sha256']) {
    const { headers } = await client().get(path);
    const etag = headers.get('etag') ?? '';
    t.regex(etag, /^"[0-9a-f]{64}/);
    const again = await client().get(path, { 'if-none-match': etag });
    t.deepEqual([again.status, again.body, again.headers.get('etag')], [304, '', etag]);
    t.is((await client().get(path, { 'if-none-match': '"another"' })).status, 200);
  }
});

test('the program is for reading only', async t => {
  const { client, as } = await world(t);
  for (const path of ['/verify.mjs', '/verify.mjs.sha256']) {
    const head = await client().send('HEAD', path);
    t.deepEqual([head.status, head.body], [200, '']);
    t.is(head.headers.get('content-length'), String(Buffer.byteLength((await client().get(path)).body)));
    const { status, headers, body } = await as.post(path, {});
    t.deepEqual([status, headers.get('allow'), body.error.code], [405, 'GET, HEAD, OPTIONS', 'method_not_allowed']);
    t.is((await client().send('OPTIONS', path)).status, 204);
  }
  t.is((await client().send('GET', '/verify.mjs/')).status, 308);
});
