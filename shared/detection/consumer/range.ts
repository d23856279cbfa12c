import { z } from 'zod';
import type { Assessor } from '#shared/assessment/assessor.ts';
import { assessEvents } from '#shared/assessment/assess.ts';
import type { RangeReader } from '#shared/assessment/read_ahead.ts';
import { loadBackfills, noteBackfills } from '#shared/events/ranges/backfills.ts';
import { requestReevaluations } from '#shared/events/ranges/rechecks.ts';
import { doMeanwhile, writeInTurn } from '#shared/platform/bulk.ts';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import type { Raised } from './raise_alerts.ts';
import { hoursStatement } from '#shared/detection/model/hours.ts';
import { type Failure, judgeRangeInTurns } from './judge_range.ts';
import { costOf, readRange } from '#shared/events/ranges/load.ts';
import { loadLessons } from '#shared/detection/load/load_lessons.ts';
import { loadOpen } from '#shared/detection/load/load_open.ts';
import { loadCountriesPaid } from '#shared/detection/load/load_firsts.ts';
import { loadRange } from '#shared/detection/load/load_range.ts';
import { mayBeLate, MOST_STRAYS } from '#shared/detection/model/late.ts';
import { needsOf } from '#shared/detection/model/needs.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { DetectionCache } from '#shared/detection/load/detection_cache.ts';
import { spentRecently } from '#shared/detection/load/recent_spend.ts';
import { firstsStatements } from '#shared/detection/load/save_firsts.ts';
import { saveRhythms } from './save_rhythms.ts';
import { tellFindings } from './tell_findings.ts';
import { tellLater } from './tell_later.ts';
import { spendStatement, totalsStatement } from '#shared/detection/load/totals.ts';
import { SilenceParams } from '#shared/detection/model/silence.ts';
import { silentSource } from '#shared/detection/detectors/silent_source.ts';
import { noSpreads, Spreads } from '#shared/detection/model/spreads.ts';
import type { Detector } from '#shared/detection/model/detector.ts';
import { readAlertBudget } from '#shared/detection/settings/alert_budget.ts';
import { activate, activeAmong, readSettings, settingAmong } from '#shared/detection/settings/detector_settings.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';
import { moveVersions, type Topic } from '#shared/interface/versions.ts';

/** The result of a range. `cost` is its estimate. */
export type Analyzed = { events: number; cost: number; raised: Raised[]; failures: Failure[]; jobs: Jobs['webhook'][] };

export type RangeOptions = {
  limit: number;
  /** The highest cost of a range, as computed by `costOf`; unlimited by default. */
  most_cost?: number;
  detectors: readonly Detector[];
  cache: DetectionCache;
  assessor: Assessor;
  /** Reads the next range while this one is written. */
  reader?: RangeReader;
  now: () => number;
  /** These events fail repeatedly: pass over them and record that. */
  pass_over?: true;
};

/**
 * Analyzes the next events of a log in one transaction: reads a range past the cursor, runs the detectors in order, writes alerts,
 * deliveries and the agents' baselines, and moves the cursor. Exactly once: only one process can hold the cursor's row lock. Returns null
 * when another process holds it. The cache is used only if the cursor is where this process left it.
 */
