import test from 'ava';
import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { presetOf, saveSetting } from '#shared/detection/settings/detector_settings.ts';
import { newId } from '#shared/interface/ids.ts';
import { sql } from '#shared/platform/db.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/values/time.ts';
import { type Flow, flow, noon } from '#test/shared/assessment/flow.ts';
import { createHandler as createRecheckHandler } from '#workers/handlers/recheck.ts';

const now = noon + 6 * HOUR;
const OTHER = newId('agt');

/** Payments of an agent that buys the same things twice a day, the last of them at noon; of those at the places given it pays somebody new a hundred times as much. */
const habit = (w: Flow, count: number, odd: readonly number[]) =>
  Array.from({ length: count }, (_, index) => {
    const at = (index + 1 - count) * 12 * HOUR;
    return odd.includes(index)
      ? w.pay({ at, cents: '250000', payee: 'domain:elsewhere.example' })
      : w.pay({ at, cents: String(2_000 + 10 * (index % 7)), payee: `domain:shop${index % 3}.example` });
  });

type Told = { id: string; detector: string; event_ids: string[]; score: number };

/** What is told in the end: by which detectors, how strongly, and of which events, by their place in the story. */
async function toldOf(w: Flow, events: readonly { id: string }[]) {
  const places = new Map(events.map(({ id }, index) => [id, index]));
  const alerts: Told[] = await w.alerts('');
  return alerts
    .map(({ detector, event_ids, score }) => [detector, score, event_ids.map(id => places.get(id)).toSorted()])
    .toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
}

/** What watching it leaves. */
async function watched(t: Parameters<typeof flow>[0], count: number, odd: readonly number[]) {
  const w = await flow(t);
  const events = habit(w, count, odd);
  await w.send(events);
  await w.analyze();
  return toldOf(w, events);
}

