import test from 'ava';
import { noVerdict, type Verdict } from '#shared/assessment/verdict.ts';
import type { ConstraintResult } from '#shared/mandates/evaluation.ts';
import { every, HOUR, noon, play, type EventStep } from '#test/helpers/play.ts';
import { flow } from '#test/shared/assessment/flow.ts';

const DAY = 24 * HOUR;
const run = (steps: EventStep[], params = {}) =>
  play(steps, 'just_under_limit', { params: { limits_usd: ['100'], ...params } });
const under = (usd: number, count = 3, gap = 8 * HOUR) => every(gap, count, noon, { usd });

test('three payments within a day just below a limit raise an alert that says the numbers', t => {
  t.deepEqual(run(under(95, 2)), []);
  const [finding, ...more] = run(under(95));
  t.deepEqual(more, []);
  t.like(finding, {
    seq: 3,
    score: 70,
    subject: '',
    title: '3 payments within 24 h just under $100.00',
    seqs: [1, 2, 3],
  });
  t.regex(
    finding?.explanation ?? '',
    /at least \$85\.00 and below \$100\.00, the limit set for this detector; together they cost \$285\.00/,
  );
  t.true((run(under(95, 9, HOUR)).at(-1)?.score ?? 0) > 80);
});

for (const [what, usd, found] of [
  ['at the limit', 100, 0],
  ['a millionth of a dollar below it', 99.999999, 1],
  ['exactly 15 % below it', 85, 1],
  ['further below it', 84.999999, 0],
] as const)
  test(`payments ${what} are ${found ? 'just below it' : 'not just below it'}`, t => {
    t.is(run(under(usd)).length, found);
  });

test('three payments spread over a day or more are none, in whatever order they are reported', t => {
  t.deepEqual(run(under(95, 6, 12 * HOUR)), []);
  const steps = [...under(95), { at: noon + 40 * HOUR, usd: 95 }];
  t.deepEqual(run(steps.toReversed()).at(-1)?.seqs, [4, 3, 2]);
});

test('payments that failed, and payments in between, do not count', t => {
  const failed = under(95).map((step, index) => (index === 1 ? { ...step, type: 'payment.failed' as const } : step));
  t.deepEqual(run(failed), []);
  t.is(run(under(95).flatMap(step => [step, { ...step, usd: 40 }])).length, 1);
});

test('a price that a payee has got before is its price, whatever the limit', t => {
  const rents = Array.from({ length: 4 }, (_, index) => ({
    at: noon + index * HOUR,
    usd: 90 + index,
    payee_id: `pye_${index}`,
  }));
  const lastMonth = rents.map(step => ({ ...step, at: step.at - 30 * DAY }));
  t.deepEqual(run([...lastMonth.slice(0, 2), ...rents]), []);
  t.is(run([lastMonth[0] ?? { at: 0 }, ...rents]).length, 1);
});

test('an agent whose payments come close to its limit anyway is not told of; one that begins to is', t => {
  const prices = (share: number) =>
    every(6 * HOUR, 80, noon - 21 * DAY).map((step, index) => ({
      ...step,
      usd: index % 10 < share ? 86 + index / 10 : 20 + index / 2,
    }));
  const burst = every(HOUR, 3, noon).map((step, index) => ({ ...step, usd: 95 + index }));
  t.is(run([...prices(0), ...burst]).filter(({ seq }) => seq > 80).length, 1);
  t.deepEqual(
    run([...prices(6), ...burst]).filter(({ seq }) => seq > 80),
    [],
  );
});

const held = (result: Partial<ConstraintResult>): Verdict => ({
  ...noVerdict,
  evaluations: [
    {
      mandate: {
        id: 'mnd_1',
        agent_id: 'agt_1',
        version: 1,
        name: 'Supplies',
        source: 'native',
        external_ref: null,
        state: 'active',
        valid_from: null,
        valid_until: null,
        anchor: 0,
        human_presence: 'not_required',
        constraints: [],
      },
      position: { at: noon, seq: 1 },
      result: 'compliant',
      constraints: [{ type: 'payment.amount_range', result: 'compliant', observed: '9500', limit: '10000', ...result }],
      budgets: [],
      crossed: [],
    },
  ],
});

