import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { budget, type Flow, flow, noon } from './flow.ts';

/** An event of a payment; each payment has a payee of its own. */
const report = (w: Flow, payment_id: string, at: number, type: string, cents = '1000') =>
  w.pay({
    at,
    payment_id,
    type: `payment.${type}`,
    ...(type === 'requested' && { status: 'pending' }),
    cents,
    payee: `domain:${payment_id.toLowerCase()}.example.com`,
  });

type Event = ReturnType<typeof report>;

/** Sends events one by one, each looked at before the next comes. */
async function take(w: Flow, events: readonly Event[]) {
  for (const event of events) {
    await w.send([event]);
    await w.analyze();
    await w.recheck();
  }
}

/** What became of events: the result of their mandate, with its version; null if none applies. */
async function resultsOf(w: Flow, events: readonly Event[]): Promise<(string | null)[]> {
  const results: (string | null)[] = [];
  for (const { id } of events) {
    const { mandate_evaluations } = await w.detail(id);
    const [latest] = mandate_evaluations;
    results.push(latest ? latest.result : null);
  }
  return results;
}

/** Whether events come to the same in these orders as in time. */
async function inAnyOrder(
  t: ExecutionContext,
  begin: () => Promise<{ w: Flow; events: Event[] }>,
  orders: readonly (readonly number[])[],
  expected: readonly (string | null)[],
) {
  for (const order of [null, ...orders]) {
    const { w, events } = await begin();
    await take(w, order ? order.flatMap(place => events[place] ?? []) : events);
    t.deepEqual(await resultsOf(w, events), [...expected], `order ${order?.join(' ') ?? 'in time'}`);
    t.is((await w.alerts('detector=mandate_breach')).length, expected.includes('breach') ? 1 : 0);
  }
}

const midnight = -12 * HOUR;

test('what begins with the very first moment of a period is held against the others of that moment', t =>
  inAnyOrder(
    t,
    async () => {
      const w = await flow(t);
      await w.mandate([budget(10)]);
      const events = [
        report(w, 'A', midnight, 'authorized'),
        report(w, 'P', midnight, 'settled', '400'),
        report(w, 'A', midnight + 5 * MINUTE, 'canceled'),
      ];
      return { w, events };
    },
    [[0, 2, 1]],
    ['compliant', 'breach', null],
  ));

test('what was authorized before a mandate came into force is none of it, whichever report comes first', t =>
  inAnyOrder(
    t,
    async () => {
      const w = await flow(t, { start: noon + 3 * DAY });
      await w.mandate([budget(100)], { valid_from: new Date(noon).toISOString() });
      await w.recheck();
      return { w, events: [report(w, 'P', -HOUR, 'authorized'), report(w, 'P', HOUR, 'settled')] };
    },
    [[1, 0]],
    [null, 'compliant'],
  ));

test('what came before a mandate is none of it where a failure, or the mandate itself, comes first, and a refund of its payment is', async t => {
  const from_noon = { valid_from: new Date(noon).toISOString() };
  for (const order of ['in time', 'reversed', 'mandate last']) {
    const w = await flow(t, { start: noon + 3 * DAY });
    await w.mandate([budget(1_000)], { valid_from: new Date(noon - 10 * DAY).toISOString() });
    if (order !== 'mandate last') await w.mandate([budget(10)], from_noon);
    await w.recheck();
    const P = [report(w, 'P', -HOUR, 'authorized', '900'), report(w, 'P', HOUR, 'settled', '900')];
    const F = [report(w, 'F', -HOUR, 'settled', '900'), report(w, 'F', HOUR, 'failed', '900')];
    const after = [report(w, 'P', 2 * HOUR, 'refunded', '900'), report(w, 'Q', 3 * HOUR, 'settled', '900')];
    await take(w, [...(order === 'reversed' ? [...P, ...F].toReversed() : [...P, ...F]), ...after]);
    if (order === 'mandate last') {
      await w.mandate([budget(10)], from_noon);
      await w.recheck();
    }
    t.deepEqual((await w.alerts('detector=mandate_breach')).length, 0, order);
  }
});

