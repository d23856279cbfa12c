import test, { type ExecutionContext } from 'ava';
import { Client } from 'pg';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { readRange } from '#shared/events/ranges/load.ts';
import { sweep } from '#shared/detection/sweeps/sweep.ts';
import type { Params } from '#shared/detection/model/detector.ts';
import { timedDetectors } from '#shared/detection/detectors/index.ts';
import {
  type DetectorSetting,
  effectiveParams,
  presetOf,
  saveSetting,
} from '#shared/detection/settings/detector_settings.ts';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import type { Services } from '#shared/platform/services.ts';
import { DAY, HOUR, MINUTE, SECOND, timestamp } from '#shared/values/time.ts';
import { event, type EventOptions } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const noon = Date.parse('2026-11-20T12:00:00.000Z');

/** A service whose clock is moved by the test, and whose events arrive when they occur. */
async function timed(t: ExecutionContext) {
  let time = noon;
  const w = await world(t, { own_database: true, now: () => time });
  const { services, db, tenant } = w;
  const owner = new Client({ connectionString: w.database.owner_url });
  await owner.connect();
  t.teardown(() => owner.end());
  const Alert = z.object({ detector: z.string(), subject: z.string(), title: z.string(), seqs: z.array(z.number()) });
  return {
    ...w,
    owner,
    /** Sends events that arrive at this moment, and takes them through detection. */
    async arrive(at: number, options: EventOptions[], { analyze = true } = {}) {
      time = Math.max(time, at);
      const { body } = await w.as.post('/v1/events', { events: options.map(each => event({ at, ...each })) });
      t.is(body.accepted, options.length, JSON.stringify(body));
      await owner.query(
        'update events set received_at = $1 where chain_seq > (select seq from detection_cursors where org_id = $2)',
        [timestamp(at), tenant.org_id],
      );
      if (analyze) await w.analyze();
    },
    /** What the schedule process does at this moment. Answers with the alerts that are new. */
    async sweepAt(at: number, changed: Partial<Services> = {}) {
      time = at;
      return (await sweep({ ...services, ...changed })).map(({ detector }) => detector);
    },
    set: (detector: string, setting: Partial<DetectorSetting>) =>
      saveSetting(db, tenant, detector, { ...presetOf({}), ...setting }, time),
    alerts: () =>
      db.any(sql.type(Alert)`
        select detector, subject, title,
          (select array_agg(e.chain_seq::int order by e.chain_seq) from alert_events e where e.org_id = a.org_id and e.alert_id = a.id) as seqs
        from alerts a where a.org_id = ${tenant.org_id} and detector in ('settlement_missing', 'silent_source') order by id`),
    count: (from: string) =>
      db.oneFirst(
        sql.type(z.object({ count: z.number() }))`select count(*)::int8 as count from ${sql.identifier([from])}`,
      ),
  };
}

const authorized = (payment_id: string, more: EventOptions = {}): EventOptions => ({
  type: 'payment.authorized',
  rail: 'x402',
  payment_id,
  ...more,
});

test('a payment of which nothing is heard is told of once, whoever sweeps and however often', async t => {
  const w = await timed(t);
  await createEndpoint(w.db, w.config, w.tenant, { url: 'http://127.0.0.1:9/hook' }, noon);
  await w.arrive(noon, [
    ...['lost', 'settled', 'failed'].map(payment_id => authorized(payment_id)),
    authorized('booked', { rail: 'card' }),
    authorized('wired', { rail: 'wire' }),
    { type: 'payment.settled', payment_id: 'settled', rail: 'x402' },
  ]);
  const before = await w.count('webhook_deliveries');
  t.deepEqual(await w.sweepAt(noon + 15 * MINUTE - 1), []);
  // What is not analyzed yet says what became of a payment as well.
  await w.arrive(noon + 10 * MINUTE, [{ type: 'payment.failed', payment_id: 'failed', rail: 'x402' }], {
    analyze: false,
  });
  const both = await Promise.all([w.sweepAt(noon + 15 * MINUTE), w.sweepAt(noon + 15 * MINUTE)]);
  t.deepEqual(both.flat(), ['settlement_missing']);
  t.deepEqual(await w.sweepAt(noon + HOUR), []);
  await w.analyze();
  t.deepEqual(await w.sweepAt(noon + 8 * DAY - 1), []);
  t.deepEqual(await w.sweepAt(noon + 8 * DAY), ['settlement_missing']);
  t.deepEqual(
    (await w.alerts()).map(({ subject, seqs }) => [subject, seqs]),
    [
      ['lost', [1]],
      ['booked', [4]],
    ],
  );
  t.is(await w.count('webhook_deliveries'), before + 2);
  const { body } = await w.as.get('/v1/alerts?detector=settlement_missing&limit=1');
  t.like(body.data[0], {
    severity: 'low',
    score: 45,
    title: 'Payment of $12.50 to shop.example.com authorized, with no report since',
  });
});

