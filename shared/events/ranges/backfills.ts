import { z } from 'zod';
import { Milliseconds } from './load.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { HOUR, MINUTE, timestamp } from '#shared/values/time.ts';

/** A back-fill is over when nothing of it has come for so long (milliseconds). */
const QUIET = MINUTE;
/** One that never is: what has come is judged every so often. */
const LONGEST = HOUR;

const Count = z.object({ agent_id: z.string(), events: z.number() });

/** How many late events there were of these agents, since they were last judged in order. */
export async function loadBackfills(
  db: Db,
  { org_id, environment }: Tenant,
  agent_ids: readonly string[],
): Promise<Map<string, number>> {
  if (agent_ids.length === 0) return new Map();
  const rows = await db.any(sql.type(Count)`
    select agent_id, events from backfills
    where org_id = ${org_id} and environment = ${environment} and agent_id = any(${sql.array([...agent_ids], 'text')})`);
  return new Map(rows.map(({ agent_id, events }) => [agent_id, events]));
}

/** Late events of an agent in a range: how many, from when until when they occurred, and when the first of them was received (milliseconds). */
export type LateEvents = { events: number; from_at: number; until_at: number; received_at: number };

/** Notes more late events by agent. `most_strays`: an agent with no more of them within an hour is not judged again. */
export async function noteBackfills(
  tx: Db,
  { org_id, environment }: Tenant,
  late: ReadonlyMap<string, LateEvents>,
  most_strays: number,
  now: number,
): Promise<void> {
  if (late.size === 0) return;
  const rows = [...late]
    .map(([agent_id, { events, from_at, until_at, received_at }]) => ({
      agent_id,
      events,
      from_at: timestamp(from_at),
      until_at: timestamp(until_at),
      began_at: timestamp(received_at),
      due_at: timestamp(now + (events > most_strays ? QUIET : LONGEST)),
    }))
    .toSorted((a, b) => (a.agent_id < b.agent_id ? -1 : 1));
  const due = sql.fragment`least(b.noted_at + ${LONGEST} * interval '1 millisecond',
    case when b.events + excluded.events > ${most_strays} then ${timestamp(now + QUIET)}::timestamptz else 'infinity' end)`;
  await tx.query(sql.unsafe`
    insert into backfills as b (org_id, environment, agent_id, events, from_at, until_at, began_at, due_at, next_at, noted_at)
    select ${org_id}, ${environment}, r.*, r.due_at, ${timestamp(now)}
    from ${tableOf('r', rows, { agent_id: 'text', events: 'int8', from_at: 'timestamptz', until_at: 'timestamptz', began_at: 'timestamptz', due_at: 'timestamptz' })}
    on conflict (org_id, environment, agent_id) do update set events = b.events + excluded.events,
      from_at = least(b.from_at, excluded.from_at), until_at = greatest(b.until_at, excluded.until_at), due_at = ${due}, next_at = ${due}`);
}

const Due = z.object({
  agent_id: z.string(),
  events: z.number(),
  from_at: Milliseconds,
  until_at: Milliseconds,
  began_at: Milliseconds,
});
export type DueBackfill = z.infer<typeof Due>;

/** Agents that are to be judged in order now, those that wait longest first. */
export const dueBackfills = (tx: Db, { org_id, environment }: Tenant, most: number, now: number) =>
  tx.any(sql.type(Due)`
    select agent_id, events, from_at, until_at, began_at from backfills
    where org_id = ${org_id} and environment = ${environment} and due_at <= ${timestamp(now)}
    order by due_at, agent_id limit ${most}`);

/** Notes how far agents are judged: what occurred from a time on is still to be (milliseconds), or null: nothing is. */
export async function moveBackfills(
  tx: Db,
  { org_id, environment }: Tenant,
  moves: readonly { agent_id: string; rest_from: number | null }[],
): Promise<void> {
  if (moves.length === 0) return;
  const rows = moves.map(({ agent_id, rest_from }) => ({
    agent_id,
    rest_from: rest_from === null ? null : timestamp(rest_from),
  }));
  await tx.query(sql.unsafe`
    with move as (select * from ${tableOf('r', rows, { agent_id: 'text', rest_from: 'timestamptz' })}), moved as (
      update backfills b set from_at = m.rest_from from move m
      where b.org_id = ${org_id} and b.environment = ${environment} and b.agent_id = m.agent_id and m.rest_from is not null
    )
    delete from backfills b using move m
    where b.org_id = ${org_id} and b.environment = ${environment} and b.agent_id = m.agent_id and m.rest_from is null`);
}
