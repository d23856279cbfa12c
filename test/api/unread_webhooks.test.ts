import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { pruneTable } from '#shared/running/work/prune.ts';
import { DAY } from '#shared/values/time.ts';
import { adyenItem, byAcme, byAdyen, byStripe, stripe, stripeEvent } from '#test/helpers/psp.ts';
import { hex, ofAcme, ofAdyen, ofStripe, secret, signing, withSource } from '#test/helpers/psp_source.ts';

test('of a body with two notifications the good one is read, and the other once its source was corrected', async t => {
  const { as, person, send, path, events, unread } = await withSource(t, ofAdyen);
  const bare = adyenItem({ pspReference: 'BBBBBBBBBBBBBBBB', additionalData: {} });
  const notified = byAdyen(hex, adyenItem(), bare);
  t.is((await send(notified)).status, 202);
  t.is((await send(notified)).status, 202, 'sent again');
  const paid = async () =>
    (await events()).map((event: { payment: { payment_id: string } }) => event.payment.payment_id);
  t.deepEqual(await paid(), ['7914073381342284']);
  const [item, ...more] = await unread();
  t.deepEqual(more, []);
  t.deepEqual(
    item.problems.map(({ item: at, code }: { item: number; code: string }) => `${at} ${code}`),
    ['1 no_agent', '1 no_owner'],
  );
  t.regex(item.problems[0].message, /psp_config\.default_agent/);

  const ada = await person('developer');
  const replay = async () => (await ada.post(`${path}/unread/replay`, {})).body;
  t.deepEqual(await replay(), { read: 0, ignored: 0, unread: 1, remaining: 0 });
  await as.patch(path, { psp_config: { default_agent: 'buyer-9', mapping: { owner: '/merchantReference' } } });
  t.deepEqual(await replay(), { read: 1, ignored: 0, unread: 0, remaining: 0 });
  t.deepEqual(await paid(), ['BBBBBBBBBBBBBBBB', '7914073381342284']);
  t.deepEqual(await unread(), []);
  t.deepEqual(await replay(), { read: 0, ignored: 0, unread: 0, remaining: 0 });
});

test('what the log refuses of an event is told of the webhook', async t => {
  const { send, unread } = await withSource(t, ofStripe);
  await send(byStripe(secret, stripeEvent('charge.succeeded', stripe.charge({ currency: 'xyz' }))));
  await send(byStripe(secret, stripeEvent('charge.succeeded', stripe.charge(), { created: 1_000_000_000 })));
  const problems = (await unread()).map((item: { problems: { code: string; path: string }[] }) => item.problems[0]);
  t.like(problems[0], { code: 'too_old', path: '/occurred_at' });
  t.like(problems[1], { code: 'unknown_currency', path: '/payment/amount/currency' });
});

test('the body of an unread webhook is kept to correct the mapping by, but no card number', async t => {
  const { send, unread } = await withSource(t, ofAcme);
  await send(byAcme(secret, { amount: 5, currency: 'USD', card: { number: '4242424242424242' } }));
  const sent = byAcme(secret, { amount: 5, currency: 'USD', note: 'x'.repeat(20_000) });
  await send(sent);
  await send(byAcme(secret, { amount: 5, currency: 'USD', note: 'x'.repeat(70_000) }));
  const kept = (await unread()).map((item: { body: string | null }) => item.body);
  t.deepEqual(kept, [null, sent.body.slice(0, 8_192), null]);
});

test('what may hold a card number anywhere is not kept: an array, a form, members of one name', async t => {
  const { send, unread } = await withSource(t, ofAcme);
  const bodies = [
    '[{"card":{"number":"4242424242424242"}}]',
    '{"note":"a","card":"4242 4242 4242 4242","note":"b"}',
    'amount=500&card=4242+4242+4242+4242',
    'amount=500&card=4242%204242%204242%204242',
    'amount=500&reference=1234567812345678',
  ];
  for (const body of bodies) t.is((await send(byAcme(secret, body))).status, 202);
  const stored = (await unread()).map((item: { body: string | null }) => item.body);
  t.deepEqual(stored, [bodies.at(-1), null, null, null, null]);
});

test('whatever characters a webhook has, it is kept with what is wrong with it, and can be read again', async t => {
  const mapping = { type: '/kind', payment_id: '/id' };
  const { send, unread, person, path } = await withSource(t, { ...ofAcme, psp_config: { ...signing, mapping } });
  const kinds = [`${'x'.repeat(98)}\u{1f600} and more`, '\\u0000', 'card 4242424242424242'];
  for (const kind of kinds) t.is((await send(byAcme(secret, { kind, id: 'p' }))).status, 202, kind);
  const said = async () =>
    (await unread()).map((item: { problems: { message: string }[] }) => item.problems[0]?.message);
  const expected = [
    'It holds a card number.',
    'type is "\\u0000"; say in values what that means',
    `type is "${'x'.repeat(98)}…"; say in values what that means`,
  ];
  t.deepEqual(await said(), expected);
  t.is((await (await person('developer')).post(`${path}/unread/replay`, {})).body.unread, 3);
  t.deepEqual(await said(), expected);
});

test('of one source the latest thousand are kept, for thirty days', async t => {
  const { db, tenant, source, send, path, as } = await withSource(t, ofAcme, { own_database: true });
  const count = () =>
    db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*)::int as count from unread_webhooks`);
  await db.query(sql.unsafe`
    insert into unread_webhooks (org_id, environment, source_id, id, body_hash, received_at, headers, body_bytes, problems, tried_at)
    select ${tenant.org_id}, ${tenant.environment}, ${source.id}, 'unr_0000000000000000000000' || to_char(n, 'FM0000'), sha256(n::text::bytea),
      now(), '{}', 1, '[]', now() from generate_series(1, 1000) as n`);
  await send(byAcme(secret, { amount: 5, currency: 'USD' }));
  t.is(await count(), 1_000);
  const first = (await as.get(`${path}/unread?limit=1`)).body;
  t.is(first.data[0].problems[0].code, 'no_type');
  const second = (await as.get(`${path}/unread?limit=200&cursor=${first.next_cursor}`)).body;
  t.deepEqual([second.data.length, second.data[0].id], [200, 'unr_00000000000000000000001000']);
  t.is(await pruneTable(db, 'unread_webhooks', Date.now() + 29 * DAY), 0);
  t.is(await pruneTable(db, 'unread_webhooks', Date.now() + 31 * DAY), 1_000);
});

test('unread webhooks are read by people, and belong to one organization', async t => {
  const { client, key, organization, person, send, path, db, tenant, session, member } = await withSource(t, ofAcme);
  await send(byAcme(secret, { amount: 5, currency: 'USD' }));
  const own = client((await key(tenant.org_id, ['events:read'])).key);
  t.is((await own.get(`${path}/unread`)).body.data.length, 1);
  t.is((await client((await key(tenant.org_id, ['events:write'])).key).get(`${path}/unread`)).status, 403);
  t.is((await own.post(`${path}/unread/replay`, {})).status, 403);
  t.is((await (await person('owner')).post(`${path}/unread/replay`, {})).body.unread, 1);
  const rival = (await organization('Rival')).id;
  t.is((await client((await key(rival)).key).get(`${path}/unread`)).status, 404);
  const theirs = client({ cookie: (await session((await member('owner', rival)).id, rival)).cookie });
  t.is((await theirs.post(`${path}/unread/replay`, {})).status, 404);
  t.is(
    await db.oneFirst(sql.type(z.object({ n: z.number() }))`
    select count(*)::int as n from unread_webhooks where org_id = ${tenant.org_id}`),
    1,
  );
});
