import { type Db, sql } from '#shared/platform/db.ts';
import type { CatalogEntry, EventFinding } from '#shared/detection/model/detector.ts';
import { severityOfFinding } from '#shared/detection/model/score.ts';
import { newId } from '#shared/interface/ids.ts';
import type { ShadowFinding } from '#shared/detection/settings/shadow_findings.ts';
import type { Active } from '#shared/detection/settings/detector_settings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/**
 * Records findings that raise no alert because their detector is in shadow, their severity is below the floor, or one like it was closed
 * within the cooldown: one row per day (UTC), detector, agent, subject and reason, to which later findings of the day are added.
 */
export async function saveQuietFindings(
  tx: Db,
  { org_id, environment }: Tenant,
  entries: readonly QuietEntry[],
  now: number,
): Promise<void> {
  if (entries.length === 0) return;
  const rows = [...Map.groupBy(entries, keyOf)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, list]) => {
      const [first] = list;
      const { finding, event } = list.reduce((a, b) => (b.finding.score > a.finding.score ? b : a));
      if (!first) return [];
      return [
        [
          newId('shf', now),
          first.detector,
          first.dedup_agent_id,
          finding.subject,
          first.reason,
          event.agent_id,
          event.id,
          severityOfFinding(finding),
          finding.score,
          finding.title,
          finding.explanation,
          list.length,
        ],
      ];
    });
  const at = timestamp(now);
  await tx.query(sql.unsafe`
    insert into shadow_findings as f (org_id, environment, id, detector, dedup_agent_id, subject, reason, agent_id, event_id, severity, score,
      title, explanation, hits, day, created_at, last_at)
    select ${org_id}, ${environment}, r.*, ${at.slice(0, 'YYYY-MM-DD'.length)}::date, ${at}, ${at}
    from ${sql.unnest(rows, ['text', 'text', 'text', 'text', 'text', 'text', 'text', 'text', 'numeric', 'text', 'text', 'int8'])} as r
    on conflict (org_id, environment, detector, dedup_agent_id, subject, reason, day) do update set
      hits = f.hits + excluded.hits, last_at = excluded.last_at,
      agent_id = case when excluded.score > f.score then excluded.agent_id else f.agent_id end,
      event_id = case when excluded.score > f.score then excluded.event_id else f.event_id end,
      severity = case when excluded.score > f.score then excluded.severity else f.severity end,
      title = case when excluded.score > f.score then excluded.title else f.title end,
      explanation = case when excluded.score > f.score then excluded.explanation else f.explanation end,
      score = greatest(f.score, excluded.score)`);
}

/** A finding with the payee's name in its text, and the settings that apply to it. */
export type FindingEntry = EventFinding & Active<CatalogEntry>['setting'] & { dedup_agent_id: string };

/** A finding that raises no alert, and why. */
export type QuietEntry = FindingEntry & { reason: ShadowFinding['reason'] };

const keyOf = ({ detector, dedup_agent_id, finding, reason }: QuietEntry) =>
  [detector, dedup_agent_id, finding.subject, reason].join(' ');
