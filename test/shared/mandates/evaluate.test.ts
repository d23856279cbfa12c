import test from 'ava';
import * as fc from 'fast-check';
import { constraintTypes } from '#shared/mandates/constraints.ts';
import type { JudgedMandate } from '#shared/mandates/evaluation.ts';
import { event, hold, judge, time, verdict } from './held.ts';
import { runs } from '#test/helpers/runs.ts';

const AT = event.occurred_at;
const max = (max: string) => ({ type: 'payment.amount_range', max, currency: 'USD' });
const unknown = { type: 'checkout.line_items', items: [] };

test('the worst constraint is the result, and none is left out', t => {
  const whole = (constraints: JudgedMandate['constraints']) => hold({ constraints }, {}).result;
  t.is(whole([]), 'compliant');
  t.is(whole([max('1000')]), 'compliant');
  t.is(whole([max('1000'), unknown]), 'unresolved');
  const evaluation = hold({ constraints: [unknown, max('999'), max('1000'), unknown] }, {});
  t.is(evaluation.result, 'breach');
  t.deepEqual(
    evaluation.constraints.map(({ type, result }) => [type, result]),
    [
      ['checkout.line_items', 'unresolved'],
      ['payment.amount_range', 'breach'],
      ['payment.amount_range', 'compliant'],
      ['checkout.line_items', 'unresolved'],
    ],
  );
});

const terms: [what: string, terms: Partial<JudgedMandate>, expected: string[]][] = [
  ['active', {}, []],
  ['used up', { state: 'exhausted' }, []],
  ['paused', { state: 'paused' }, ['mandate.state mandate_inactive']],
  ['revoked', { state: 'revoked' }, ['mandate.state mandate_inactive']],
  ['of another agent', { agent_id: 'agt_2' }, ['mandate.agent agent_not_allowed']],
  ['valid from this millisecond', { valid_from: AT }, []],
  ['valid a millisecond later', { valid_from: AT + 1 }, ['mandate.validity mandate_inactive']],
  ['valid for one more millisecond', { valid_until: AT + 1 }, []],
  ['expired this millisecond', { valid_until: AT }, ['mandate.validity mandate_expired']],
  ['of no time there is', { valid_from: 1e300, valid_until: -1e300 }, ['mandate.validity mandate_inactive']],
  ['with a person present', { human_presence: 'required' }, ['mandate.human_presence approval_missing']],
];

for (const [what, given, expected] of terms)
  test(`a mandate that is ${what} says so`, t => {
    const { result, constraints } = hold(given, {});
    const breaches = constraints
      .filter(({ result }) => result !== 'compliant')
      .map(({ type, code }) => `${type} ${code}`);
    t.deepEqual(breaches, expected);
    t.is(result, expected.length > 0 ? 'breach' : 'compliant');
  });

test('a mandate is judged at the time of the payment, not at that of the event', t => {
  const given = { valid_until: time('2026-11-20T10:00:00Z') };
  t.is(
    hold(given, { occurred_at: time('2026-11-22T10:00:00Z') }, { at: '2026-11-20T09:59:59.999Z' }).result,
    'compliant',
  );
});

test('a person who is present, or signed evidence of approval, satisfies a mandate that needs a person', t => {
  const required = { human_presence: 'required' } as const;
  t.is(hold(required, { human_present: true }).result, 'compliant');
  t.is(hold(required, { human_present: false }).result, 'breach');
  t.is(hold(required, { evidence_kinds: ['psp.webhook'] }).result, 'breach');
  t.is(hold(required, { evidence_kinds: ['psp.webhook', 'ap2.payment_mandate'] }).result, 'compliant');
});

test('a constraint of another vocabulary, and one with other parameters, is left open', t => {
  t.is(verdict('unheard_of', {}), 'unresolved unknown_constraint');
  t.is(verdict('budget', { max: 1.5, currency: 'USD' }), 'unresolved unknown_constraint');
  t.is(verdict('allowed_payees', { allowed: [{ id: 'm1' }] }), 'unresolved unknown_constraint');
  t.is(verdict('allowed_rails', { values: ['card'], more: 1 }), 'unresolved unknown_constraint');
});

test('which checkout a payment belongs to cannot be told from its report', t => {
  t.like(judge('reference', { hash: 'abc' }), { result: 'unresolved', code: 'reference_not_comparable', limit: 'abc' });
});

const parameter = fc.constantFrom(
  ...'min max currency asset interval window tz frequency max_occurrences window_s payees ids mcc values assets'.split(
    ' ',
  ),
  ...'not_before not_after days from to prefixes above hash type __proto__'.split(' '),
);
const value = fc.oneof(
  fc.constantFrom(
    '1',
    'USD',
    'UTC',
    'daily',
    'rolling',
    '09:00',
    'DAILY',
    'Mars/Olympus',
    '9'.repeat(500),
    2 ** 60,
    -1,
  ),
  fc.constantFrom(['5411'], ['DE'], ['mon'], [{ domain: 'a.example' }], { network: 'base', address: '0x' }),
  fc.jsonValue(),
);

test('whatever a constraint holds, every payment gets an answer', t => {
  const garbage = fc.oneof(
    fc.jsonValue(),
    fc
      .tuple(fc.constantFrom(...constraintTypes), fc.dictionary(parameter, value))
      .map(([type, parameters]) => ({ ...parameters, type })),
  );
  fc.assert(
    fc.property(fc.array(garbage, { maxLength: 5 }), garbage => {
      const { constraints, result } = hold({ constraints: garbage as JudgedMandate['constraints'] }, {});
      t.is(constraints.length, garbage.length);
      t.true(['compliant', 'breach', 'unresolved'].includes(result));
    }),
    { numRuns: runs(2_000) },
  );
});
