import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { entry, load } from '#test/helpers/lists.ts';
import { screening, shipping } from '#test/helpers/screening.ts';

const name = shipping.name;
type Result = { ref?: string; screening?: Record<string, unknown>; error?: { code: string; details: object[] } };

test('a batch is answered payee by payee, in order, and each answer is kept', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  const payees = [
    { ref: 'first', name, country: 'panama' },
    { name: 'Bakery Anna' },
    { ref: 'third', key: 'merchant:x:1' },
  ];
  const { status, body } = await w.as.post('/v1/screen', { payees, threshold: 0.9 });
  t.is(status, 200);
  const [bad, good, third] = body.screenings as [Result, Result, Result];
  t.like(bad, { ref: 'first', screening: { state: 'potential_match', score: 1, threshold: 0.9, payee_id: null } });
  t.like(good, { screening: { state: 'clear', query: { name: 'Bakery Anna' } } });
  t.false('ref' in good);
  t.like(third, { ref: 'third', screening: { state: 'clear' } });
  for (const { screening: made } of [bad, good, third])
    t.deepEqual((await w.as.get(`/v1/screenings/${String(made?.['id'])}`)).body, made);
  t.deepEqual(await w.told(), [{ screening_id: bad.screening?.['id'], event_id: null }]);
  const audited = await w.db.anyFirst(sql.type(z.object({ target_id: z.string() }))`
    select target_id from audit_log where org_id = ${w.tenant.org_id} and action = 'screening.created'`);
  t.is(audited.length, 3, 'each is in the audit log');
});

test('what is wrong with one payee of a batch is said in its place, and the others are answered', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  const payees = [
    { ref: 'a', name: ' ' },
    { ref: 'b', name },
    { ref: 'c', country: 'DE' },
    { ref: 7, name },
    'nobody',
    { name, payee_id: 'pye_1' },
    { ref: 'd', name, wallets: [{ network: 'base', address: '0x12' }] },
  ];
  const { status, body } = await w.as.post('/v1/screen', { payees });
  t.is(status, 200);
  const told = (body.screenings as Result[]).map(({ ref, screening: made, error }) => [
    ref,
    made?.['state'] ?? error?.code,
    error?.details.map(detail => (detail as { path: string }).path).join(' '),
  ]);
  t.deepEqual(told, [
    ['a', 'invalid_request', '/payees/0/name'],
    ['b', 'potential_match', undefined],
    ['c', 'invalid_request', '/payees/2'],
    [undefined, 'invalid_request', '/payees/3/ref'],
    [undefined, 'invalid_request', '/payees/4'],
    [undefined, 'invalid_request', '/payees/5/payee_id'],
    ['d', 'invalid_request', '/payees/6/wallets/0/address'],
  ]);
  t.is((await w.screenings()).length, 1);
});

test('what is wrong with a batch as a whole is refused, and so is one without any list', async t => {
  const w = await screening(t);
  t.like((await w.as.post('/v1/screen', { payees: [{ name }] })).body.error, { code: 'no_lists' });
  await w.load([shipping]);
  const wrong: [object, string][] = [
    [{ payees: [] }, '/payees'],
    [{ payees: Array.from({ length: 101 }, () => ({ name })) }, '/payees'],
    [{ payees: { name } }, '/payees'],
    [{ payees: [{ name }], payee: { name } }, '/payee'],
    [{ payees: [{ name }], limit: 0 }, '/limit'],
    [{ payees: [{ name: ' ' }], lists: ['fictional', 'ofac'] }, '/lists/1'],
  ];
  for (const [body, path] of wrong) {
    const reply = await w.as.post('/v1/screen', body);
    t.is(reply.status, 400, path);
    t.is(reply.body.error.details[0].path, path);
  }
  t.deepEqual(await w.screenings(), []);
});

test('a batch with one Idempotency-Key is screened once', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  const ask = () => w.as.post('/v1/screen', { payees: [{ name }, { name: ' ' }] }, { 'idempotency-key': 'batch-1' });
  const [first, second] = [await ask(), await ask()];
  t.is(first.status, 200);
  t.deepEqual(second.body, first.body);
  t.is((await w.screenings()).length, 1);
  t.is((await w.told()).length, 1);
});

