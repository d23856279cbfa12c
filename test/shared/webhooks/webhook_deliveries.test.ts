import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { isSpread } from '#shared/platform/spread.ts';
import { Problem } from '#shared/interface/errors.ts';
import { newId } from '#shared/interface/ids.ts';
import { pageRequest } from '#shared/interface/page.ts';
import { recordAttempt } from '#shared/webhooks/webhook_attempts.ts';
import { claimBacklog } from '#shared/webhooks/webhook_backlog.ts';
import { claimForEndpoint, claimOverdue, oldestPending } from '#shared/webhooks/webhook_claims.ts';
import { type DeliveryFilters, insertDeliveries, listDeliveries } from '#shared/webhooks/webhook_deliveries.ts';
import { createEndpoint, disableEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { replayDelivery, replaySince } from '#shared/webhooks/webhook_replay.ts';
import { MINUTE, SECOND, timestamp } from '#shared/values/time.ts';
import { alerts, webhookWorld } from '#test/helpers/webhooks.ts';

const url = 'https://customer.example/hooks';

test('every event is written once for each active endpoint of its organization and environment', async t => {
  const { config, db, deliveries, endpoint, insert, now, tenant } = await webhookWorld(t);
  const [a, b, off] = [await endpoint(url), await endpoint(url), await endpoint(url)];
  await disableEndpoint(db, tenant, off.id, now());
  for (const other of [
    { ...tenant, org_id: newId('org') },
    { ...tenant, environment: 'production' },
  ])
    await createEndpoint(db, config, other, { url }, now());
  const jobs = await insert([
    { type: 'alert.created', data: { alert_id: newId('alr'), event_id: newId('evt') } },
    { type: 'pack.ready', data: { pack_id: newId('pck') } },
  ]);
  const rows = await deliveries();
  t.deepEqual(
    rows.map(({ endpoint_id, type }) => [type, endpoint_id]),
    [
      ['alert.created', a.id],
      ['alert.created', b.id],
      ['pack.ready', a.id],
      ['pack.ready', b.id],
    ],
  );
  const [first] = rows;
  t.deepEqual(jobs[0], { ...tenant, delivery_id: first?.id, generation: 0, attempts_made: 0, behind: 0 });
  t.is(jobs.length, 4);
  t.is(await db.oneFirst(sql.type(z.object({ count: z.int() }))`select count(*) from webhook_deliveries`), 4);
});

test('what was written in a transaction that failed is not there', async t => {
  const { db, endpoint, now, states, tenant } = await webhookWorld(t);
  await endpoint(url);
  const failing = db.transaction(async tx => {
    await insertDeliveries(tx, tenant, alerts(3), now());
    throw new Error('something else failed');
  });
  await t.throwsAsync(failing);
  t.deepEqual(await states(), {});
});

test('deliveries are listed newest first, by filters and pages', async t => {
  const { config, db, endpoint, insert, now, tenant } = await webhookWorld(t);
  const [a, b] = [await endpoint(url), await endpoint(url)];
  await insert([...alerts(3), { type: 'pack.ready', data: { pack_id: newId('pck') } }]);
  await disableEndpoint(db, tenant, b.id, now());
  const list = (filters: DeliveryFilters, limit = 50, cursor?: string) =>
    listDeliveries(db, tenant, filters, pageRequest(config.secret_key, 'd', tenant, { limit, cursor, ...filters }));
  const { data } = await list({});
  t.is(data.length, 8);
  t.deepEqual(
    data.map(({ id }) => id),
    data
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  );
  t.is((await list({ state: 'canceled' })).data.length, 4);
  t.is((await list({ type: 'pack.ready' })).data.length, 2);
  t.is((await list({ type: 'pack.ready', endpoint_id: a.id, state: 'pending' })).data.length, 1);
  t.is((await list({ endpoint_id: newId('whe') })).data.length, 0);
  const first = await list({ endpoint_id: a.id }, 3);
  const second = await list({ endpoint_id: a.id }, 3, first.next_cursor ?? '');
  t.is(second.next_cursor, null);
  t.deepEqual(
    [...first.data, ...second.data],
    data.filter(({ endpoint_id }) => endpoint_id === a.id),
  );
});

test('an attempt is listed as it was recorded', async t => {
  const { db, deliveries, endpoint, insert, now } = await webhookWorld(t);
  await endpoint(url);
  const [job] = await insert(alerts(1));
  if (!job) return t.fail();
  const at = now();
  const attempt = {
    outcome: 'refused' as const,
    status: 404,
    error: null,
    response: 'no "such" hook \u{1f600}',
    ms: 12,
  };
  t.is(await recordAttempt(db, job, { ...attempt, generation: 0, number: 1, at }, at + 12), 'refused');
  const [delivery] = await deliveries();
  t.deepEqual(delivery?.attempts, [{ number: 1, generation: 0, at: timestamp(at), ...attempt }]);
  t.like(delivery, { state: 'refused', attempt_count: 1, finished_at: timestamp(at + 12) });
});

test('overdue deliveries are claimed once, left alone for 5 s, and not before their time', async t => {
  const { db, endpoint, insert, now } = await webhookWorld(t);
  await endpoint(url);
  const jobs = await insert(alerts(10));
  t.deepEqual(await claimOverdue(db, now()), []);
  const later = now() + 10 * SECOND;
  const claims = (await Promise.all([claimOverdue(db, later), claimOverdue(db, later)])).flat();
  t.deepEqual(new Set(claims.map(job => job.delivery_id)), new Set(jobs.map(job => job.delivery_id)));
  t.is(claims.length, 10);
  t.deepEqual(await claimOverdue(db, later + 4 * SECOND), []);
  t.is((await claimOverdue(db, later + 5 * SECOND)).length, 10);
});

test('of an endpoint with a long backlog, ten are claimed at a time, and every other endpoint gets its turn', async t => {
  const { config, db, endpoint, insert, now, tenant } = await webhookWorld(t);
  await endpoint(url);
  await insert(alerts(5_000));
  const other = { ...tenant, org_id: newId('org') };
  await createEndpoint(db, config, other, { url }, now());
  const [job] = await insertDeliveries(db, other, alerts(1), now());
  const claimed = await claimOverdue(db, now() + MINUTE);
  t.is(claimed.length, 11);
  t.deepEqual(
    claimed.filter(({ org_id }) => org_id === other.org_id),
    [{ ...job, behind: 10 }],
  );
});

test('on a single server, deliveries of many organizations are claimed in one statement', async t => {
  const { config, db, now, tenant } = await webhookWorld(t);
  for (let count = 0; count < 5; count += 1) {
    const other = { ...tenant, org_id: newId('org') };
    await createEndpoint(db, config, other, { url }, now());
    await insertDeliveries(db, other, alerts(2), now());
  }
  let asked = 0;
  const counted = new Proxy(db, {
    get(target, name) {
      if (name === 'any' || name === 'anyFirst') asked += 1;
      return Reflect.get(target, name) as unknown;
    },
  });
  t.is((await claimOverdue(counted, now() + MINUTE)).length, 10);
  t.is(asked, isSpread() ? 6 : 2);
  t.not(await oldestPending(counted), null);
  t.is(asked, isSpread() ? 12 : 4);
});

test('a claim has an upper bound, and in a few rounds reaches every endpoint', async t => {
  const { db, endpoint, insert, now } = await webhookWorld(t);
  for (let count = 0; count < 110; count++) await endpoint(url);
  await insert(alerts(20));
  const seen = new Set<string>();
  for (let round = 0; seen.size < 110; round++) {
    const claimed = await claimOverdue(db, now() + (round + 1) * MINUTE);
    t.is(claimed.length, 1_000);
    for (const endpoint_id of await endpointsOf(db, claimed)) seen.add(endpoint_id);
  }
});

test('a row that was inserted while its endpoint was being disabled is claimed too, so that it can be canceled', async t => {
  const { db, endpoint, insert, now } = await webhookWorld(t);
  const { id } = await endpoint(url);
  await insert(alerts(1));
  await db.query(sql.unsafe`update webhook_endpoints set state = 'disabled' where id = ${id}`);
  t.is((await claimOverdue(db, now() + MINUTE)).length, 1);
});

test('a claim for one endpoint leaves out what is being sent, what waits, and what other endpoints have', async t => {
  const { db, deliveries, endpoint, insert, now, tenant } = await webhookWorld(t);
  const { id: endpoint_id } = await endpoint(url);
  await endpoint(url);
  await insert(alerts(4));
  const [sent, waiting, ...rest] = (await deliveries()).filter(delivery => delivery.endpoint_id === endpoint_id);
  if (!sent || !waiting) return t.fail();
  const failed = { outcome: 'failed' as const, status: 500, error: null, response: '', ms: 1, at: now() };
  await recordAttempt(db, { ...tenant, delivery_id: waiting.id }, { ...failed, generation: 0, number: 1 }, now());
  const claim = (limit: number, time: number) =>
    claimForEndpoint(db, tenant, { endpoint_id, except: [sent.id] }, limit, time);
  t.is((await claim(1, now())).length, 1);
  const ids = (await claim(10, now())).map(job => job.delivery_id);
  t.deepEqual(
    ids.toSorted(),
    rest.map(({ id }) => id),
  );
  t.is((await claim(10, now() + SECOND)).find(job => job.delivery_id === waiting.id)?.attempts_made, 1);
});

test('a claim for one endpoint leaves out what another process sends of its backlog', async t => {
  const { db, endpoint, insert, now, tenant } = await webhookWorld(t);
  const { id: endpoint_id } = await endpoint(url);
  await insert(alerts(110));
  const at = now();
  const backlog = await claimBacklog(db, tenant, { endpoint_id, turned_away: new Map() }, 1_000, at);
  t.is(backlog.length, 100);
  const sent = new Set(backlog.map(({ delivery_id }) => delivery_id));
  const jobs = await claimForEndpoint(db, tenant, { endpoint_id, except: [] }, 1_000, at + 15 * SECOND);
  t.is(jobs.length, 10);
  t.true(jobs.every(({ delivery_id }) => !sent.has(delivery_id)));
});

test('a replay starts anew, and is refused for what is unknown or disabled', async t => {
  const { db, deliveries, endpoint, insert, now, tenant } = await webhookWorld(t);
  const { id } = await endpoint(url);
  const [job] = await insert(alerts(1));
  if (!job) return t.fail();
  const again = await replayDelivery(db, tenant, job.delivery_id, now());
  t.deepEqual(again, { ...job, generation: 1 });
  t.deepEqual(
    await replaySince(db, tenant, { endpoint_id: id, since: 0 }, now()),
    { replayed: 0, jobs: [] },
    'pending already',
  );
  const gone = [
    replayDelivery(db, tenant, newId('whd'), now()),
    replayDelivery(db, { ...tenant, org_id: newId('org') }, job.delivery_id, now()),
    replaySince(db, tenant, { endpoint_id: newId('whe'), since: 0 }, now()),
  ];
  for (const refused of gone) await t.throwsAsync(refused, { instanceOf: Problem, code: 'not_found' });
  await disableEndpoint(db, tenant, id, now());
  await t.throwsAsync(replayDelivery(db, tenant, job.delivery_id, now()), { instanceOf: Problem, code: 'conflict' });
  t.like((await deliveries())[0], { state: 'canceled' });
});

test('a replay since a time takes what was made from then on', async t => {
  const { db, endpoint, now, tenant } = await webhookWorld(t);
  const { id: endpoint_id } = await endpoint(url);
  const start = now() - MINUTE;
  for (const offset of [0, 10, 20]) await insertDeliveries(db, tenant, alerts(60), start + offset * SECOND);
  await db.query(sql.unsafe`update webhook_deliveries set state = 'delivered', finished_at = now()`);
  const { replayed, jobs } = await replaySince(db, tenant, { endpoint_id, since: start + 10 * SECOND }, now());
  t.is(replayed, 120);
  t.is(jobs.length, 10, 'the rest is claimed as these finish');
});

const endpointsOf = (db: Awaited<ReturnType<typeof webhookWorld>>['db'], jobs: { delivery_id: string }[]) =>
  db.anyFirst(sql.type(z.object({ endpoint_id: z.string() }))`
    select distinct endpoint_id from webhook_deliveries
    where id = any (${sql.array(
      jobs.map(job => job.delivery_id),
      'text',
    )})`);
