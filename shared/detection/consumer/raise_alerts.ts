import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { updateIncidents } from '#shared/casework/update_incidents.ts';
import { addEvents } from '#shared/casework/count_events.ts';
import { holdIncidents } from '#shared/casework/incident_state.ts';
import { linkEvents, linksOf } from './link_events.ts';
import { type Change, growAlerts, insertAlerts } from './write_alerts.ts';
import { type FindingEntry, type QuietEntry, saveQuietFindings } from './quiet_findings.ts';
import { joinEpisodes, type Joined } from '#shared/detection/conduct/episodes.ts';
import { loadEpisodes, spanOfConduct } from './load_episodes.ts';
import { nameFindings } from './name_findings.ts';
import { isWorse, type Weight, weightOf } from '#shared/detection/model/counted.ts';
import type { CatalogEntry, EventFinding } from '#shared/detection/model/detector.ts';
import { isBelow, severityOfFinding } from '#shared/detection/model/score.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Active } from '#shared/detection/settings/detector_settings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';

export type Raised = { alert_id: string; event_id: string; detector: string };

/** How much higher the score must be to raise an alert within the cooldown. */
export const WORSE_BY = 20;

/**
 * Turns findings into alerts. There is one live alert per detector, agent and subject, of conduct per episode (see `joinEpisodes`): while it is open, acknowledged or escalated,
 * findings are added to it and its text, score and, of conduct, detector become those of the worst; after it is closed, a new one is raised only after the
 * detector's cooldown or with a score higher by 20. `linkEvents` links its events. Findings in shadow, below the floor or within the cooldown are only recorded.
 * Returns the new alerts. Runs in the transaction that moves the cursor. `active` are the detectors with the tenant's settings.
 */
export async function raiseAlerts(
  tx: Db,
  tenant: Tenant,
  findings: readonly EventFinding[],
  active: readonly Active<CatalogEntry>[],
  now: number,
): Promise<Raised[]> {
  if (findings.length === 0) return [];
  const named = await nameFindings(tx, tenant, findings);
  const settings = new Map(active.map(each => [each.detector.name, each]));
  const cooldown = Math.max(0, ...active.map(({ setting }) => setting.cooldown_s)) * SECOND;
  const episodes = await loadEpisodes(tx, tenant, findings, now - cooldown);
  const standsAlone = (detector: string) => {
    const set = settings.get(detector);
    return !set || set.setting.shadow || set.detector.whichever_agent === true;
  };
  const entries = joinEpisodes(findings, episodes, standsAlone).flatMap(
    ({ detector, event, finding, told_as }): ToldEntry[] => {
      const setting = settings.get(detector);
      if (!setting) return [];
      return [{ detector, event, finding: named({ event, finding }), told_as, ...rulesOf(setting, event) }];
    },
  );
  const quiet = entries.flatMap(entry => {
    const reason = quietReason(entry);
    return reason ? [{ ...entry, reason }] : [];
  });
  const { raised, cooling } = await saveAlerts(
    tx,
    tenant,
    entries.filter(entry => !quietReason(entry)),
    now,
  );
  await saveQuietFindings(
    tx,
    tenant,
    [...quiet, ...cooling.map(entry => ({ ...entry, reason: 'cooldown' as const }))],
    now,
  );
  return raised;
}

function quietReason({ finding, shadow, severity_floor }: FindingEntry): QuietEntry['reason'] | null {
  if (shadow) return 'shadow';
  return isBelow(severityOfFinding(finding), severity_floor) ? 'below_floor' : null;
}

type ToldEntry = Joined<FindingEntry>;

const rulesOf = ({ detector, setting }: Active<CatalogEntry>, { agent_id }: EventFinding['event']) => ({
  ...setting,
  dedup_agent_id: detector.whichever_agent ? '' : agent_id,
});

