import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { createDetectionCache } from '#shared/detection/load/detection_cache.ts';
import { analyzeRange } from '#shared/detection/consumer/range.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { presetOf, saveSetting } from '#shared/detection/settings/detector_settings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { turnOf } from '#test/helpers/runs.ts';
import { world } from '#test/helpers/world.ts';

const start = Date.now() - 3 * 3_600_000;

type Sent = ReturnType<typeof event>;

/** A burst of payments with several events each, and an agent so busy that its history holds only the last part of an hour. */
function busyDay(events_each: number): Sent[] {
  const types = ['payment.requested', 'payment.authorized', 'payment.settled'];
  const bursts = Array.from({ length: 230 }, (_, payment) =>
    Array.from({ length: events_each }, (_unused, n) =>
      event({
        at: start + payment * 15_200 + n * 300,
        agent: 'burst',
        cents: String(1 + (payment % 7)),
        payment_id: `burst-${payment}`,
        type: types[Math.min(n, 2)] ?? 'payment.settled',
        status: ['pending', 'authorized', 'settled'][Math.min(n, 2)] ?? 'settled',
        payee: `domain:s${payment % 40}.example.com`,
      }),
    ),
  ).flat();
  const busy = Array.from({ length: 600 }, (_, payment) =>
    event({
      at: start + payment * 5_800,
      agent: 'busy',
      cents: '10',
      payment_id: `busy-${payment}`,
      payee: `domain:b${payment % 90}.example.com`,
    }),
  );
  return [...bursts, ...busy].toSorted((a, b) => (String(a['occurred_at']) < String(b['occurred_at']) ? -1 : 1));
}

/** What a process that remembers agents from range to range tells of these events, and one that does not: detector, agent, title, score, events. */
async function remembered(
  t: ExecutionContext,
  w: Awaited<ReturnType<typeof world>>,
  sent: readonly Sent[],
  prepare: (of: Tenant) => Promise<void> = async () => {},
): Promise<string[][]> {
  const results: string[][] = [];
  for (const forgetful of [false, true]) {
    const org = await w.organization(forgetful ? 'forgetful' : 'remembering');
    const of = { org_id: org.id, environment: w.tenant.environment };
    await prepare(of);
    const client = w.client((await w.key(org.id)).key);
    for (let from = 0; from < sent.length; from += 1_000) {
      t.is((await client.post('/v1/events', { events: sent.slice(from, from + 1_000) })).body.rejected, 0);
    }
    let cache = createDetectionCache();
    for (let more = true; more;) {
      const analyzed = await analyzeRange(w.db, of, {
        limit: 170,
        detectors,
        cache,
        assessor: w.assessor,
        now: Date.now,
      });
      t.deepEqual(analyzed?.failures, analyzed ? [] : undefined);
      more = (analyzed?.events ?? 0) > 0;
      if (forgetful) cache = createDetectionCache();
    }
    const Row = z.object({ alert: z.string() });
    const rows = await w.db.anyFirst(sql.type(Row)`
      select a.detector || ' | ' || g.external_id || ' | ' || a.title || ' | ' || a.score || ' | ' ||
        (select count(*) from alert_events e where e.org_id = a.org_id and e.alert_id = a.id) as alert
      from alerts a join agents g on g.org_id = a.org_id and g.id = a.agent_id
      where a.org_id = ${org.id} order by 1`);
    results.push([...rows]);
  }
  return results;
}

for (const events_each of turnOf([1, 3, 6], 0, 2)) {
  test(`alerts do not depend on what a process remembers, with ${events_each} events a payment`, async t => {
    const w = await world(t, { own_database: true, thresholds: true });
    const sent = busyDay(events_each);
    const results = await remembered(t, w, sent);
    t.deepEqual(results[1], results[0]);
    const [alerts = []] = results;
    t.true(alerts.some(alert => alert.startsWith('velocity_count | burst')));
    // 600 payments of $0.10 within 58 minutes: more than the history holds, and told to the last one.
    t.true(
      alerts.some(alert => alert.startsWith('velocity_count | busy | 600 payments within 1 h')),
      alerts.join('\n'),
    );
    t.true(
      alerts.some(alert => alert.startsWith('spend_velocity | busy | $60.00 spent within 1 h')),
      alerts.join('\n'),
    );
  });
}

test('payments that are settled in a batch are no burst, for a process that has just started either', async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  const began = Date.now() - 27 * HOUR;
  const payments = Array.from({ length: 500 }, (_, n) => `payment-${n}`);
  const made = (type: 'authorized' | 'settled', atOf: (n: number) => number) =>
    payments.map((payment_id, n) =>
      event({
        at: began + atOf(n),
        payment_id,
        cents: '15',
        type: `payment.${type}`,
        payee: `domain:p${n % 9}.example.com`,
      }),
    );
  await w.as.post('/v1/events', { events: made('authorized', n => n * 170 * SECOND) });
  await w.as.post('/v1/events', { events: made('settled', n => 26 * HOUR + n * SECOND) });
  t.deepEqual(await w.analyze(), []);
  const at = began + 26 * HOUR;
  for (const second of [300, 520]) {
    await w.as.post(
      '/v1/events',
      event({ at: at + second * SECOND, cents: '15', payee: `domain:q${second}.example.com` }),
    );
    const cache = createDetectionCache();
    const options = { limit: 1_000, detectors, cache, assessor: w.assessor, now: Date.now };
    t.deepEqual((await analyzeRange(w.db, w.tenant, options))?.raised, []);
  }
});

test('what was paid long before it settled is judged among the payments of its time, whatever a process remembers', async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  const began = Date.now() - 6 * DAY - 13 * HOUR;
  const paid = (at: number, cents: string, n: string) =>
    event({ at, agent: 'a', cents, payment_id: n, payee: 'domain:b.example.com' });
  const order = { agent: 'a', payment_id: 'order', payee: 'domain:p.example.com' };
  const sent = [
    ...Array.from({ length: 600 }, (_, n) => paid(began + n * MINUTE, '100', `busy-${n}`)),
    event({ ...order, at: began + 10 * HOUR + SECOND, cents: '1', type: 'payment.authorized', status: 'authorized' }),
    ...Array.from({ length: 1_800 }, (_, n) => paid(began + 11 * HOUR + n * 288 * SECOND, '1', `calm-${n}`)),
    event({ ...order, at: Date.now() - MINUTE, cents: '15000', type: 'payment.settled', status: 'settled' }),
  ];
  const setting = { ...presetOf({}), params: { hour_floor_usd: '5000', day_floor_usd: '700' } };
  const [forgetful, remembering] = await remembered(t, w, sent, async of => {
    await saveSetting(w.db, of, 'spend_velocity', setting, Date.now());
  });
  t.deepEqual(forgetful, remembering);
  t.true(
    remembering?.some(alert => alert.startsWith('spend_velocity | a | $750.00 spent within 24 h')),
    remembering?.join('\n'),
  );
});
