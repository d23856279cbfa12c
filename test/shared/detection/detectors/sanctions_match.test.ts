import test from 'ava';
import { noVerdict } from '#shared/assessment/verdict.ts';
import { emptyRange } from '#test/worlds/empty_range.ts';
import { judgeRange } from '#shared/detection/consumer/judge_range.ts';
import { ALERT_BUDGET } from '#shared/detection/settings/alert_budget.ts';
import { noSpreads } from '#shared/detection/model/spreads.ts';
import type { ScreenedPayee } from '#shared/detection/model/payees.ts';
import { sanctionsMatch } from '#shared/detection/detectors/sanctions_match.ts';
import { withDefaults } from '#shared/detection/settings/detector_settings.ts';
import { events, noon, type EventStep } from '#test/helpers/play.ts';

/** The findings of payments to a payee of which screening says this. */
function run(screening: ScreenedPayee | null, steps: EventStep[] = [{ at: noon }]) {
  const list = events(steps);
  const range = emptyRange(list, id => ({ key: `merchant:test:${id}` }));
  for (const state of range.payees.states.values()) state.screening = screening;
  return judgeRange(list, range, () => noVerdict, [withDefaults(sanctionsMatch)], {
    budget: ALERT_BUDGET,
    spreads: noSpreads(),
  }).findings.map(({ finding }) => finding);
}

test('a payee that may be on a sanctions list is critical, scored by how well it matches', t => {
  const [finding] = run({ state: 'potential_match', score: '0.8765', match: 'Ocean Shipping Ltd' });
  t.like(finding, { score: 87.7, severity: 'critical', subject: 'pye_1', title: '{payee} may be on a sanctions list' });
  t.regex(
    finding?.explanation ?? '',
    /matches “Ocean Shipping Ltd” with a score of 87\.7 of 100\. Nobody had reviewed the match/,
  );
});

test('a confirmed match says so, and one without a score is an exact one', t => {
  const [finding] = run({ state: 'confirmed_match', score: null, match: null });
  t.like(finding, { score: 100, severity: 'critical', title: '{payee} is on a sanctions list' });
});

test('what pays or is to pay raises it, what undoes a payment does not', t => {
  const found = (type: EventStep['type'] & string) =>
    run({ state: 'potential_match', score: '0.9', match: null }, [{ at: noon, type }]).length;
  for (const type of ['payment.requested', 'payment.authorized', 'payment.settled'] as const) t.is(found(type), 1);
  for (const type of ['payment.failed', 'payment.canceled', 'payment.refunded'] as const) t.is(found(type), 0);
  t.deepEqual(run(null), []);
});