test('a sweep that is killed before its end has told nothing, and the next one tells all', async t => {
  const w = await timed(t);
  await w.arrive(noon, [authorized('lost')]);
  const cut = (statement: string): Partial<Services> => ({
    db: new Proxy(w.db, {
      get: (db, name) =>
        name !== 'transaction'
          ? Reflect.get(db, name)
          : (work: Parameters<typeof db.transaction>[0]) =>
              db.transaction(tx =>
                work({
                  ...tx,
                  query: query =>
                    query.sql.includes(statement) ? Promise.reject(new Error('killed')) : tx.query(query),
                } as typeof tx),
              ),
    }),
  });
  for (const statement of ['insert into sweep_cursors', 'insert into alert_events', 'insert into versions'])
    t.deepEqual(await w.sweepAt(noon + HOUR, cut(statement)), []);
  t.is(await w.count('alerts'), 0);
  t.deepEqual(await w.sweepAt(noon + HOUR), ['settlement_missing']);
});

test('what becomes overdue while the detector is off is not told later, and new settings count at once', async t => {
  const w = await timed(t);
  await w.arrive(noon, [authorized('before')]);
  await w.sweepAt(noon);
  await w.set('settlement_missing', { enabled: false });
  t.deepEqual(await w.sweepAt(noon + HOUR), []);
  await w.arrive(noon + HOUR, [authorized('after')]);
  await w.set('settlement_missing', { params: { x402_s: 5 } });
  t.deepEqual(await w.sweepAt(noon + HOUR + 5 * SECOND), ['settlement_missing']);
  await w.arrive(noon + 2 * HOUR, [authorized('slow')]);
  await w.sweepAt(noon + 2 * HOUR);
  await w.set('settlement_missing', { shadow: true, params: { x402_s: 60 } });
  t.deepEqual(await w.sweepAt(noon + 2 * HOUR + MINUTE), []);
  t.deepEqual(
    (await w.alerts()).map(({ subject }) => subject),
    ['after'],
  );
  const Shadow = z.object({ subject: z.string(), reason: z.string() });
  t.deepEqual(await w.db.any(sql.type(Shadow)`select subject, reason from shadow_findings`), [
    { subject: 'slow', reason: 'shadow' },
  ]);
});

/** A source is regular after five gaps and a minute, and silent after a minute. */
const lively: Params = { least_gaps: 5, least_history_s: 60, least_silence_s: 60 };

test('a source is told of once a silence, by its name, and not while it is disabled or its events wait', async t => {
  const w = await timed(t);
  await w.set('silent_source', { params: lively });
  const { body: till } = await w.as.post('/v1/sources', { name: 'till', kind: 'other' });
  const send = async (at: number, options = {}) => w.arrive(at, [{ more: { source_id: till.id } }], options);
  for (let minute = 0; minute < 10; minute += 1) await send(noon + minute * MINUTE);
  const last = noon + 9 * MINUTE;
  t.deepEqual(await w.sweepAt(last + 5 * MINUTE - 1), []);
  t.deepEqual(await w.sweepAt(last + 5 * MINUTE), ['silent_source']);
  t.deepEqual(await w.sweepAt(last + DAY), [], 'it was told of');
  const [alert] = await w.alerts();
  t.like(alert, { subject: till.id, title: 'The source “till” has been silent for 5 min', seqs: [10] });

  const back = last + 6 * MINUTE;
  await send(back, { analyze: false });
  t.deepEqual(await w.sweepAt(back + HOUR), []);
  await w.analyze();
  t.deepEqual(await w.sweepAt(back), []);
  await w.owner.query("update sources set state = 'disabled'");
  await w.sweepAt(back + HOUR);
  t.deepEqual((await w.alerts())[0]?.seqs, [10]);
  await w.owner.query("update sources set state = 'active'");
  await w.sweepAt(back + 2 * HOUR);
  t.deepEqual(
    (await w.alerts()).map(({ seqs }) => seqs),
    [[10, 11]],
    'one alert a source while it is open',
  );
});

test('a source that is not regular is not looked at, and a sweep wakes detection only where it has something to do', async t => {
  const w = await timed(t);
  await w.set('silent_source', { params: lively });
  const Due = z.object({ look_at: z.string().nullable() });
  const lookAt = () => w.db.oneFirst(sql.type(Due)`select look_at from source_rhythms`);
  const woken: unknown[] = [];
  const add = async (kind: string, jobs: readonly unknown[]) => void (kind === 'detect' && woken.push(...jobs));
  const queue = { ...w.services.queue, add } as Services['queue'];
  for (let minute = 0; minute < 5; minute += 1) {
    await w.arrive(noon + minute * MINUTE, [{}]);
    t.is(await lookAt(), null);
  }
  await w.arrive(noon + 5 * MINUTE, [authorized('waits')]);
  t.is(await lookAt(), timestamp(noon + 10 * MINUTE));
  await w.sweepAt(noon + 11 * MINUTE, { queue });
  t.deepEqual(woken, []);
  await w.arrive(noon + 12 * MINUTE, [{}], { analyze: false });
  await w.sweepAt(noon + 20 * MINUTE, { queue });
  t.true(woken.length > 0);
});

