import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { HOUR, MINUTE, timestamp } from '#shared/values/time.ts';

/** A back-fill is over when nothing of it has come for so long (milliseconds). */
const QUIET = MINUTE;
/** One that never is: what has come is judged every so often. */
const LONGEST = HOUR;
/** After the first pass the next rests for twice as long as nothing has to come for, and after each further one for twice as long again. */
const MOST_DOUBLED = 6;

const Count = z.object({ agent_id: z.string(), events: z.number() });

/** How many late events there were of these agents since their latest pass began. */
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
  const total = sql.fragment`b.events + excluded.events`;
  const noted = sql.fragment`case when b.events > 0 then b.noted_at else ${timestamp(now)}::timestamptz end`;
  const longest = sql.fragment`${noted} + ${LONGEST} * interval '1 millisecond'`;
  const due = sql.fragment`case when b.pass is not null then b.due_at when ${total} <= ${most_strays} then ${longest}
    else greatest(b.rests_until, least(${longest}, ${timestamp(now + QUIET)}::timestamptz)) end`;
  await tx.query(sql.unsafe`
    insert into backfills as b (org_id, environment, agent_id, events, from_at, until_at, began_at, due_at, next_at, noted_at)
    select ${org_id}, ${environment}, r.*, r.due_at, ${timestamp(now)}
    from ${tableOf('r', rows, { agent_id: 'text', events: 'int8', from_at: 'timestamptz', until_at: 'timestamptz', began_at: 'timestamptz', due_at: 'timestamptz' })}
    on conflict (org_id, environment, agent_id) do update set events = ${total}, from_at = least(b.from_at, excluded.from_at),
      until_at = greatest(b.until_at, excluded.until_at), began_at = least(b.began_at, excluded.began_at), noted_at = ${noted}, due_at = ${due},
      next_at = case when b.pass is not null then b.next_at else ${due} end`);
}

/**
 * A pass over what an agent did: what is still to be judged, which began at which place, when the latest event occurred that came late, when the first of
 * them was received (milliseconds), and where the log stood when the pass began.
 */
const Pass = z.object({
  from_at: z.number(),
  after_seq: z.number(),
  until_at: z.number(),
  began_at: z.number(),
  upto_seq: z.number(),
});
export type Pass = z.infer<typeof Pass>;
/** `is_new`: nothing of it has been judged. */
const AgentPass = z.object({ agent_id: z.string(), is_new: z.boolean(), pass: Pass });
export type AgentPass = z.infer<typeof AgentPass>;

/** Passes over agents that are under way or due now, in that order, those that wait longest first; `seq`: where the log stands. Forgets strays that are due. */
export async function duePasses(
  tx: Db,
  { org_id, environment }: Tenant,
  { most, most_strays, seq }: { most: number; most_strays: number; seq: number },
  now: number,
): Promise<readonly AgentPass[]> {
  const here = sql.fragment`org_id = ${org_id} and environment = ${environment}`;
  await tx.query(sql.unsafe`
    delete from backfills where ${here} and due_at <= ${timestamp(now)} and pass is null and events <= ${most_strays}`);
  const milliseconds = (column: string) => sql.fragment`(extract(epoch from ${sql.identifier([column])}) * 1000)::int8`;
  return tx.any(sql.type(AgentPass)`
    select agent_id, pass is null as is_new, coalesce(pass, jsonb_build_object('from_at', ${milliseconds('from_at')}, 'after_seq', 0,
      'until_at', ${milliseconds('until_at')}, 'began_at', ${milliseconds('began_at')}, 'upto_seq', ${seq}::int8)) as pass
    from backfills where ${here} and (pass is not null or due_at <= ${timestamp(now)})
    order by pass is null, due_at, agent_id limit ${most}`);
}

/** Notes how far passes have got; `rest`: what is still to be judged, null: nothing, which ends the pass. */
export async function movePasses(
  tx: Db,
  { org_id, environment }: Tenant,
  moves: readonly { agent_id: string; is_new: boolean; rest: Pass | null }[],
  { most_strays, now }: { most_strays: number; now: number },
): Promise<void> {
  if (moves.length === 0) return;
  const rows = moves.map(({ agent_id, is_new, rest }) => ({ agent_id, is_new, rest: rest && JSON.stringify(rest) }));
  const open = (column: string) => sql.fragment`case when not m.is_new then b.${sql.identifier([column])} end`;
  const events = sql.fragment`coalesce(${open('events')}, 0)`;
  const rests_until = sql.fragment`${timestamp(now)}::timestamptz + ${QUIET} * 2 ^ least(b.passes + 1, ${MOST_DOUBLED}) * interval '1 millisecond'`;
  const due_at = sql.fragment`case when ${events} > ${most_strays} then ${rests_until} else ${timestamp(now + LONGEST)}::timestamptz end`;
  const atEnd = (column: string, value: FragmentSqlToken) =>
    sql.fragment`${sql.identifier([column])} = case when m.rest is null then ${value} else b.${sql.identifier([column])} end`;
  await tx.query(sql.unsafe`
    update backfills b set pass = m.rest, events = ${events}, from_at = ${open('from_at')}, until_at = ${open('until_at')}, began_at = ${open('began_at')},
      ${atEnd('passes', sql.fragment`b.passes + 1`)}, ${atEnd('rests_until', rests_until)}, ${atEnd('due_at', due_at)}, ${atEnd('next_at', due_at)}
    from ${tableOf('m', rows, { agent_id: 'text', is_new: 'bool', rest: 'jsonb' })}
    where b.org_id = ${org_id} and b.environment = ${environment} and b.agent_id = m.agent_id`);
}
