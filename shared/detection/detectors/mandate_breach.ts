import { z } from 'zod';
import type { MandateVerdict } from '#shared/assessment/verdict.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { detector, type Finding, type VerdictContext } from '#shared/detection/model/detector.ts';
import { score } from '#shared/detection/model/score.ts';
import { momentText } from '#shared/detection/model/wording.ts';
import { describeResult } from '#shared/mandates/describe.ts';
import type { ConstraintResult } from '#shared/mandates/evaluation.ts';
import { moneyText } from '#shared/mandates/money_text.ts';
import { ruleOf } from '#shared/mandates/rules.ts';

/**
 * A payment breaks a constraint of its mandate. A fault of the payment itself is reported on its own; payments beyond a budget or a number
 * of payments are reported together, once per mandate and period.
 */
export const mandateBreach = detector({
  name: 'mandate_breach',
  of_payment_alone: true,
  about: 'A payment breaks a constraint of its mandate.',
  params: z.strictObject({}),
  judge(event, { verdict }: VerdictContext) {
    const breaches = (verdict.evaluations ?? []).filter(({ result }) => result === 'breach').flatMap(breachesOf);
    return [...Map.groupBy(breaches, ({ period }) => period)].flatMap(([period, list]) => {
      const [worst] = list.toSorted((a, b) => b.score - a.score);
      return worst ? [period === null ? ofPayment(event, worst, list) : ofPeriod(event, period, worst, list)] : [];
    });
  },
});

/** `period` is that of a mandate; null: the payment itself breaks the mandate. */
type Breach = { name: string; period: string | null; score: number; text: string };

const ofPayment = ({ payment_id, chain_seq }: DetectionEvent, worst: Breach, breaches: Breach[]): Finding => ({
  score: worst.score,
  title: `Payment to {payee} breaches mandate “${worst.name}”`,
  explanation: textOf(breaches),
  subject: payment_id,
  seqs: [chain_seq],
  gathers: true,
});

const ofPeriod = (event: DetectionEvent, period: string, worst: Breach, breaches: Breach[]): Finding => ({
  score: worst.score,
  title: `Payments exceed a limit of mandate “${worst.name}”`,
  explanation:
    `${textOf(breaches)} The total of the period includes payment ${event.payment_id} at ${momentText(event.occurred_at)}. ` +
    'One alert covers the period: its related payments are those that exceeded the limit.',
  subject: period,
  seqs: [event.chain_seq],
  gathers: true,
});

const textOf = (breaches: Breach[]) => breaches.map(({ name, text }) => `Mandate “${name}”: ${text}.`).join(' ');

function breachesOf({ mandate, constraints, position, budgets }: MandateVerdict): Breach[] {
  // The mandate's own conditions come before its constraints.
  const own = constraints.length - mandate.constraints.length;
  return constraints.flatMap((result, index) => {
    if (result.result !== 'breach') return [];
    const terms = mandate.constraints[index - own];
    const in_all = budgets.find(({ constraint }) => constraint === index - own)?.in_all;
    return [
      {
        name: mandate.name,
        period: periodSubject(mandate.id, terms, position.at),
        score: scoreOf({ ...result, ...(in_all && { over: in_all.over }) }),
        text: `${describeResult(result, terms)}${in_all ? `; ${moneyText(in_all.value, terms)} with what was paid after it` : ''}`,
      },
    ];
  });
}

/** The subject of the alert about a limit of a mandate, for the period of a time (milliseconds); null where the constraint limits none. */
export function periodSubject(mandate_id: string, constraint: unknown, at: number): string | null {
  const period = ruleOf(constraint).periodName?.(at);
  return period === undefined ? null : `${mandate_id} ${period}`;
}

/** By how much a limit is exceeded; a forbidden payment is severe. */
const scoreOf = ({ over, code }: ConstraintResult): number => {
  if (over !== undefined) return Math.max(70, score(over - 1, 0.25));
  return code === 'amount_below_min' ? 70 : 90;
};
