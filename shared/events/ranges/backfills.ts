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

/** Notes how many more late events there were by agent, and when the first of them was received. */
export async function noteBackfills(
  tx: Db,
  { org_id, environment }: Tenant,
  late: ReadonlyMap<string, { events: number; received_at: number }>,
  now: number,
): Promise<void> {
  if (late.size === 0) return;
  const rows = [...late]
    .map(([agent_id, { events, received_at }]) => ({ agent_id, events, began_at: timestamp(received_at) }))
    .toSorted((a, b) => (a.agent_id < b.agent_id ? -1 : 1));
  const due = sql.fragment`least(excluded.due_at, b.noted_at + ${LONGEST} * interval '1 millisecond')`;
  await tx.query(sql.unsafe`
    insert into backfills as b (org_id, environment, agent_id, events, began_at, noted_at, due_at, next_at)
    select ${org_id}, ${environment}, r.*, ${timestamp(now)}, ${timestamp(now + QUIET)}, ${timestamp(now + QUIET)}
    from ${tableOf('r', rows, { agent_id: 'text', events: 'int8', began_at: 'timestamptz' })}
    on conflict (org_id, environment, agent_id) do update set events = b.events + excluded.events, due_at = ${due}, next_at = ${due}`);
}

const Due = z.object({ agent_id: z.string(), events: z.number(), began_at: Milliseconds });
export type DueBackfill = z.infer<typeof Due>;

/** Agents that are to be judged in order now, those that wait longest first. */
export const dueBackfills = (tx: Db, { org_id, environment }: Tenant, most: number, now: number) =>
  tx.any(sql.type(Due)`
    select agent_id, events, began_at from backfills
    where org_id = ${org_id} and environment = ${environment} and due_at <= ${timestamp(now)}
    order by due_at, agent_id limit ${most}`);

/** Ends the back-fills of these agents. */
export const endBackfills = (tx: Db, { org_id, environment }: Tenant, agent_ids: readonly string[]) =>
  tx.query(sql.unsafe`
    delete from backfills
    where org_id = ${org_id} and environment = ${environment} and agent_id = any(${sql.array([...agent_ids], 'text')})`);
