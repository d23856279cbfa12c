import { loadCurrent } from '#shared/assessment/current.ts';
import { type Assessed, saveVerdicts, type Summary } from '#shared/assessment/save_verdicts.ts';
import type { Changed } from './tell_changes.ts';
import type { MandateVerdict } from '#shared/assessment/verdict.ts';
import type { Db } from '#shared/platform/db.ts';
import type { LoggedEvent } from '#shared/events/ranges/load.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/**
 * Writes evaluations of events that were assessed before; the summary is then the worst of these and of what holds by other mandates.
 * Returns the events and what is new of them.
 */
export async function saveEvaluated(
  tx: Db,
  tenant: Tenant,
  events: readonly LoggedEvent[],
  verdicts: ReadonlyMap<number, readonly MandateVerdict[]>,
  now: number,
): Promise<Changed[]> {
  const current = await loadCurrent(tx, tenant, [...verdicts.keys()]);
  const changed: Changed[] = [];
  const assessed: Assessed[] = [];
  for (const event of events) {
    const evaluations = verdicts.get(event.chain_seq);
    if (!evaluations || evaluations.length === 0) continue;
    const stored = current.get(event.chain_seq);
    const results = new Map(stored?.results);
    for (const { mandate, result } of evaluations) results.set(mandate.id, result);
    const before = stored?.summary ?? null;
    assessed.push({ event, runs: [], evaluations, before, after: { ...(before ?? nothing), ...worst(results) } });
    changed.push({ event, verdict: { verification: null, replays: [], evaluations: [...evaluations] } });
  }
  await saveVerdicts(tx, tenant, assessed, now);
  return changed;
}

const nothing: Summary = {
  verification_result: null,
  verification_kind: null,
  mandate_result: null,
  mandate_id: null,
};

/** The worst result, and the mandate it is by. */
function worst(
  results: ReadonlyMap<string, Summary['mandate_result']>,
): Pick<Summary, 'mandate_result' | 'mandate_id'> {
  for (const result of ['breach', 'unresolved', 'compliant'] as const) {
    const worst_result = [...results].toSorted(([a], [b]) => (a < b ? -1 : 1)).find(([, each]) => each === result);
    if (worst_result) return { mandate_id: worst_result[0], mandate_result: result };
  }
  return { mandate_id: null, mandate_result: null };
}
