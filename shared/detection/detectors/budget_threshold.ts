import { z } from 'zod';
import { detector, type Finding, type VerdictContext } from '#shared/detection/model/detector.ts';
import { describeResult } from '#shared/mandates/describe.ts';

/** A budget of a mandate is nearly used up, or used up: told once a period for each threshold. */
export const budgetThreshold = detector({
  name: 'budget_threshold',
  about: 'A budget of a mandate is nearly used up, or used up.',
  params: z.strictObject({}),
  judge(event, { verdict }: VerdictContext) {
    return (verdict.evaluations ?? []).flatMap(({ mandate, constraints, crossed }) =>
      crossed.flatMap(({ constraint, percent }): Finding[] => {
        const terms = mandate.constraints[constraint];
        const result = constraints[constraints.length - mandate.constraints.length + constraint];
        if (!terms || !result) return [];
        const used = percent >= 100 ? 'is used up' : `is used to ${percent} %`;
        return [
          {
            score: percent >= 100 ? 70 : 40,
            title: `A budget of the mandate “${mandate.name}” ${used}`,
            explanation: `Mandate “${mandate.name}”: ${describeResult(result, terms)}. An alert is raised at 80 % and at 100 %, once each a period.`,
            subject: mandate.id,
            seqs: [event.chain_seq],
          },
        ];
      }),
    );
  },
});
