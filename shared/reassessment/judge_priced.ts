import { z } from 'zod';
import type { Assessor } from '#shared/assessment/assessor.ts';
import { loadStoredVerdicts } from '#shared/assessment/stored_verdicts.ts';
import { loadHoursAsOf } from '#shared/detection/backtest/hours_as_of.ts';
import { judgeRange } from '#shared/detection/consumer/judge_range.ts';
import type { Raised } from '#shared/detection/consumer/raise_alerts.ts';
import { tellFindings } from '#shared/detection/consumer/tell_findings.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { createDetectionCache } from '#shared/detection/load/detection_cache.ts';
import { loadLessons } from '#shared/detection/load/load_lessons.ts';
import { loadRange } from '#shared/detection/load/load_range.ts';
import type { EventFinding } from '#shared/detection/model/detector.ts';
import { needsOf } from '#shared/detection/model/needs.ts';
import { noSpreads, Spreads } from '#shared/detection/model/spreads.ts';
import { readAlertBudget } from '#shared/detection/settings/alert_budget.ts';
import { activeDetectors } from '#shared/detection/settings/detector_settings.ts';
import { linking } from '#shared/events/log/holding.ts';
import { readRange } from '#shared/events/ranges/load.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { type Db, sql } from '#shared/platform/db.ts';

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
  return tellFindings(tx, tenant, await withoutKnown(tx, tenant, by_price), active, now);
}

const StoredSpreads = z.object({ spreads: Spreads.nullable() });

const readSpreads = async (tx: Db, { org_id, environment }: Tenant): Promise<Spreads> =>
  (await tx.maybeOneFirst(sql.type(StoredSpreads)`
    select spreads from detection_cursors where org_id = ${org_id} and environment = ${environment}`)) ?? noSpreads();

const Finding = z.object({ detector: z.string(), event_id: z.string() });

/** The findings whose event is in no alert of their detector, whatever its state. */
async function withoutKnown(
  tx: Db,
  tenant: Tenant,
  findings: readonly EventFinding[],
): Promise<readonly EventFinding[]> {
  if (findings.length === 0) return findings;
  const { org_id, environment } = tenant;
  const rows = findings.map(({ detector, event }) => [detector, event.id]);
  const existing = await tx.any(sql.type(Finding)`
    select distinct f.detector, f.event_id
    from ${sql.unnest(rows, ['text', 'text'])} as f (detector, event_id)
    cross join lateral (
      select n.alert_id from alert_events n where ${linking(tenant, sql.fragment`f.event_id`)} offset 0) n
    cross join lateral (
      select from alerts a
      where a.org_id = ${org_id} and a.environment = ${environment} and a.id = n.alert_id and a.detector = f.detector limit 1) a`);
  const isKnown = new Set(existing.map(({ detector, event_id }) => `${detector} ${event_id}`));
  return findings.filter(({ detector, event }) => !isKnown.has(`${detector} ${event.id}`));
}
