import test from 'ava';
import * as fc from 'fast-check';
import { newId } from '#shared/interface/ids.ts';
import { HOUR, MINUTE } from '#shared/values/time.ts';
import { budget, type Flow, flow } from './flow.ts';
import { runs } from '#test/helpers/runs.ts';

/** Mandates that look at other payments in every way there is. */
const mandates = [
  [budget(60)],
  [budget(40, 'daily', { window: 'rolling' }), { type: 'payment.velocity', max: 4, window_s: 3_600 }],
  [budget(100, 'per_mandate'), budget(30, 'hourly')],
  [{ type: 'payment.agent_recurrence', frequency: 'DAILY', max_occurrences: 3 }],
];

type Made = { id: string };
type Story = { payment: number; type: string; at: number; dollars: number }[];

/** Steps of some payments over two days, each for more or less than before. */
const stories = (types: readonly string[]) =>
  fc.array(
    fc.record({
      payment: fc.integer({ min: 1, max: 8 }),
      type: fc.constantFrom(...types),
      at: fc.integer({ min: 0, max: 47 }).map(half => half * 30 * MINUTE - 40 * HOUR),
      dollars: fc.integer({ min: 1, max: 25 }),
    }),
    { minLength: 8, maxLength: 24 },
  );

/** The same organization again and again: an agent with the mandates of these tests. */
async function agentOf(w: Flow, story: Story) {
  const agent_id = newId('agt');
  for (const constraints of mandates) await w.mandate(constraints, { agent_id });
  const prefix = newId('agt').slice(-10);
  return story.map(({ payment, type, at, dollars }, index) =>
    // A millisecond apart: which of two events of one moment came first is for the log to say.
    w.pay({
      at: at + index,
      type,
      ...(type === 'payment.requested' && { status: 'pending' }),
      cents: String(dollars * 100),
      payment_id: `${prefix}-${payment}`,
      payee: `domain:p${payment}.example.com`,
      more: { agent_id },
    }),
  );
}

const shuffled = <T>(items: readonly T[], random: readonly number[]): T[] =>
  items
    .map((item, index) => ({ item, key: random[index] ?? index }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);

const inTime = <T extends Record<string, unknown>>(events: readonly T[]): T[] =>
  events.toSorted((a, b) => (String(a['occurred_at']) < String(b['occurred_at']) ? -1 : 1));

/** Latest result of each event by the constraints that were broken or left open, in the order given; ids differ between runs. */
async function outcomes(w: Flow, events: readonly Made[]) {
  const list: string[] = [];
  for (const { id } of events) {
    const { mandate_evaluations } = await w.detail(id);
    list.push(
      mandate_evaluations
        .map(({ result, constraints }: { result: string; constraints: { type: string }[] }) =>
          [constraints.at(-1)?.type, result].join(' '),
        )
        .toSorted()
        .join(', '),
    );
  }
  return list;
}

const byTime = (a: { at: number }, b: { at: number }) => a.at - b.at;

/** Some payments are asked for before anything else is reported of them. */
const restless = stories([
  'payment.authorized',
  'payment.settled',
  'payment.refunded',
  'payment.failed',
  'payment.canceled',
  'payment.disputed',
]).map(story => {
  const firsts = [1, 2, 3].flatMap(payment => story.filter(step => step.payment === payment).toSorted(byTime)[0] ?? []);
  return [...firsts.map(step => ({ ...step, type: 'payment.requested', at: step.at - MINUTE })), ...story];
});
const random = fc.array(fc.integer(), { minLength: 27, maxLength: 27 });
const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });

test('in whatever order payments are reported, every one comes out the same in the end', async t => {
  const w = await flow(t);
  await fc.assert(
    fc.asyncProperty(restless, random, cuts, async (story, keys, sizes) => {
      const ordered = await agentOf(w, story);
      await w.send(inTime(ordered));
      await w.analyze();
      await w.recheck();
      const expected = await outcomes(w, ordered);

      const mixed = await agentOf(w, story);
      for (const [index, made] of shuffled(mixed, keys).entries()) {
        await w.send([made]);
        // Sometimes what was reopened is looked at before more comes.
        if (index % 3 === 0) await w.analyzeFresh(sizes[index % sizes.length] ?? 1);
        if (index % 5 === 0) await w.recheck();
      }
      await w.analyze();
      await w.recheck();
      t.deepEqual(await outcomes(w, mixed), expected);
    }),
    { numRuns: runs(30), endOnFailure: true },
  );
});

test('however the log is cut, and whichever process goes on, every payment comes out the same', async t => {
  const w = await flow(t);
  await fc.assert(
    fc.asyncProperty(restless, random, cuts, async (story, keys, sizes) => {
      const whole = await agentOf(w, story);
      await w.send(shuffled(whole, keys));
      await w.analyze();
      await w.recheck();
      const expected = await outcomes(w, whole);

      const cut = await agentOf(w, story);
      await w.send(shuffled(cut, keys));
      for (let turn = 0; ; turn += 1) {
        const limit = sizes[turn % sizes.length] ?? 1;
        const analyzed = await w.analyzeFresh(limit);
        if (analyzed?.events === 0) break;
        // The process of before has another turn, and has to see that the log went on without it.
        if (turn % 2 === 0) await w.analyzeOnce(limit);
      }
      await w.recheck();
      t.deepEqual(await outcomes(w, cut), expected);
    }),
    { numRuns: runs(30), endOnFailure: true },
  );
});