test('sweeps tell what a replay of the log tells', async t => {
  const w = await timed(t);
  await w.set('silent_source', { params: lively });
  await w.set('settlement_missing', { params: { card_s: 7_200 } });
  const { body: other } = await w.as.post('/v1/sources', { name: 'other', kind: 'sdk' });
  const script: [number, EventOptions[]][] = Array.from({ length: 30 }, (_, index) => {
    const at = noon + index * MINUTE + (index > 12 ? HOUR : 0) + (index > 22 ? 4 * HOUR : 0);
    const agent = `agent-${index % 2}`;
    const course = [
      [authorized(`p${index}`, { agent, rail: index % 3 === 0 ? 'card' : 'x402' })],
      [authorized(`p${index}`, { agent, at: at - HOUR }), { type: 'payment.settled', payment_id: `p${index}`, agent }],
      index % 8 === 2 && [
        { type: 'payment.failed', payment_id: `p${index - 2}`, agent, more: { source_id: other.id } },
      ],
      index % 16 === 3 && [{ type: 'payment.settled', payment_id: `p${index + 1}`, agent: `agent-${(index + 1) % 2}` }],
    ][index % 4];
    return [at, course || [authorized(`q${index}`, { agent, at: at - MINUTE })]];
  });
  for (const [at, options] of script) {
    await w.sweepAt(at - 1);
    await w.arrive(at, options);
  }
  await w.sweepAt(noon + 2 * DAY);
  const swept = (await w.alerts()).flatMap(({ detector, subject, seqs }) =>
    seqs.map(seq => [detector, subject, seq].join(' ')),
  );

  const log = await readRange(w.db, w.tenant, 0, 1_000);
  const params: Record<string, Params> = { silent_source: lively, settlement_missing: { card_s: 7_200 } };
  const replayed = timedDetectors.flatMap(detector => {
    const { take, end } = detector.replay(effectiveParams(detector, params[detector.name] ?? {}));
    const found = [...log.flatMap(take), ...end(noon + 2 * DAY)];
    return found.map(({ event: { chain_seq }, finding }) => [detector.name, finding.subject, chain_seq].join(' '));
  });
  t.deepEqual(swept.toSorted(), replayed.toSorted());
  t.true(new Set(replayed.map(each => each.split(' ')[0])).size === 2 && replayed.length > 10, replayed.join());
});

test('a long log is gone through in parts, and of a thousand others only those with news are touched', async t => {
  const w = await timed(t);
  const { org_id, environment } = w.tenant;
  await w.owner.query(
    `insert into events (org_id, environment, chain_seq, id, type, occurred_at, received_at, source_id, agent_id, owner_id, payee_id,
       payment_id, rail, status, evidence_count, price_key, event_digest, leaf_hash, input)
     select $1, $2, n, 'evt_' || n, 'payment.' || status, $3, $3, 'src_1', 'agt_' || n / 2 % 7, 'own_1', 'pye_1', 'pay_' || n - n % 2,
       case when n % 10 > 7 then 'card' else 'x402' end, status, 0, '', '', '', '{}'
     from generate_series(2, 2501) n cross join lateral (select case when n % 2 = 0 then 'authorized' else 'settled' end as status) s
     where n <> 2101`,
    [org_id, environment, timestamp(noon)],
  );
  await w.owner.query('update event_logs set size = 2501 where org_id = $1', [org_id]);
  await w.owner.query('update detection_cursors set seq = 2501 where org_id = $1', [org_id]);
  await w.owner.query(
    `insert into event_logs (org_id, environment, size) select 'org_' || n, $1, 10 from generate_series(1, 1000) n`,
    [environment],
  );
  await w.owner.query(
    `insert into sweep_cursors (org_id, environment, kind, seq, next_at)
     select org_id, environment, 'settlement_missing:' || rail, 10, $1 from event_logs cross join unnest(array['x402', 'card']) rail
     where size = 10`,
    [timestamp(noon)],
  );
  let transactions = 0;
  const db = new Proxy(w.db, {
    get(pool, name) {
      if (name === 'transaction') transactions += 1;
      return Reflect.get(pool, name);
    },
  });
  t.deepEqual(await w.sweepAt(noon + HOUR, { db }), ['settlement_missing']);
  t.deepEqual(
    (await w.alerts()).map(({ subject }) => subject),
    ['pay_2100'],
  );
  t.is(transactions, 3, 'two parts for x402, and one for cards, whose time is not up');
  t.deepEqual(await w.sweepAt(noon + 2 * HOUR, { db }), []);
});
