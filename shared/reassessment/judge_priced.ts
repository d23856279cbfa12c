import type { Assessor } from '#shared/assessment/assessor.ts';
import { loadStoredVerdicts } from '#shared/assessment/stored_verdicts.ts';
import { loadHoursAsOf } from '#shared/detection/backtest/hours_as_of.ts';
import { readSpreads } from '#shared/detection/consumer/cursor.ts';
import { judgeRange } from '#shared/detection/consumer/judge_range.ts';
import type { Raised } from '#shared/detection/consumer/raise_alerts.ts';
import { tellFindings } from '#shared/detection/consumer/tell_findings.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { createDetectionCache } from '#shared/detection/load/detection_cache.ts';
import { loadLessons } from '#shared/detection/load/load_lessons.ts';
import { loadRange } from '#shared/detection/load/load_range.ts';
import { needsOf } from '#shared/detection/model/needs.ts';
import { readAlertBudget } from '#shared/detection/settings/alert_budget.ts';
import { activeDetectors } from '#shared/detection/settings/detector_settings.ts';
import { readRange } from '#shared/events/ranges/load.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Db } from '#shared/platform/db.ts';
import { withoutTold } from './without_told.ts';

const byPrice = new Set(detectors.filter(({ by_price }) => by_price).map(({ name }) => name));

/**
 * Judges newly priced events again, each with the knowledge of when it arrived, as if it had had its price then. All detectors look, since
 * a payment is reported for its strongest reason; only findings that depend on the price are reported, once per event and detector. Nothing
 * is learned again. `chain_seqs` are in order and close together; the caller holds the log's cursor.
 */
export async function judgePriced(
  tx: Db,
  tenant: Tenant,
  chain_seqs: readonly number[],
  assessor: Pick<Assessor, 'verifiers' | 'readTrust'>,
  now: number,
): Promise<{ raised: Raised[]; jobs: Jobs['webhook'][] }> {
  const cursor = (chain_seqs[0] ?? 0) - 1;
  const between = await readRange(tx, tenant, cursor, (chain_seqs.at(-1) ?? 0) - cursor);
  const priced = new Set(chain_seqs);
  // A finding on conduct from a price is about the agent that paid.
  const agents = new Set(between.flatMap(({ agent_id, chain_seq }) => (priced.has(chain_seq) ? [agent_id] : [])));
  const events = between.filter(({ agent_id }) => agents.has(agent_id));
  const active = await activeDetectors(tx, tenant, detectors);
  const range = await loadRange(tx, tenant, events, cursor, createDetectionCache(), needsOf(active), loadHoursAsOf);
  const verdictOf = await loadStoredVerdicts(tx, tenant, events, assessor);
  const { findings } = judgeRange(events, range, verdictOf, active, {
    budget: await readAlertBudget(tx, tenant),
    spreads: await readSpreads(tx, tenant),
    lessons: await loadLessons(tx, tenant, events),
  });
  const by_price = findings.filter(({ detector, event }) => byPrice.has(detector) && priced.has(event.chain_seq));
  return tellFindings(tx, tenant, await withoutTold(tx, tenant, by_price), active, now);
}
