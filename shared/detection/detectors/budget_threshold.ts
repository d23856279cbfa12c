import { z } from 'zod';
import { detector, type Finding, type VerdictContext } from '#shared/detection/model/detector.ts';
import { describeResult } from '#shared/mandates/describe.ts';

/** A mandate's budget is nearly or fully used: reported once per period for each threshold. */
export const budgetThreshold = detector({
  name: 'budget_threshold',
  of_payment_alone: true,
  about: 'A mandate’s budget is nearly or fully used.',
  params: z.strictObject({}),
  // Each threshold is told of once per period anyway.
  cooldown_s: 0,
  judge(event, { verdict }: VerdictContext) {
    return (verdict.evaluations ?? []).flatMap(({ mandate, constraints, crossed }) =>
      crossed.flatMap(({ constraint, percent }): Finding[] => {
        const terms = mandate.constraints[constraint];
        const result = constraints[constraints.length - mandate.constraints.length + constraint];
        if (!terms || !result) return [];
        const used = percent >= 100 ? 'is fully used' : `is ${percent}% used`;
        return [
          {
            score: percent >= 100 ? 70 : 40,
            title: `A budget of mandate “${mandate.name}” ${used}`,
            explanation: `Mandate “${mandate.name}”: ${describeResult(result, terms)}. An alert is raised at 80% and at 100%, once each per period.`,
            subject: mandate.id,
            seqs: [event.chain_seq],
          },
        ];
      }),
    );
  },
});
