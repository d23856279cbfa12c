import test from 'ava';
import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { presetOf, saveSetting } from '#shared/detection/settings/detector_settings.ts';
import { newId } from '#shared/interface/ids.ts';
import { sql } from '#shared/platform/db.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { type Flow, flow, noon } from '#test/shared/assessment/flow.ts';
import { createHandler as createRecheckHandler } from '#workers/handlers/recheck.ts';

const now = noon + 6 * HOUR;

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
    t.is(await w.count('backfills'), 0);
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
  t.is(await w.count('backfills'), 1, 'there is more of it');
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
  await w.send(habit(w, 60, [30]).toReversed());
  await w.analyze();
  w.moveTo(now + 2 * MINUTE);
  let transactions = 0;
  const db = {
    ...w.services.db,
    transaction: (work: Parameters<typeof w.services.db.transaction>[0]) => {
      transactions += 1;
      if (transactions === 2 || transactions === 3) throw new Error('what nobody thought of');
      return w.services.db.transaction(work);
    },
  };
  const handler = createRecheckHandler({ ...w.services, db } as typeof w.services, new AbortController().signal);
  await handler(w.tenant);
  t.is(await w.count('backfills'), 0);
  t.regex(await w.services.metrics.registry.metrics(), /detection_failures_total\{detector="all"\} 1/);
});
