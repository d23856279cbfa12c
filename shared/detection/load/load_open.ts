import { z } from 'zod';
import { MOST_OPEN } from '#shared/detection/conduct/judge_conduct.ts';
import type { Lessons } from '#shared/detection/conduct/lessons.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { DAY, timestamp } from '#shared/values/time.ts';

/** Events that are read of an alert: a payment has a few. */
const MOST_EVENTS = 4 * MOST_OPEN;
/** Live alerts that are read of an agent, the latest, and how far back they reach. */
const MOST_ALERTS = 20;
const MOST_AGE = 60 * DAY;

const Open = z.object({ agent_id: z.string(), payment_id: z.string() });

/** By agent of these events, the payments of its live alerts on conduct of other days, unless an alert tells of many. */
export async function loadOpen(
  db: Db,
  { org_id, environment }: Tenant,
  events: readonly DetectionEvent[],
): Promise<Lessons['open']> {
  const times = events.map(({ occurred_at }) => occurred_at);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const agents = [...new Set(events.map(({ agent_id }) => agent_id))];
  const rows = await db.any(sql.type(Open)`
    select e.agent_id, e.payment_id
    from unnest(${sql.array(agents, 'text')}) g (id) cross join lateral (
      select a.id from alerts a
      where a.org_id = ${org_id} and a.environment = ${environment} and a.agent_id = g.id and a.state in ('open', 'acknowledged', 'escalated')
        and a.dedup_agent_id <> '' and a.conduct_at < ${timestamp(last - DAY)} and a.conduct_at > ${timestamp(first - MOST_AGE)}
        and a.payments <= ${MOST_OPEN}
      order by a.id desc limit ${MOST_ALERTS}) a
    cross join lateral (
      select n.chain_seq from alert_events n
      where n.org_id = ${org_id} and n.environment = ${environment} and n.alert_id = a.id
      order by n.chain_seq desc limit ${MOST_EVENTS}) n
    join events e on e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = n.chain_seq and e.agent_id = g.id`);
  const payments = ([, list]: [string, z.infer<typeof Open>[]]) => new Set(list.map(({ payment_id }) => payment_id));
  return new Map([...Map.groupBy(rows, ({ agent_id }) => agent_id)].map(entry => [entry[0], payments(entry)]));
}
