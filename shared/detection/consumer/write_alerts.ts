import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Severity } from '#shared/casework/alerts.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';
import type { AlertLinks } from './link_events.ts';
import type { ConductSpan } from './load_episodes.ts';

/** What findings make of an alert. */
export type Change = AlertLinks &
  ConductSpan & {
    /** Whether its words are replaced. */
    is_graver: boolean;
    event_id: string;
    agent_id: string;
    dedup_agent_id: string;
    detector: string;
    raised_by: string;
    told_by: ReadonlySet<string>;
    told_before: { detector: string; subject: string } | null;
    subject: string;
    severity: Severity;
    score: number;
    title: string;
    explanation: string;
    /** The number of payments that the text is about. */
    payments: number;
  };

/** Stores new alerts, each in its incident. */
export async function insertAlerts(
  tx: Db,
  { org_id, environment }: Tenant,
  changes: readonly Change[],
  incidents: ReadonlyMap<string, string>,
  now: number,
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(change => ({
    ...change,
    incident_id: incidents.get(change.alert_id) ?? '',
    counted_until: change.mark?.until ?? null,
    counted_mark: change.mark?.mark ?? null,
  }));
  await tx.query(sql.unsafe`
    insert into alerts (org_id, environment, id, agent_id, dedup_agent_id, detector, subject, severity, title, explanation, score,
      incident_id, payments, counted_until, counted_mark, conduct_at, conduct_until, created_at)
    select ${org_id}, ${environment}, r.*, ${timestamp(now)} from ${tableOf('r', rows, newColumns)}`);
}

const newColumns = {
  alert_id: 'text',
  agent_id: 'text',
  dedup_agent_id: 'text',
  detector: 'text',
  subject: 'text',
  severity: 'text',
  title: 'text',
  explanation: 'text',
  score: 'numeric',
  incident_id: 'text',
  payments: 'int4',
  counted_until: 'int8',
  counted_mark: 'int8',
  conduct_at: 'timestamptz',
  conduct_until: 'timestamptz',
};

/** Whether an alert may go by another detector and subject: no other live one does, such as one that was reopened. */
const isFree = sql.fragment`(r.detector is not null and not exists (
  select from alerts o where o.org_id = a.org_id and o.environment = a.environment and o.detector = r.detector
    and o.dedup_agent_id = a.dedup_agent_id and o.subject = r.subject and o.id <> a.id and o.state in ('open', 'acknowledged', 'escalated')))`;

/** Gives live alerts their graver words, and extends the conduct that they cover. */
export async function growAlerts(tx: Db, { org_id, environment }: Tenant, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(change => [
    change.alert_id,
    change.conduct_at,
    change.conduct_until,
    ...(change.is_graver
      ? [
          change.detector,
          change.subject,
          change.severity,
          change.title,
          change.explanation,
          change.score,
          change.payments,
          change.mark?.until ?? null,
          change.mark?.mark ?? null,
        ]
      : [null, null, null, null, null, null, null, null, null]),
  ]);
  const types = [
    'text',
    'timestamptz',
    'timestamptz',
    'text',
    'text',
    'text',
    'text',
    'text',
    'numeric',
    'int4',
    'int8',
    'int8',
  ];
  await tx.query(sql.unsafe`
    update alerts a set detector = case when ${isFree} then r.detector else a.detector end,
      subject = case when ${isFree} then r.subject else a.subject end,
      severity = coalesce(r.severity, a.severity), title = coalesce(r.title, a.title), explanation = coalesce(r.explanation, a.explanation), score = coalesce(r.score, a.score), payments = coalesce(r.payments, a.payments),
      counted_until = case when r.severity is null then a.counted_until else r.counted_until end,
      counted_mark = case when r.severity is null then a.counted_mark else r.counted_mark end,
      conduct_at = case when a.conduct_at is not null then least(a.conduct_at, r.from_at) end,
      conduct_until = case when a.conduct_at is not null then greatest(coalesce(a.conduct_until, a.conduct_at), r.last_at) end
    from ${sql.unnest(rows, types)} as r (id, from_at, last_at, detector, subject, severity, title, explanation, score, payments,
      counted_until, counted_mark)
    where a.org_id = ${org_id} and a.environment = ${environment} and a.id = r.id
      and (r.severity is not null or r.from_at < a.conduct_at or r.last_at > coalesce(a.conduct_until, a.conduct_at))`);
}
