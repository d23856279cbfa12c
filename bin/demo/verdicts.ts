import type { Client } from '#api/client/client.ts';
import { timestamp } from '#shared/values/time.ts';

/** How many events had their evidence verified, and were held against mandates, and what each came to. */
export type Verdicts = {
  verification: { verified: number; failed: number; inconclusive: number };
  mandate_evaluation: { compliant: number; breach: number; unresolved: number };
};

/** The verdicts on what occurred at `from` (milliseconds since 1970) or later, as the list of events shows them. */
export async function readVerdicts(client: Client, from: number): Promise<Verdicts> {
  const verdicts: Verdicts = {
    verification: { verified: 0, failed: 0, inconclusive: 0 },
    mandate_evaluation: { compliant: 0, breach: 0, unresolved: 0 },
  };
  const query = { from: timestamp(from) };
  for await (const { verification, mandate_evaluation } of client.list('GET /v1/events', { query })) {
    if (verification) verdicts.verification[verification.result] += 1;
    if (mandate_evaluation) verdicts.mandate_evaluation[mandate_evaluation.result] += 1;
  }
  return verdicts;
}
