import { z } from 'zod';
import type { MandateVerdict } from '#shared/assessment/verdict.ts';
import { detector, type VerdictContext } from '#shared/detection/model/detector.ts';
import { score } from '#shared/detection/model/score.ts';
import { describeResult } from '#shared/mandates/describe.ts';
import type { ConstraintResult } from '#shared/mandates/evaluation.ts';

/** A payment is not what its mandate allows. */
export const mandateBreach = detector({
  name: 'mandate_breach',
  about: 'A payment is not what its mandate allows.',
  params: z.strictObject({}),
  judge(event, { verdict }: VerdictContext) {
    const broken = (verdict.evaluations ?? []).filter(({ result }) => result === 'breach');
    const breaches = broken.flatMap(verdictOfMandate =>
      breachesOf(verdictOfMandate).map(breach => ({ ...breach, name: verdictOfMandate.mandate.name })),
    );
    const worst = breaches.toSorted((a, b) => b.score - a.score)[0];
    if (!worst) return null;
    return {
      score: worst.score,
      title: `A payment to {payee} breaks the mandate “${worst.name}”`,
      explanation: breaches.map(({ name, text }) => `Mandate “${name}”: ${text}.`).join(' '),
      subject: event.payment_id,
      seqs: [event.chain_seq],
    };
  },
});

const breachesOf = ({ mandate, constraints }: MandateVerdict) => {
  // What the mandate says itself comes before its constraints.
  const own = constraints.length - mandate.constraints.length;
  return constraints.flatMap((result, index) =>
    result.result === 'breach'
      ? [{ score: scoreOf(result), text: describeResult(result, mandate.constraints[index - own]) }]
      : [],
  );
};

/** By how far a limit is exceeded; what is not allowed at all is grave. */
const scoreOf = ({ over, code }: ConstraintResult): number => {
  if (over !== undefined) return Math.max(70, score(over - 1, 0.25));
  return code === 'amount_below_min' ? 70 : 90;
};