test('a request takes no failure back', t =>
  inAnyOrder(
    t,
    async () => {
      const w = await flow(t, { start: noon + 3 * DAY });
      await w.mandate([budget(10)]);
      const events = [
        report(w, 'P', 0, 'authorized', '900'),
        report(w, 'P', HOUR, 'failed', '900'),
        report(w, 'P', 2 * HOUR, 'requested', '100'),
        report(w, 'Q', 3 * HOUR, 'settled', '900'),
      ];
      return { w, events };
    },
    [[2, 0, 1, 3]],
    ['compliant', null, 'compliant', 'compliant'],
  ));

test('a payment that moves to before its mandate was changed is judged by the terms of that time', t =>
  inAnyOrder(
    t,
    async () => {
      const w = await flow(t);
      const { id } = await w.mandate([budget(5, 'per_mandate')]);
      w.moveTo(noon + 10 * HOUR);
      await w.admin.patch(`/v1/mandates/${id}`, { constraints: [budget(100, 'per_mandate')] });
      w.moveTo(noon + 20 * HOUR);
      const events = [
        report(w, 'P', 8 * HOUR, 'authorized', '800'),
        report(w, 'R', 11 * HOUR, 'settled', '1'),
        report(w, 'P', 12 * HOUR, 'settled', '800'),
        report(w, 'Q', 13 * HOUR, 'settled', '1'),
      ];
      return { w, events };
    },
    [
      [1, 2, 3, 0],
      [2, 0, 3, 1],
    ],
    ['breach', 'compliant', 'breach', 'compliant'],
  ));

test('a mandate that is given for the past has all of a payment, though more of it came before that was looked at', async t => {
  for (const isFirst of [true, false]) {
    const w = await flow(t, { start: noon + 3 * DAY });
    const events = [
      report(w, 'P', 0, 'authorized', '900'),
      report(w, 'B', HOUR, 'settled', '900'),
      report(w, 'P', DAY, 'settled', '900'),
      report(w, 'C', DAY + HOUR, 'settled', '900'),
    ];
    await w.send(events.slice(0, 2));
    await w.analyze();
    await w.mandate([budget(10)], { valid_from: new Date(noon - DAY).toISOString() });
    if (isFirst) await w.recheck();
    await w.send(events.slice(2));
    await w.analyze();
    await w.recheck();
    t.deepEqual(await resultsOf(w, events), ['compliant', 'breach', 'compliant', 'compliant']);
  }
});

test('no alert says that a payment is within its mandate of which another event breaks it', async t => {
  const w = await flow(t, { start: noon + 3 * DAY });
  await w.mandate([{ type: 'payment.agent_recurrence', frequency: 'DAILY' }]);
  const events = [
    report(w, 'A', 0, 'authorized'),
    report(w, 'P', HOUR, 'requested'),
    report(w, 'B', DAY, 'settled'),
    report(w, 'P', DAY + HOUR, 'settled'),
  ];
  await take(w, events);
  await take(w, [report(w, 'A', 30 * MINUTE, 'canceled')]);
  t.deepEqual(await resultsOf(w, events), ['compliant', 'compliant', 'compliant', 'breach']);
  const [alert] = await w.alerts('detector=mandate_breach');
  const { body } = await w.as.get(`/v1/alerts/${alert.id}`);
  t.deepEqual(body.actions, []);
});

test('a payment that breaks its mandate in another period than before counts there alone', async t => {
  const w = await flow(t, { start: noon + 3 * DAY });
  await w.mandate([budget(10)]);
  const events = [
    report(w, 'P', DAY, 'settled', '2000'),
    report(w, 'R', DAY + HOUR, 'settled', '500'),
    report(w, 'P', 0, 'authorized', '2000'),
  ];
  await take(w, events);
  t.deepEqual(await resultsOf(w, events), ['breach', 'compliant', 'breach']);
  const counted = await w.db.any(sql.type(z.object({ subject: z.string(), counted: z.boolean(), id: z.string() }))`
    select a.subject, n.counted, e.id from alerts a join alert_events n on n.org_id = a.org_id and n.alert_id = a.id
    join events e on e.org_id = n.org_id and e.chain_seq = n.chain_seq
    where a.org_id = ${w.tenant.org_id} and a.detector = 'mandate_breach' order by a.subject, e.chain_seq`);
  t.deepEqual(
    counted.map(({ id, counted: counts }) => [events.findIndex(event => event.id === id), counts]),
    [
      [0, true],
      [2, true],
      [0, false],
      [1, false],
    ],
  );
  t.is(new Set(counted.slice(0, 2).map(({ subject }) => subject)).size, 1);
});
