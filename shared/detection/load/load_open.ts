import { z } from 'zod';
import { MOST_OPEN } from '#shared/detection/conduct/judge_conduct.ts';
import type { Lessons } from '#shared/detection/conduct/lessons.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';

/** Events that are read of an alert: a payment has a few. */
const MOST_EVENTS = 4 * MOST_OPEN;

const Open = z.object({ agent_id: z.string(), payment_id: z.string() });

/** By agent of these events, the payments of its live alerts on conduct of other days, unless an alert tells of many. */
export async function loadOpen(
  db: Db,
  { org_id, environment }: Tenant,
  events: readonly DetectionEvent[],
): Promise<Lessons['open']> {
  const latest = Math.max(...events.map(({ occurred_at }) => occurred_at));
  const agents = [...new Set(events.map(({ agent_id }) => agent_id))];
  const rows = await db.any(sql.type(Open)`
    select e.agent_id, e.payment_id
    from alerts a cross join lateral (
      select n.chain_seq from alert_events n
      where n.org_id = ${org_id} and n.environment = ${environment} and n.alert_id = a.id
      order by n.chain_seq desc limit ${MOST_EVENTS}) n
    join events e on e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = n.chain_seq
    where a.org_id = ${org_id} and a.environment = ${environment} and a.agent_id = any(${sql.array(agents, 'text')})
      and a.state in ('open', 'acknowledged', 'escalated') and a.conduct_at is not null and a.dedup_agent_id <> ''
      and a.conduct_until < ${timestamp(latest - DAY + HOUR)} and a.payments <= ${MOST_OPEN} and e.agent_id = a.agent_id`);
  const payments = ([, list]: [string, z.infer<typeof Open>[]]) => new Set(list.map(({ payment_id }) => payment_id));
  return new Map([...Map.groupBy(rows, ({ agent_id }) => agent_id)].map(entry => [entry[0], payments(entry)]));
}
