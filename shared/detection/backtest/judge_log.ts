import { getHeapStatistics } from 'node:v8';
import type { Assessor } from '#shared/assessment/assessor.ts';
import { loadStoredVerdicts } from '#shared/assessment/stored_verdicts.ts';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import { loadHoursAsOf } from './hours_as_of.ts';
import { inParts, locateEvents, type BacktestSpan } from './locate.ts';
import type { BacktestPart } from './part.ts';
import { readAlertBudget } from '#shared/detection/settings/alert_budget.ts';
import { noSpreads, type Spreads } from '#shared/detection/model/spreads.ts';
import { judgeRange } from '#shared/detection/consumer/judge_range.ts';
import { readRange } from '#shared/events/ranges/load.ts';
import { loadLessons } from '#shared/detection/load/load_lessons.ts';
import { loadRange } from '#shared/detection/load/load_range.ts';
import { needsOf } from '#shared/detection/model/needs.ts';
import { createDetectionCache, type DetectionCache } from '#shared/detection/load/detection_cache.ts';
import type { Detector } from '#shared/detection/model/detector.ts';
import type { Active } from '#shared/detection/settings/detector_settings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** Events judged in one transaction; a gap of this many events between two wanted ones is not read. */
const EVENTS_AT_ONCE = 500;
/** A twelfth of the heap this process may use, at about 400 bytes a record: live detection has a third. */
const MOST_RECORDS = Math.floor(getHeapStatistics().heap_size_limit / 12 / 400);

/**
 * Replays the events of a time span through a detector, in the order of the log, each with the knowledge of when it arrived: histories,
 * first payments and hours are loaded as of then. Verdicts, screening states and lessons are the current ones. Writes nothing, and yields
 * between its parts.
 */
export async function* judgeLog(
  db: Pool,
  tenant: Tenant,
  span: BacktestSpan,
  active: Active<Detector>,
  assessor: Pick<Assessor, 'verifiers' | 'readTrust'>,
): AsyncGenerator<BacktestPart> {
  const { seqs, truncated } = yield* inParts(locateEvents(db, tenant, span));
  const cache = createDetectionCache(MOST_RECORDS);
  // The usual spreads among the organization's agents are learned anew from these events.
  const conduct = { active, assessor, cache, budget: await readAlertBudget(db, tenant), spreads: noSpreads() };
  let next = 0;
  let cursor = 0;
  let remaining = span.most_events;
  while (next < seqs.length && remaining > 0) {
    const seq = seqs[next] ?? 0;
    if (seq > cursor + EVENTS_AT_ONCE) cursor = seq - 1;
    const limit = Math.min(EVENTS_AT_ONCE, remaining, (seqs.at(-1) ?? 0) - cursor);
    const judged = await db.transaction(tx => judgePart(tx, tenant, { cursor, limit }, conduct));
    cursor = judged.last;
    remaining -= judged.events.length;
    const former = next;
    while ((seqs[next] ?? Infinity) <= cursor) next += 1;
    const wanted = new Set(seqs.subarray(former, next));
    yield {
      events: next - former,
      findings: judged.findings.filter(({ event }) => wanted.has(event.chain_seq)),
      failures: judged.failed.filter(seq => wanted.has(seq)).length,
      progress: next / seqs.length,
      truncated: truncated || (remaining <= 0 && next < seqs.length),
    };
  }
}

type With = {
  active: Active<Detector>;
  assessor: Pick<Assessor, 'verifiers' | 'readTrust'>;
  cache: DetectionCache;
  budget: number;
  spreads: Spreads;
};

async function judgePart(
  tx: Db,
  tenant: Tenant,
  { cursor, limit }: { cursor: number; limit: number },
  { active, assessor, cache, budget, spreads }: With,
) {
  await tx.query(sql.unsafe`set transaction isolation level repeatable read, read only`);
  const events = await readRange(tx, tenant, cursor, limit);
  cache.startAt(tenant, { seq: cursor, repriced: 0 });
  const range = await loadRange(tx, tenant, events, cursor, cache, needsOf([active]), loadHoursAsOf);
  const verdictOf = await loadStoredVerdicts(tx, tenant, events, assessor);
  const lessons = await loadLessons(tx, tenant, events);
  const { findings, failures } = judgeRange(events, range, verdictOf, [active], { budget, spreads, lessons });
  const last = events.at(-1)?.chain_seq ?? Infinity;
  cache.endAt(tenant, { seq: last, repriced: 0 });
  const byId = new Map(events.map(event => [event.chain_seq, event]));
  return {
    events,
    last,
    // What only goes on raises no alert.
    findings: findings.flatMap(({ event, finding }) => {
      const whole = byId.get(event.chain_seq);
      return whole && finding.goes_on === undefined ? [{ event: whole, finding }] : [];
    }),
    failed: failures.map(({ chain_seq }) => chain_seq),
  };
}
