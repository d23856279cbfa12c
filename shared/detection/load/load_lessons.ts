import { z } from 'zod';
import { factorColumns } from '#shared/casework/lesson.ts';
import { type Closed, type Lessons, lessonsOf } from '#shared/detection/conduct/lessons.ts';
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
 * others only the latest count, whichever events are read together. The payments of what was closed are read when that changes: see `known`.
 */
export async function loadLessons(
  db: Db,
  { org_id, environment }: Tenant,
  events: readonly DetectionEvent[],
  known: ClosedCache = new Map(),
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
  const taught = [...by_agent].filter(([agent_id]) => agent_id !== '');
  return {
    by_agent: lessonsOf(own).by_agent,
    by_owner: lessonsOf(lessons.filter(({ is_of_peers }) => is_of_peers)).by_owner,
    closed: await loadClosed(db, { org_id, environment }, taught, known),
    open: new Map(),
  };
}

/** What is kept from range to range: the payments of an agent's closed alerts, and of which lessons they are. */
export type ClosedCache = Map<string, { of: string; closed: Closed }>;

/** So many agents are remembered, the latest ones. */
const MOST_KNOWN = 1_000;

/** Of an agent, the payments of so many alerts count as resolved, and of as many as dismissed, the latest ones, and of each those of so many events. */
const MOST_CLOSED = 20;
const MOST_OF_ALERT = 500;

const ClosedRow = z.object({ agent_id: z.string(), payment_id: z.string(), state: z.enum(['resolved', 'dismissed']) });

/** The payments that alerts on the conduct of these agents are about, where people closed them, and what that taught was not forgotten. */
async function loadClosed(
  db: Db,
  { org_id, environment }: Tenant,
  lessons: readonly [string, readonly z.infer<typeof Row>[]][],
  known: ClosedCache,
): Promise<Lessons['closed']> {
  if (lessons.length === 0) return new Map();
  const signed = new Map(
    lessons.map(([agent_id, list]) => [
      agent_id,
      list.map(({ id, last_at, resolutions, dismissals }) => `${id} ${last_at} ${resolutions} ${dismissals}`).join(),
    ]),
  );
  const keyOf = (agent_id: string) => `${org_id} ${environment} ${agent_id}`;
  // Taken before anything is waited for: meanwhile a range of another log may have them forgotten.
  const kept = new Map(
    [...signed].flatMap(([agent_id, of]) => {
      const found = known.get(keyOf(agent_id));
      return found?.of === of ? [[agent_id, found.closed] as const] : [];
    }),
  );
  const unread = [...signed.keys()].filter(agent_id => !kept.has(agent_id));
  const rows = await readClosed(db, { org_id, environment }, unread);
  const read = Map.groupBy(rows, ({ agent_id }) => agent_id);
  const all = new Map<string, Closed>();
  for (const [agent_id, of] of signed) {
    const key = keyOf(agent_id);
    const closed = kept.get(agent_id) ?? closedOf(read.get(agent_id) ?? []);
    known.delete(key);
    known.set(key, { of, closed });
    all.set(agent_id, closed);
  }
  for (const key of [...known.keys()].slice(0, Math.max(0, known.size - MOST_KNOWN))) known.delete(key);
  return all;
}

function closedOf(rows: readonly z.infer<typeof ClosedRow>[]): Closed {
  const as = (state: string) => new Set(rows.filter(row => row.state === state).map(({ payment_id }) => payment_id));
  return { resolved: as('resolved'), dismissed: as('dismissed') };
}

async function readClosed(db: Db, { org_id, environment }: Tenant, agents: readonly string[]) {
  if (agents.length === 0) return [];
  // The state stands in the text: an index has the alerts of one.
  const latest = (state: 'resolved' | 'dismissed') => sql.fragment`(
    select a.id, a.state from alerts a
    where a.org_id = ${org_id} and a.environment = ${environment} and a.agent_id = g.id
      and a.state = ${state === 'resolved' ? sql.fragment`'resolved'` : sql.fragment`'dismissed'`}
      and a.conduct_at is not null and a.lesson_id is not null and exists (
        select from lessons l where l.org_id = ${org_id} and l.environment = ${environment} and l.id = a.lesson_id)
    order by a.id desc limit ${MOST_CLOSED})`;
  return db.any(sql.type(ClosedRow)`
    select distinct e.agent_id, e.payment_id, a.state
    from unnest(${sql.array([...agents], 'text')}) g (id)
    cross join lateral (${latest('resolved')} union all ${latest('dismissed')}) a
    cross join lateral (
      select n.chain_seq from alert_events n
      where n.org_id = ${org_id} and n.environment = ${environment} and n.alert_id = a.id and n.counted
      order by n.chain_seq desc limit ${MOST_OF_ALERT}) n
    join events e on e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = n.chain_seq and e.agent_id = g.id`);
}