test('a request with an Idempotency-Key is searched before its transaction, once, and what is wrong with it is repeated', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  const { search, db } = w.services;
  const in_transaction: number[] = [];
  const find = search.find;
  search.find = async (...asked) => {
    in_transaction.push(
      await db.oneFirst(sql.type(z.object({ count: z.number() }))`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'`),
    );
    return find(...asked);
  };
  const ask = (key: string, body: object) => w.as.post('/v1/screen', body, { 'idempotency-key': key });
  const bodies = [{ payees: [{ name }, { name: 'Bakery Anna' }] }, { payee: { name } }];
  for (const [at, body] of bodies.entries()) {
    const [first, second] = [await ask(`key-${at}`, body), await ask(`key-${at}`, body)];
    t.is(first.status, 200);
    t.deepEqual(second.body, first.body);
    t.is(second.headers.get('idempotent-replayed'), 'true');
  }
  t.deepEqual(in_transaction, [0, 0]);
  const wrong = { payee: { name }, lists: ['ofac'] };
  t.like(await ask('key-2', wrong), { status: 400 });
  t.is((await ask('key-2', wrong)).headers.get('idempotent-replayed'), 'true');
  t.is((await ask('key-2', { payee: { name } })).body.error.code, 'idempotency_key_reused');
});

test('an answer that cannot be kept spoils no other that is asked for at the same moment', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  await w.asOwner(
    `create function spoil() returns trigger language plpgsql as $$ begin
      if new.query->>'name' = 'Spoiler Ltd' then raise exception 'new row for relation screenings violates check constraint spoiled'; end if; return new;
    end $$`,
    'create trigger spoil before insert on screenings for each row execute function spoil()',
  );
  t.teardown(() => w.asOwner('drop trigger spoil on screenings'));
  const names = Array.from({ length: 12 }, (_, index) => (index === 5 ? 'Spoiler Ltd' : `Shop ${index}`));
  // The client of the tests takes a 500 for a failure of the test.
  const ask = (each: string) =>
    fetch(`${w.api.address}/v1/screen`, {
      method: 'POST',
      headers: { authorization: `Bearer ${w.full.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ payee: { name: each } }),
    });
  const replies = await Promise.all(names.map(ask));
  t.deepEqual(
    replies.map(({ status }) => status),
    names.map(each => (each === 'Spoiler Ltd' ? 500 : 200)),
  );
  const { body } = await w.as.post('/v1/screen', { payees: names.map(each => ({ name: each })) });
  t.deepEqual(
    (body.screenings as Result[]).map(({ screening: made, error }) => made?.['state'] ?? error?.code),
    names.map(each => (each === 'Spoiler Ltd' ? 'internal' : 'clear')),
  );
  t.is((await w.screenings()).length, 22);
});

test('organizations that ask at the same moment have their own lists, answers and webhooks', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  const rival = await w.organization('Rival');
  await load(w.db, [entry('1', 'Tidewater Brokers')], { name: 'theirs', org_id: rival.id });
  const them = w.client((await w.key(rival.id)).key);
  const ask = (as: typeof w.as) => as.post('/v1/screen', { payee: { name: 'Tidewater Brokers' } });
  const [mine, theirs] = await Promise.all([ask(w.as), ask(them)]);
  t.deepEqual([mine.body.screening.state, theirs.body.screening.state], ['clear', 'potential_match']);
  t.deepEqual(await w.screenings(), [mine.body.screening]);
  t.deepEqual((await them.get('/v1/screenings')).body.data, [theirs.body.screening]);
});

test('while a list is replaced every question is answered, at last by the new version', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  const ask = async () => {
    const { status, body } = await w.as.post('/v1/screen', { payee: { name: 'Tidewater Brokers' } });
    t.is(status, 200);
    return body.screening.lists[0].version as number;
  };
  t.is(await ask(), 1);
  const loading = w.load([shipping, entry('78', 'Tidewater Brokers'), ...w.fillers(3_000)]);
  const versions: number[] = [];
  while (versions.at(-1) !== 2) versions.push(...(await Promise.all([ask(), ask(), ask()])));
  await loading;
  t.is(
    (await w.as.post('/v1/screen', { payee: { name: 'Tidewater Brokers' } })).body.screening.state,
    'potential_match',
  );
});
