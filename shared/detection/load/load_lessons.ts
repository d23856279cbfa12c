import { z } from 'zod';
import { factorColumns } from '#shared/casework/lesson.ts';
import { type Lessons, lessonsOf } from '#shared/detection/conduct/lessons.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';

const Row = z.object({
  id: z.string(),
  last_at: z.string(),
  detector: z.string(),
  agent_id: z.string(),
  owner_id: z.string(),
  aspect: z.string(),
  factor: z.number(),
  peers_factor: z.number(),
  dismissals: z.number(),
  resolutions: z.number(),
  is_of_peers: z.boolean(),
});

/** How many lessons of an owner's agents count for one another, the latest ones: over the years there are more. */
export const MOST_OF_PEERS = 200;

/**
 * The lessons about the agents of these events, about any agent, and the latest about the agents of the same owners, in one query. For
 * others only the latest count, whichever events are read together. The payments of what was resolved are read when that changes: see `known`.
 */
export async function loadLessons(
  db: Db,
  { org_id, environment }: Tenant,
  events: readonly DetectionEvent[],
  known: JustifiedCache = new Map(),
): Promise<Lessons> {
  const agents = [...new Set(events.map(({ agent_id }) => agent_id)), ''];
  const owners = [...new Set(events.map(({ owner_id }) => owner_id))];
  const columns = sql.fragment`l.id, l.detector, l.agent_id, l.owner_id, l.aspect, ${factorColumns}, l.dismissals, l.resolutions, l.last_at::text as last_at`;
  const here = sql.fragment`l.org_id = ${org_id} and l.environment = ${environment}`;
  // With `or`, all lessons of the organization would be read.
  const lessons = await db.any(sql.type(Row)`
    select ${columns}, false as is_of_peers from lessons l where ${here} and l.agent_id = any(${sql.array(agents, 'text')})
    union all
    select ${columns}, true from unnest(${sql.array(owners, 'text')}) o (id) cross join lateral (
      select * from lessons l where ${here} and l.owner_id = o.id order by l.last_at desc, l.id desc limit ${MOST_OF_PEERS}) l
    order by id`);
  const own = lessons.filter(({ is_of_peers }) => !is_of_peers);
  const by_agent = Map.groupBy(own, ({ agent_id }) => agent_id);
  const resolved = [...by_agent].filter(
    ([agent_id, list]) => agent_id !== '' && list.some(each => each.resolutions > 0),
  );
  return {
    by_agent: lessonsOf(own).by_agent,
    by_owner: lessonsOf(lessons.filter(({ is_of_peers }) => is_of_peers)).by_owner,
    justified: await loadJustified(db, { org_id, environment }, resolved, known),
    open: new Map(),
  };
}

/** What is kept from range to range: the payments of an agent's resolved alerts, and of which lessons they are. */
export type JustifiedCache = Map<string, { of: string; payments: ReadonlySet<string> }>;

/** So many agents are remembered, the latest ones. */
const MOST_KNOWN = 1_000;

/** Of an agent, the payments of so many alerts are left out of its record, the latest ones, and of each those of so many events. */
const MOST_JUSTIFIED = 20;
const MOST_OF_ALERT = 500;

const Justified = z.object({ agent_id: z.string(), payment_id: z.string() });

/** The payments that alerts on the conduct of these agents are about, where people resolved them, and what that taught was not forgotten. */
async function loadJustified(
  db: Db,
  { org_id, environment }: Tenant,
  lessons: readonly [string, readonly z.infer<typeof Row>[]][],
  known: JustifiedCache,
): Promise<Lessons['justified']> {
  if (lessons.length === 0) return new Map();
  const signed = new Map(
    lessons.map(([agent_id, list]) => [
      agent_id,
      list.map(({ id, last_at, resolutions }) => `${id} ${last_at} ${resolutions}`).join(),
    ]),
  );
  const keyOf = (agent_id: string) => `${org_id} ${environment} ${agent_id}`;
  const unread = [...signed].flatMap(([agent_id, of]) => (known.get(keyOf(agent_id))?.of === of ? [] : [agent_id]));
  const rows = await readJustified(db, { org_id, environment }, unread);
  const read = Map.groupBy(rows, ({ agent_id }) => agent_id);
  const justified = new Map<string, ReadonlySet<string>>();
  for (const [agent_id, of] of signed) {
    const key = keyOf(agent_id);
    const payments = unread.includes(agent_id)
      ? new Set(read.get(agent_id)?.map(({ payment_id }) => payment_id))
      : (known.get(key)?.payments ?? new Set());
    known.delete(key);
    known.set(key, { of, payments });
    justified.set(agent_id, payments);
  }
  for (const key of [...known.keys()].slice(0, Math.max(0, known.size - MOST_KNOWN))) known.delete(key);
  return justified;
}

async function readJustified(db: Db, { org_id, environment }: Tenant, agents: readonly string[]) {
  if (agents.length === 0) return [];
  return db.any(sql.type(Justified)`
    select distinct e.agent_id, e.payment_id
    from unnest(${sql.array([...agents], 'text')}) g (id) cross join lateral (
      select a.id from alerts a
      where a.org_id = ${org_id} and a.environment = ${environment} and a.agent_id = g.id and a.state = 'resolved'
        and a.lesson_id is not null and exists (
          select from lessons l where l.org_id = ${org_id} and l.environment = ${environment} and l.id = a.lesson_id)
      order by a.id desc limit ${MOST_JUSTIFIED}) a
    cross join lateral (
      select n.chain_seq from alert_events n
      where n.org_id = ${org_id} and n.environment = ${environment} and n.alert_id = a.id and n.counted
      order by n.chain_seq desc limit ${MOST_OF_ALERT}) n
    join events e on e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = n.chain_seq and e.agent_id = g.id`);
}
