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
  /** Events it is linked to, by their place in the log. */
  events?: { id: string; chain_seq: number }[];
};

/** An alert as detection would have raised it, and work on it might have left it. Answers with its id. */
export async function alert(db: Db, { org_id, environment }: Tenant, options: AlertOptions = {}): Promise<string> {
  const { created_at = Date.now(), state = 'open', events = [] } = options;
  const id = newId('alr', created_at);
  const closed = state === 'resolved' || state === 'dismissed';
  const agent_id = options.agent_id ?? newId('agt');
  await db.query(sql.unsafe`
    insert into alerts (org_id, environment, id, agent_id, dedup_agent_id, detector, subject, severity, title, explanation, score, state, created_at,
      closed_at, closed_score)
    values (${org_id}, ${environment}, ${id}, ${agent_id}, ${agent_id}, ${options.detector ?? 'velocity_count'},
      ${options.subject ?? ''}, ${options.severity ?? 'medium'}, ${options.title ?? 'Too many payments'}, 'More than usual.', 55.5,
      ${state}, ${timestamp(created_at)}, ${closed ? timestamp(created_at) : null}, ${closed ? 55.5 : null})`);
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
