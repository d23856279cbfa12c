import { z } from 'zod';
import type { MandateVerdict } from '#shared/assessment/verdict.ts';
import { detector, type VerdictContext } from '#shared/detection/model/detector.ts';
import { formatUsdMicro } from '#shared/values/money.ts';

/** A payment that no mandate allows, for organizations in which every agent needs one. */
export const unmandatedPayment = detector({
  name: 'unmandated_payment',
  of_payment_alone: true,
  about: 'A payment that no mandate covers.',
  off_by_default: true,
  params: z.strictObject({}),
  judge(event, { verdict }: VerdictContext) {
    if (!verdict.evaluations?.every(isUnknown)) return null;
    const [evaluation] = verdict.evaluations;
    const amount = event.usd_micro === null ? '' : ` ${formatUsdMicro(event.usd_micro)}`;
    return {
      score: 60,
      title: 'A payment without a mandate',
      explanation:
        `The agent paid {payee}${amount} ` +
        (evaluation
          ? `under the mandate ${evaluation.mandate.id}, which does not exist. `
          : 'while it had no active mandate. ') +
        'An alert is raised for every payment that no mandate allows.',
      subject: '',
      seqs: [event.chain_seq],
      gathers: true,
    };
  },
});

/** Naming a mandate that does not exist does not count as having one. */
const isUnknown = ({ mandate }: MandateVerdict) => mandate.version === 0;