export async function analyzeRange(
  db: Pool,
  tenant: Tenant,
  { limit, most_cost, detectors, cache, assessor, reader, now, pass_over }: RangeOptions,
): Promise<Analyzed | null> {
  const rates = await assessor.rates.current();
  await reader?.settled(tenant);
  try {
    return await db.transaction(async tx => {
      const cursor = await tx.maybeOne(sql.type(Cursor)`
        select seq, repriced, spreads from detection_cursors where org_id = ${tenant.org_id} and environment = ${tenant.environment}
        for update skip locked`);
      if (!cursor) return null;
      const spreads = cursor.spreads ?? noSpreads();
      const ahead = reader?.take(tenant, { cursor: cursor.seq, limit, most_cost });
      const events = ahead?.events ?? (await readRange(tx, tenant, cursor.seq, limit, most_cost));
      const last = events.at(-1);
      if (!last) return { events: 0, cost: 0, raised: [], failures: [], jobs: [] };
      spreads.countries ??= await loadCountriesPaid(tx, tenant);
      const cost = costOf(events);
      const settings = await readSettings(tx, tenant);
      const { params } = activate(silentSource, settingAmong(silentSource, settings));
      const leave = { seq: cursor.seq, spreads, silence: SilenceParams.parse(params) };
      if (pass_over) {
        const failures = events.map(({ chain_seq }) => ({ chain_seq, detector: 'all' }));
        await writeInTurn(tx, [
          () => totalsStatement(tenant, events, []),
          () => spendStatement(tenant, events, new Map()),
        ]);
        await moveCursor(tx, tenant, events, failures, leave, now());
        return { events: events.length, cost, raised: [], failures, jobs: [] };
      }
      cache.startAt(tenant, cursor);
      assessor.books.startAt(tenant, cursor);

      // All reads come first, so that the database writes while the detectors judge.
      const active = activeAmong(detectors, settings);
      const budget = await readAlertBudget(tx, tenant);
      const learned = await loadLessons(tx, tenant, events, cache.closed);
      const lessons = { ...learned, open: await loadOpen(tx, tenant, events) };
      const range = await loadRange(tx, tenant, events, cursor.seq, cache, needsOf(active));
      const of_old = new Set(events.filter(mayBeLate).map(({ agent_id }) => agent_id));
      const late = await loadBackfills(tx, tenant, [...of_old]);
      const assessment = await assessEvents(tx, tenant, events, assessor, { now: now(), rates }, ahead);
      if (events.length >= limit || cost >= (most_cost ?? Infinity))
        reader?.begin(tenant, { cursor: last.chain_seq, limit, most_cost, in_full: assessment.read_most });
      const saving = assessment.save();
      const judged = await doMeanwhile(saving, () =>
        judgeRangeInTurns(events, range, assessment.verdictOf, active, { budget, spreads, lessons, late }),
      );
      const { mandates_changed } = await saving;
      const { findings, changes, new_pairs } = judged;
      const failures = [...assessment.failures, ...judged.failures];

      const { raised, jobs } = await tellFindings(tx, tenant, findings, active, now());
      const seqOf = new Map(findings.map(({ event }) => [event.id, event.chain_seq]));
      const raised_at = new Map(raised.map(({ alert_id, event_id }) => [alert_id, seqOf.get(event_id) ?? 0]));
      const { told } = await tellLater(tx, tenant, judged.later, alert_id => raised_at.get(alert_id) ?? 0, now());
      await writeInTurn(tx, [
        () => hoursStatement(tenant, changes),
        () => spendStatement(tenant, events, changes),
        () => totalsStatement(tenant, events, new_pairs, spentRecently(changes, now())),
        ...firstsStatements(tenant, judged),
      ]);
      await requestReevaluations(tx, tenant, assessment.late, now());
      await noteBackfills(tx, tenant, judged.late, MOST_STRAYS, now());
      const moved: Topic[] = [];
      if (findings.length > 0 || told > 0) moved.push('alerts');
      if (mandates_changed) moved.push('mandates');
      await moveVersions(tx, tenant, moved);
      await moveCursor(tx, tenant, events, failures, leave, now());
      const end = { ...cursor, seq: last.chain_seq };
      cache.endAt(tenant, end);
      assessor.books.endAt(tenant, end);
      return { events: events.length, cost, raised, failures, jobs };
    });
  } catch (error) {
    // Its histories and books include events that were not recorded as analyzed.
    cache.drop(tenant);
    assessor.books.drop(tenant);
    throw error;
  }
}

const Cursor = z.object({ seq: z.number(), repriced: z.number(), spreads: Spreads.nullable() });

/** Moves the cursor past the range, saves what was learned, and records when it was analyzed and the events that a detector failed on. */
async function moveCursor(
  tx: Db,
  { org_id, environment }: Tenant,
  events: readonly DetectionEvent[],
  failures: Failure[],
  { seq: cursor, spreads, silence }: { seq: number; spreads: Spreads; silence: SilenceParams },
  now: number,
) {
  const to_seq = cursor + events.length;
  const at = timestamp(now);
  const sources = [...Map.groupBy(events, event => event.source_id)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const last_arrivals = sources.map(([source_id, list]) => [
    source_id,
    timestamp(Math.max(...list.map(event => event.received_at))),
  ]);
  await tx.query(sql.unsafe`
    with range as (
      insert into analyzed_ranges (org_id, environment, to_seq, from_seq, analyzed_at, failures)
      values (${org_id}, ${environment}, ${to_seq}, ${cursor + 1}, ${at}, ${failures.length > 0 ? JSON.stringify(failures) : null}::jsonb)
    ), used as (
      update sources s set last_event_at = greatest(s.last_event_at, u.at)
      from ${sql.unnest(last_arrivals, ['text', 'timestamptz'])} as u (id, at)
      where s.org_id = ${org_id} and s.environment = ${environment} and s.id = u.id
    )
    update detection_cursors
    set seq = ${to_seq}, repriced_known = repriced, moved_at = ${at}, spreads = ${JSON.stringify(spreads)}::jsonb
    where org_id = ${org_id} and environment = ${environment}`);
  await saveRhythms(tx, { org_id, environment }, events, silence, now);
}
