import { type Db, sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';
import { moveVersions } from '#shared/interface/versions.ts';

export type AlertOptions = {
  agent_id?: string;
  detector?: string;
  subject?: string;
  severity?: string;
  state?: string;
  title?: string;
  created_at?: number;
  /** The incident that it joins; its own when left out. */
  incident_id?: string;
  /** When the conduct that it tells of occurred; without it, it was raised by a rule. */
  conduct_at?: number;
  /** Events it is linked to, by their place in the log. */
  events?: { id: string; chain_seq: number }[];
};

/** An alert with its incident as detection would have raised it, and work on it might have left it. Answers with its id. */
export async function alert(db: Db, { org_id, environment }: Tenant, options: AlertOptions = {}): Promise<string> {
  const { created_at = Date.now(), state = 'open', events = [] } = options;
  const id = newId('alr', created_at);
  const closed = state === 'resolved' || state === 'dismissed';
  const agent_id = options.agent_id ?? newId('agt');
  const incident_id = options.incident_id ?? newId('inc', created_at);
  const [detector, severity, title] = [
    options.detector ?? 'velocity_count',
    options.severity ?? 'medium',
    options.title ?? 'Too many payments',
  ];
  await db.query(sql.unsafe`
    insert into incidents as i (org_id, environment, id, agent_id, state, acknowledged, severity, lead_title, lead_score, detectors, alert_count, agent_count,
      event_count, first_at, last_at, episode_from, created_at)
    select ${org_id}, ${environment}, ${incident_id}, ${agent_id}, ${closed ? 'closed' : 'open'}, ${state !== 'open'}, ${severity}, ${title}, 55.5,
      array[${detector}], 1, 1, ${events.length}::int8, t.at, t.at, t.at, t.at
    from (select ${timestamp(created_at)}::timestamptz as at) t
    on conflict (org_id, environment, id) do update set alert_count = i.alert_count + 1, event_count = i.event_count + excluded.event_count,
      acknowledged = i.acknowledged and excluded.acknowledged, state = case when i.state = 'open' then 'open' else excluded.state end`);
  await db.query(sql.unsafe`
    insert into incident_agents (org_id, environment, agent_id, incident_id)
    values (${org_id}, ${environment}, ${agent_id}, ${incident_id}) on conflict do nothing`);
  await db.query(sql.unsafe`
    insert into alerts (org_id, environment, id, agent_id, dedup_agent_id, detector, subject, severity, title, explanation, score, state,
      incident_id, created_at, closed_at, closed_score, conduct_at)
    values (${org_id}, ${environment}, ${id}, ${agent_id}, ${agent_id}, ${detector}, ${options.subject ?? ''}, ${severity}, ${title},
      'More than usual.', 55.5, ${state}, ${incident_id}, ${timestamp(created_at)}, ${closed ? timestamp(created_at) : null},
      ${closed ? 55.5 : null}, ${options.conduct_at === undefined ? null : timestamp(options.conduct_at)})`);
  if (events.length > 0)
    await db.query(sql.unsafe`
      insert into alert_events (org_id, environment, alert_id, chain_seq, event_id)
      select ${org_id}, ${environment}, ${id}, * from ${sql.unnest(
        events.map(event => [event.chain_seq, event.id]),
        ['int8', 'text'],
      )}`);
  await moveVersions(db, { org_id, environment }, ['alerts']);
  return id;
}
