import { z } from 'zod';
import { type Db, sql, timeText } from '#shared/platform/db.ts';
import { Id, newId } from '#shared/interface/ids.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

export const CaseStatus = z.enum(['open', 'investigating', 'closed']).meta({ id: 'CaseStatus' });
export type CaseStatus = z.infer<typeof CaseStatus>;

/** Ids of records linked to a case, by kind. */
export const LinkedIds = z.object({
  alert_ids: z.array(Id('alr')).optional(),
  event_ids: z.array(Id('evt')).optional(),
  screening_ids: z.array(Id('scr')).optional(),
  pack_ids: z.array(Id('pck')).optional(),
});
export type LinkedIds = z.infer<typeof LinkedIds>;

const entry = <const K extends string, S extends z.ZodRawShape>(kind: K, detail: S) =>
  z.object({
    id: Id('act'),
    kind: z.literal(kind),
    actor_id: z.string().nullable().meta({ description: '`usr_…`, `key_…`, or null: the system' }),
    at: Timestamp,
    ...detail,
  });

export const CaseTimelineEntry = z
  .discriminatedUnion('kind', [
    entry('created', {}),
    entry('status_changed', {
      from: CaseStatus,
      to: CaseStatus,
      text: z.string().nullable().meta({ description: 'the closing note' }),
    }),
    entry('changed', { field: z.enum(['title', 'priority']), from: z.string(), to: z.string() }),
    entry('assigned', { from: Id('usr').nullable(), to: Id('usr').nullable() }),
    entry('commented', { text: z.string() }),
    entry('linked', LinkedIds.shape),
  ])
  .meta({ id: 'CaseTimelineEntry' });

/** A new entry: its kind and the members of that kind. */
export type NewEntry = Unwritten<z.infer<typeof CaseTimelineEntry>>;
type Unwritten<E> = E extends { kind: string } ? Omit<E, 'id' | 'actor_id' | 'at'> : never;

/** Records an entry in the transaction of the change. The timeline is append-only by database privilege. */
export async function noteInCase(
  tx: Db,
  { org_id, environment }: Tenant,
  case_id: string,
  actor_id: string | null,
  entries: readonly NewEntry[],
  now: number,
): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ kind, ...detail }) => [newId('act', now), kind, JSON.stringify(detail)]);
  await tx.query(sql.unsafe`
    insert into case_timeline (org_id, environment, case_id, id, kind, detail, actor_id, at)
    select ${org_id}, ${environment}, ${case_id}, r.*, ${actor_id}, ${timestamp(now)}
    from ${sql.unnest(rows, ['text', 'text', 'jsonb'])} as r`);
}

/** How many of the latest entries are read with a case. */
export const MOST_ENTRIES = 1_000;

/** The timeline of the case `c` of a query as JSON, oldest first. */
export const timelineColumn = sql.fragment`(
  select coalesce(json_agg(t.entry order by t.id), '[]') from (
    select h.id, h.detail || jsonb_build_object('id', h.id, 'kind', h.kind, 'actor_id', h.actor_id,
      'at', ${timeText(sql.fragment`h.at`)}) as entry
    from case_timeline h
    where h.org_id = c.org_id and h.environment = c.environment and h.case_id = c.id
    order by h.id desc limit ${MOST_ENTRIES}) t)`;