/** How many agents have a past that is to be judged. */
const waiting = (w: Flow) =>
  w.db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::int8 as count from backfills where org_id = ${w.tenant.org_id} and (pass is not null or events > 3)`);

/** What is left to do when nothing has come for two minutes. */
async function lookAgain(w: Flow, at = now + 2 * MINUTE) {
  w.moveTo(at);
  await w.recheck();
}

test('a month that is sent newest first ends with the alerts that watching it would have left', async t => {
  const expected = await watched(t, 60, [30]);
  t.deepEqual(
    expected.map(([, , places]) => places),
    [[30]],
  );
  for (const limit of [1, 7, 1_000]) {
    const w = await flow(t);
    const events = habit(w, 60, [30]);
    await w.send(events.toReversed());
    await w.analyze({ limit });
    await w.recheck();
    t.deepEqual(await toldOf(w, events), [], 'more of it may come');
    await lookAgain(w);
    t.deepEqual(await toldOf(w, events), expected);
    t.is(await waiting(w), 0);
  }
});

test('so does one whose end is sent first, and what was told of the end by itself hides nothing', async t => {
  const expected = await watched(t, 60, [30, 57, 58]);
  const w = await flow(t);
  const events = habit(w, 60, [30, 57, 58]);
  await w.send(events.slice(57));
  await w.analyze();
  await w.send(events.slice(0, 57));
  await w.analyze();
  await lookAgain(w);
  const found = await toldOf(w, events);
  t.deepEqual(
    found.map(([, , places]) => places),
    expected.map(([, , places]) => places),
  );
});

test('a long past is judged in parts, each by what came before it', async t => {
  const [count, odd] = [9_000, [1_500, 7_000]];
  const w = await flow(t);
  const calls = Array.from({ length: count }, (_, index) => {
    const at = (index + 1 - count) * 20 * MINUTE;
    const is_odd = odd.includes(index);
    return w.pay({
      at,
      cents: is_odd ? '90000' : String(200 + (index % 7)),
      payee: is_odd ? `domain:new${index}.example` : 'domain:api.example',
    });
  });
  for (const part of [calls.slice(4_500).toReversed(), calls.slice(0, 4_500).toReversed()]) {
    await w.send(part);
    await w.analyze();
  }
  w.moveTo(now + 2 * MINUTE);
  await w.recheckOnce();
  t.is(await waiting(w), 1, 'there is more of it');
  await w.recheck();
  const found = (await toldOf(w, calls)).map(([, , places]) =>
    odd.filter(place => (places as number[]).includes(place)),
  );
  t.deepEqual(found.toSorted(), [[1_500], [7_000]]);
});

test('a few late events are judged as they come, and nothing again', async t => {
  const w = await flow(t);
  const events = habit(w, 60, [30]);
  await w.send([...events.slice(0, 30), ...events.slice(33), ...events.slice(30, 33)]);
  await w.analyze();
  t.is((await toldOf(w, events)).length, 1);
  await lookAgain(w);
  t.is(await w.count('backfills'), 1, 'more of them within the hour would be a back-fill');
  await lookAgain(w, now + 2 * HOUR);
  t.is(await w.count('backfills'), 0);
});

test('who is looked at again and again teaches the organization once, and closed alerts stay closed', async t => {
  const w = await flow(t);
  const events = habit(w, 60, [30]);
  await saveSetting(w.db, w.tenant, 'duplicate_payment', { ...presetOf({}), shadow: true }, now);
  await w.send([...events, { ...w.pay({ at: MINUTE, cents: '2010', payee: 'domain:shop2.example' }) }]);
  await w.analyze();
  const number = (query: FragmentSqlToken) =>
    w.db.oneFirst(
      sql.type(z.object({ number: z.number() }))`select (${query} and org_id = ${w.tenant.org_id})::int8 as number`,
    );
  const learned = () => number(sql.fragment`select spreads -> 'agent_days' from detection_cursors where true`);
  const quietly = () => number(sql.fragment`select coalesce(sum(hits), 0) from shadow_findings where true`);
  const days = await learned();
  const [alert]: Told[] = await w.alerts('');
  await w.as.post(`/v1/alerts/${alert?.id}/actions`, { action: 'dismiss', reason: 'It was asked for.' });
  const quiet = await quietly();
  for (let look = 1; look <= 3; look += 1) {
    await w.send(
      [0, 1, 2, 3].map(late =>
        w.pay({
          at: -400 * HOUR + late * 4 * DAY + look * 5 * HOUR,
          cents: String(2_001 + 13 * (4 * look + late)),
          payee: 'domain:shop1.example',
        }),
      ),
    );
    await w.analyze();
    await lookAgain(w, now + look * 3 * HOUR);
  }
  t.is(await learned(), days);
  t.deepEqual(
    (await w.alerts('')).map(({ id, state }: { id: string; state: string }) => [id, state]),
    [[alert?.id, 'dismissed']],
  );
  t.is(await quietly(), quiet);
});

test('what other agents pay under a name is known', async t => {
  const found: Awaited<ReturnType<typeof toldOf>>[] = [];
  for (const order of ['as it happens', 'newest first']) {
    const w = await flow(t);
    const acme = (at: number, iban: string, more = {}) =>
      w.pay({ at, cents: '2100', rail: 'sepa', payee: `iban:${iban}`, payee_name: 'Acme Supplies GmbH', more });
    const other = newId('agt');
    await w.send(
      Array.from({ length: 9 }, (_, day) => acme(-day * DAY, 'DE89370400440532013000', { agent_id: other })),
    );
    await w.analyze();
    const own = [...habit(w, 60, []), acme(-3 * DAY, 'LT121000011101001000')].toSorted((a, b) =>
      String(a['occurred_at']) < String(b['occurred_at']) ? -1 : 1,
    );
    await w.send(order === 'newest first' ? own.toReversed() : own);
    await w.analyze();
    await lookAgain(w);
    found.push(await toldOf(w, own));
  }
  t.true(found[0]?.some(([detector]) => detector === 'payee_substitution'));
  t.deepEqual(found[1], found[0]);
});

test('an agent whose past cannot be judged is passed over, and keeps no other waiting', async t => {
  const w = await flow(t);
  const own = habit(w, 60, [30]);
  const others = habit(w, 60, [30]).map(event => ({ ...event, agent_id: OTHER }));
  for (const [second, events] of [own, others].entries()) {
    w.moveTo(now + second * SECOND);
    await w.send(events.toReversed());
    await w.analyze();
  }
  w.moveTo(now + 2 * MINUTE);
  let transactions = 0;
  type Work = Parameters<typeof w.db.transaction>[0];
  const fail = () => Promise.reject(new Error('what nobody thought of'));
  const transaction = (work: Work) => {
    transactions += 1;
    if (transactions === 2) return fail();
    return w.db.transaction(tx =>
      work(
        transactions === 3
          ? new Proxy(tx, { get: (of, name) => (name === 'transaction' ? fail : (Reflect.get(of, name) as unknown)) })
          : tx,
      ),
    );
  };
  const services = { ...w.services, db: { ...w.db, transaction } } as typeof w.services;
  await createRecheckHandler(services, new AbortController().signal)(w.tenant);
  t.is(await waiting(w), 0);
  t.deepEqual(
    (await toldOf(w, others)).map(([, , places]) => places),
    [[30]],
  );
  t.regex(await w.services.metrics.registry.metrics(), /detection_failures_total\{detector="all"\} 1/);
});

/** Calls that an agent makes every twenty minutes, the last of them at noon. */
const calls = (w: Flow, count: number, more = {}) =>
  Array.from({ length: count }, (_, index) =>
    w.pay({
      at: (index + 1 - count) * 20 * MINUTE,
      cents: String(200 + (index % 7)),
      payee: 'domain:api.example',
      more,
    }),
  );

test('what comes late while a past is judged is of the next pass, and another agent’s past comes before it', async t => {
  const w = await flow(t);
  const long = calls(w, 9_000);
  await w.send([...long.slice(4_500).toReversed(), ...long.slice(0, 4_500).toReversed()]);
  await w.analyze();
  const others = habit(w, 60, [30]).map(event => ({ ...event, agent_id: OTHER }));
  w.moveTo(now + SECOND);
  await w.send(others.toReversed());
  await w.analyze();
  w.moveTo(now + 2 * MINUTE);
  for (let part = 0; part < 3 && (await toldOf(w, others)).length === 0; part += 1) {
    await w.recheckOnce();
    await w.send(
      calls(w, 5).map((_, index) =>
        w.pay({ at: -120 * DAY + index * HOUR, cents: '201', payee: 'domain:api.example' }),
      ),
    );
    await w.analyze();
  }
  t.is((await toldOf(w, others)).length, 1);
  t.is(await waiting(w), 1, 'what came meanwhile waits');
  await w.recheck();
  t.is(await waiting(w), 1, 'longer than the first');
  await lookAgain(w, now + 5 * MINUTE);
  t.is(await waiting(w), 0);
});

test('each pass over an agent that is always late rests for twice as long as the one before it', async t => {
  const w = await flow(t);
  await w.send(calls(w, 30));
  await w.analyze();
  const passes: number[] = [];
  for (let minute = 0; minute < 100; minute += 2) {
    w.moveTo(now + minute * MINUTE);
    await w.send(
      [0, 1, 2, 3].map(place =>
        w.pay({ at: minute * MINUTE - 2 * DAY + place, cents: '200', payee: 'domain:api.example' }),
      ),
    );
    await w.analyze();
    await lookAgain(w, now + (minute + 1) * MINUTE);
    if ((await waiting(w)) === 0) passes.push(minute);
  }
  t.deepEqual(passes, [0, 2, 6, 14, 30, 62]);
});

test('of more events at one moment than are judged at once, none is left out', async t => {
  const w = await flow(t);
  const [before, odd] = [60, 4_250];
  await w.send([w.pay({ at: 0, cents: '200', payee: 'domain:api.example' })]);
  await w.analyze();
  const events = Array.from({ length: before + odd + 50 }, (_, index) => {
    const is_odd = index === before + odd;
    const at = -9 * DAY - Math.max(0, before - index) * 8 * HOUR;
    return w.pay({
      at,
      cents: is_odd ? '9500000' : String(200 + (index % 7)),
      payee: `domain:${is_odd ? 'new' : 'api'}.example`,
    });
  });
  await w.send(events);
  await w.analyze();
  await lookAgain(w);
  const named = (await toldOf(w, events)).flatMap(([, , places]) => places as number[]);
  t.true(named.includes(before + odd));
});