const mandated = (usd: number, result: Partial<ConstraintResult>) =>
  play(under(usd), 'just_under_limit', { verdict: held(result) });

test('payments of the last days make no habit: what goes on just below a limit is told each time', t => {
  const ordinary = every(DAY, 12, noon - 16 * DAY).map((step, index) => ({ ...step, usd: 20 + index }));
  const bursts = [0, 1, 2, 3, 4, 5, 40, 41, 42].map(hours => ({ at: noon + hours * HOUR, usd: 97 + hours / 20 }));
  t.deepEqual(
    run([...ordinary, ...bursts]).map(({ seq }) => seq),
    [15, 16, 17, 18, 21],
  );
});

test("a mandate's maximum, and the amount above which it asks for approval, are limits", t => {
  t.regex(
    mandated(95, {})[0]?.explanation ?? '',
    /\$100\.00, the most that one payment may be under the mandate “Supplies”/,
  );
  t.regex(
    mandated(95, { type: 'payment.approval_required' })[0]?.explanation ?? '',
    /human approval threshold under the mandate “Supplies”/,
  );
  t.is(mandated(0.000999, { observed: '0.0999', limit: '0.1' }).length, 1);
  t.regex(mandated(104.5, { observed: '9500' })[0]?.title ?? '', /just under \$110\.00/, 'a limit in another currency');
});

test('a payment at its limit, above it, below a minimum, or that could not be measured is not below a maximum', t => {
  t.deepEqual(mandated(100, { observed: '10000' }), []);
  t.deepEqual(mandated(101, { observed: '10100', result: 'breach', code: 'amount_above_max' }), []);
  t.deepEqual(mandated(95, { limit: '9600', result: 'breach', code: 'amount_below_min' }), []);
  t.deepEqual(mandated(95, { observed: null, result: 'unresolved' }), []);
  t.deepEqual(mandated(95, { type: 'payment.budget' }), []);
  t.deepEqual(mandated(0, { observed: '0' }), []);
});

test('how many payments, and how close to the limit, are settings', t => {
  t.is(run(under(95, 2), { least: 2 }).length, 1);
  t.deepEqual(run(under(89), { margin: 0.1 }), []);
  t.deepEqual(run(under(95), { limits_usd: [] }), []);
  t.is(run(under(95), { limits_usd: ['50', '100', '96'] }).length, 1);
});

test('payments of different amounts below what needs approval are counted together, to the cent', async t => {
  const w = await flow(t);
  await w.mandate([{ type: 'payment.approval_required', above: '10000', currency: 'USD' }]);
  const send = (...amounts: string[]) => w.send(amounts.map((cents, index) => w.pay({ cents, at: index * HOUR })));
  await send('8500', '8499', '9999', '10000');
  await w.analyze();
  t.deepEqual(await w.alerts('detector=just_under_limit'), []);
  await send('9050');
  await w.analyze();
  const [alert] = await w.alerts('detector=just_under_limit');
  t.like(alert, { score: 70, severity: 'high', title: '3 payments within 24 h just under $100.00' });
  t.is(alert.event_ids.length, 3);
});

test('a limit in another currency is told in that', async t => {
  const w = await flow(t);
  await w.mandate([{ type: 'payment.amount_range', max: '100000', currency: 'EUR' }]);
  await w.send([0, 1, 2].map(index => w.pay({ cents: '99900', currency: 'EUR', at: index * HOUR })));
  await w.analyze();
  const [alert] = await w.alerts('detector=just_under_limit');
  t.is(alert.title, '3 payments within 24 h just under €1,000.00');
  t.regex(
    alert.explanation,
    / were at most 15% below €1,000\.00 \(\$[\d,.]+\), the most that one payment may be under the mandate “\w+”; together/,
  );
});