/** Returns the new alerts, and the findings that raised none because one like it was closed within the cooldown. */
async function saveAlerts(
  tx: Db,
  tenant: Tenant,
  entries: readonly ToldEntry[],
  now: number,
): Promise<{ raised: Raised[]; cooling: ToldEntry[] }> {
  if (entries.length === 0) return { raised: [], cooling: [] };
  const groups = [...Map.groupBy(entries, keyOf)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const firsts = groups.flatMap(([, [first]]) => first ?? []);
  await holdIncidents(tx, tenant);
  const earlier = new Map((await loadEarlierAlerts(tx, tenant, firsts, now)).map(row => [keyOfRow(row), row]));
  const merged = groups.map(([key, list]) => ({ list, change: merge(list, earlier.get(key), now) }));
  const changes = merged.flatMap(({ list, change }) =>
    change ? [{ ...change, found_at: foundAt(change, list) }] : [],
  );
  const incidents = await updateIncidents(tx, tenant, changes, now);
  await insertAlerts(
    tx,
    tenant,
    changes.filter(({ is_new }) => is_new),
    incidents,
    now,
  );
  await growAlerts(
    tx,
    tenant,
    changes.filter(({ is_new, is_graver, conduct_at }) => !is_new && (is_graver || conduct_at !== null)),
  );
  const linked = await linkEvents(tx, tenant, changes);
  await addEvents(
    tx,
    tenant,
    linked.map(link => ({ ...link, incident_id: incidents.get(link.alert_id) ?? '' })),
  );
  return {
    raised: changes
      .filter(({ is_new }) => is_new)
      .map(({ alert_id, event_id, detector }) => ({ alert_id, event_id, detector })),
    cooling: merged.flatMap(({ list, change }) => (change ? list.slice(0, placeOf(change, list)) : list)),
  };
}

/** The positions of the findings that the alert reports: for a new one, from the event that raised it. */
const foundAt = (change: Change, list: readonly FindingEntry[]) =>
  list.slice(placeOf(change, list)).map(({ event }) => event.chain_seq);

const placeOf = ({ event_id }: Change, list: readonly FindingEntry[]) =>
  list.findIndex(({ event }) => event.id === event_id);

const keyOf = ({ detector, dedup_agent_id, finding }: FindingEntry) =>
  `${detector} ${dedup_agent_id} ${finding.subject}`;
const keyOfRow = ({ detector, dedup_agent_id, subject }: EarlierAlert) => `${detector} ${dedup_agent_id} ${subject}`;

const EarlierAlert = z.object({
  id: z.string(),
  detector: z.string(),
  dedup_agent_id: z.string(),
  subject: z.string(),
  score: z.number(),
  payments: z.number(),
  counted_until: z.number().nullable(),
  counted_mark: z.number().nullable(),
  live: z.boolean(),
});
type EarlierAlert = z.infer<typeof EarlierAlert>;

/** The live alert of each group, locked, or else the one closed within the cooldown. */
function loadEarlierAlerts(tx: Db, { org_id, environment }: Tenant, firsts: readonly FindingEntry[], now: number) {
  const keys = firsts.map(({ detector, dedup_agent_id, finding, cooldown_s }) => [
    detector,
    dedup_agent_id,
    finding.subject,
    timestamp(now - cooldown_s * SECOND),
  ]);
  return tx.any(sql.type(EarlierAlert)`
    with keys as (
      select * from ${sql.unnest(keys, ['text', 'text', 'text', 'timestamptz'])} as k (detector, dedup_agent_id, subject, closed_after)
    ), live as (
      select a.id, a.detector, a.dedup_agent_id, a.subject, a.score::float8 as score, a.payments, a.counted_until,
        a.counted_mark, true as live
      from keys k join alerts a using (detector, dedup_agent_id, subject)
      where a.org_id = ${org_id} and a.environment = ${environment} and a.state in ('open', 'acknowledged', 'escalated')
      order by a.id
      for update of a
    )
    select * from live
    union all
    select c.id, k.detector, k.dedup_agent_id, k.subject, c.closed_score::float8, 0, null, null, false
    from keys k cross join lateral (
      select a.id, a.closed_score from alerts a
      where a.org_id = ${org_id} and a.environment = ${environment} and a.detector = k.detector
        and a.dedup_agent_id = k.dedup_agent_id and a.subject = k.subject and a.state in ('resolved', 'dismissed')
        and a.closed_at > k.closed_after
      order by a.closed_at desc limit 1) c
    where not exists (
      select from live l where l.detector = k.detector and l.dedup_agent_id = k.dedup_agent_id and l.subject = k.subject)`);
}

/** What findings of one subject make of its alert, or of a new one; null within the cooldown, where none is worse than what was closed. */
function merge(list: ToldEntry[], alert: EarlierAlert | undefined, now: number): Change | null {
  const live = alert?.live ? alert : undefined;
  // Within the cooldown, the first event to cross the line raises the alert.
  const first = alert && !live ? list.findIndex(({ finding }) => finding.score >= alert.score + WORSE_BY) : 0;
  const reported = first < 0 ? [] : list.slice(first);
  const [trigger] = reported;
  if (!trigger || (!live && reported.every(({ finding }) => finding.goes_on !== undefined))) return null;
  const graver = worstInTurn(reported, live ?? { score: -1, payments: 0 });
  const words = graver.at(-1);
  const { finding } = words ?? trigger;
  return {
    is_new: !live,
    is_graver: graver.length > 0,
    payments_before: live?.payments ?? 0,
    mark_before: live ? markBefore(live) : null,
    alert_id: live?.id ?? newId('alr', now),
    event_id: trigger.event.id,
    agent_id: trigger.event.agent_id,
    dedup_agent_id: trigger.dedup_agent_id,
    ...(words?.told_as ?? { detector: trigger.detector, subject: trigger.finding.subject }),
    raised_by: trigger.detector,
    told_by: new Set(graver.map(({ told_as }) => told_as.detector)),
    told_before: live ?? null,
    severity: severityOfFinding(finding),
    title: finding.title,
    explanation: finding.explanation,
    ...weightOf(finding),
    ...linksOf(reported, graver),
    ...spanOfConduct(reported),
  };
}

const markBefore = ({ counted_until: until, counted_mark: mark, score }: EarlierAlert) =>
  until === null || mark === null ? null : { until, mark, score };

/** The findings that replaced the text in turn. */
function worstInTurn(list: readonly ToldEntry[], before: Weight): ToldEntry[] {
  let weight = before;
  return list.filter(({ finding }) => {
    const worse = isWorse(finding, weight);
    if (worse) weight = weightOf(finding);
    return worse;
  });
}
