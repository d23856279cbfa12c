import test from 'ava';
import { type MandateVerdict, noVerdict, type Run, type Verdict } from '#shared/assessment/verdict.ts';
import { budgetThreshold } from '#shared/detection/detectors/budget_threshold.ts';
import type { VerdictDetector } from '#shared/detection/model/detector.ts';
import { mandateBreach } from '#shared/detection/detectors/mandate_breach.ts';
import { replayedAuthorization } from '#shared/detection/detectors/replayed_authorization.ts';
import { unmandatedPayment } from '#shared/detection/detectors/unmandated_payment.ts';
import { verificationFailed } from '#shared/detection/detectors/verification_failed.ts';
import type { ConstraintResult } from '#shared/mandates/evaluation.ts';
import type { Check } from '#shared/verification/verifier.ts';
import { events, noon } from '#test/helpers/play.ts';

const [event] = events([{ at: noon }]);

/** What a detector says of a verdict. */
function judge(detector: VerdictDetector, verdict: Partial<Verdict>) {
  if (!event) throw new Error('unreachable');
  const context = { verdict: { ...noVerdict, ...verdict } };
  return [detector.judge(event, context, detector.params.parse({})) ?? []].flat();
}

const failing = (name: string, code: string): Check => ({ name, result: 'fail', code, detail: 'It is not.' });

const run = (...checks: Check[]): Run => ({
  evidence_id: 'evd_1',
  kind: 'x402_authorization',
  result: checks.some(({ result }) => result === 'fail') ? 'failed' : 'verified',
  checks,
  verifier_version: '1',
});

const failed = (...checks: Check[]) => ({
  verification: { result: 'failed' as const, kind: 'x402_authorization' as const, runs: [run(...checks)] },
});

const limit: ConstraintResult = { type: 'payment.budget', result: 'breach', observed: '0', limit: '0' };

const evaluation = (constraint: Partial<ConstraintResult>, more: Partial<MandateVerdict> = {}): MandateVerdict => ({
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
    constraints: [
      { type: 'payment.budget', max: '1000', currency: 'USD', interval: 'daily', window: 'calendar', tz: 'UTC' },
    ],
  },
  position: { at: noon, seq: 1 },
  result: constraint.result ?? 'breach',
  constraints: [{ ...limit, ...constraint }],
  budgets: [],
  crossed: [],
  ...more,
});

for (const [name, code, score] of [
  ['signature', 'invalid_signature', 90],
  ['issuer_signature', 'mandate_invalid_signature', 90],
  ['single_use', 'nonce_reused', 90],
  ['amount', 'amount_mismatch', 75],
  ['transfer', 'settlement_log_mismatch', 75],
] as const)
  test(`evidence that fails by ${code} has a score of ${score}`, t => {
    const [finding] = judge(verificationFailed, failed(failing(name, code)));
    t.is(finding?.score, score);
    t.is(finding?.subject, 'pay_1');
    t.regex(finding?.explanation ?? '', new RegExp(`“${name.replaceAll('_', ' ')}” failed \\(${code}\\): It is not`));
  });

test('evidence that is verified, open, or not there is nothing to tell of', t => {
  const pass: Check = { name: 'signature', result: 'pass' };
  t.deepEqual(judge(verificationFailed, {}), []);
  t.deepEqual(
    judge(verificationFailed, { verification: { result: 'verified', kind: 'x402_authorization', runs: [run(pass)] } }),
    [],
  );
});

test('a replay is told of with the events of both payments', t => {
  const replays = [{ code: 'nonce_reused', scope: 'x402_nonce', payment_id: 'pay_0', chain_seq: 7 }];
  const [finding] = judge(replayedAuthorization, { replays });
  t.like(finding, { score: 95, subject: 'pay_1', seqs: [1, 7] });
  t.regex(finding?.explanation ?? '', /used before, in payment pay_0/);
  t.deepEqual(judge(replayedAuthorization, {}), []);
});

for (const [what, constraint, score] of [
  ['a limit by a little', { code: 'budget_exceeded', over: 1.01 }, 70],
  ['a limit half as much again', { code: 'budget_exceeded', over: 1.5 }, 75],
  ['a limit by far', { code: 'budget_exceeded', over: 3 }, 99.6],
  ['what is not allowed at all', { code: 'payee_not_allowed' }, 90],
  ['a minimum', { code: 'amount_below_min' }, 70],
] as const)
  test(`a payment that breaks ${what} has a score of ${score}`, t => {
    t.is(judge(mandateBreach, { evaluations: [evaluation(constraint)] })[0]?.score, score);
  });

test('a payment that breaks several mandates is one finding, which names them all and is as grave as the worst', t => {
  const evaluations = [evaluation({ over: 1.01 }), evaluation({ over: 3 }), evaluation({ result: 'unresolved' })];
  const [finding, ...others] = judge(mandateBreach, { evaluations });
  t.is(others.length, 0);
  t.is(finding?.score, 99.6);
  t.is(finding?.explanation.match(/Mandate “Supplies”/g)?.length, 2);
});

test('a payment within its mandates, or under none, breaks nothing', t => {
  for (const evaluations of [null, [], [evaluation({ result: 'compliant' })], [evaluation({ result: 'unresolved' })]])
    t.deepEqual(judge(mandateBreach, { evaluations }), []);
});

test('a payment is without a mandate when none applies, not when nothing is held against mandates', t => {
  t.is(judge(unmandatedPayment, { evaluations: [] })[0]?.score, 60);
  t.deepEqual(judge(unmandatedPayment, { evaluations: null }), []);
  t.deepEqual(judge(unmandatedPayment, { evaluations: [evaluation({})] }), []);
  t.true(unmandatedPayment.off_by_default);
});

test('a payment that names a mandate there is not is one without a mandate', t => {
  const { mandate } = evaluation({});
  const unknown = evaluation({}, { result: 'unresolved', mandate: { ...mandate, id: 'mnd_9', version: 0 } });
  const [finding] = judge(unmandatedPayment, { evaluations: [unknown] });
  t.is(
    finding?.explanation,
    'The agent paid {payee} $10.00 under the mandate mnd_9, which does not exist. An alert is raised for every payment that no mandate allows.',
  );
});

test('thresholds of a budget that are crossed are told with what was used', t => {
  const use = { constraint: 0, period: 'all', before: 7_900, after: 10_000 };
  const crossed = [80, 100].map(percent => ({ ...use, percent }));
  const used = { result: 'compliant' as const, observed: '1000', limit: '1000' };
  const findings = judge(budgetThreshold, { evaluations: [evaluation(used, { crossed })] });
  t.deepEqual(
    findings.map(({ score, subject }) => [score, subject]),
    [
      [40, 'mnd_1'],
      [70, 'mnd_1'],
    ],
  );
  t.regex(findings[1]?.explanation ?? '', /\$10\.00.*\$10\.00/);
  t.deepEqual(judge(budgetThreshold, { evaluations: [evaluation(used)] }), []);
});
