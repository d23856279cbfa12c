import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { AuditAction } from './audit_actions.ts';
import { direction, type Order, ordered } from './changes.ts';
import { Id, newId } from './ids.ts';
import { type Page, type PageRequest, pageOf } from './page.ts';
import { type Tenant, Timestamp, TimeFilter } from './schemas.ts';
import { timestamp } from '#shared/values/time.ts';
import { line } from '#shared/values/text.ts';

/** What was done, to which record, and the record before and after. Never contains secrets: records do not have them. */
export type AuditEntry = { action: AuditAction; target_id: string | null; before?: unknown; after?: unknown };

/** Who did it and through which request; both null for the operator and the system. */
export type Actor = { actor_id: string | null; request_id: string | null };

const Snapshot = z.record(z.string(), z.unknown()).nullable();

export const AuditRecord = z
  .object({
    id: Id('aud'),
    action: z.string().meta({ description: 'such as `key.created`', examples: ['key.created'] }),
    actor_id: z.string().nullable().meta({ description: '`usr_…`, `key_…`, or null: the operator' }),
    target_id: z.string().nullable(),
    before: Snapshot,
    after: Snapshot,
    request_id: z.string().nullable(),
    at: Timestamp,
  })
  .meta({ id: 'AuditRecord' });
export type AuditRecord = z.infer<typeof AuditRecord>;

/** Records changes, of one tenant or the same for several, in their transaction. The log is append-only by database privilege. */
export async function recordAudit(
  tx: Db,
  concerned: Tenant | readonly Tenant[],
  actor: Actor,
  entries: readonly AuditEntry[],
  now: number,
): Promise<void> {
  const insert = auditInsert(
    concerned,
    entries.map(entry => ({ ...entry, ...actor })),
    now,
  );
  if (insert) await tx.query(sql.unsafe`${insert}`);
}

/** The same for several actors, as part of the statement of the changes; null when there are none. */
export function auditInsert(
  concerned: Tenant | readonly Tenant[],
  entries: readonly (AuditEntry & Actor)[],
  now: number,
): FragmentSqlToken | null {
  const rows = [concerned]
    .flat()
    .flatMap(({ org_id, environment }) =>
      entries.map(entry => [
        org_id,
        environment,
        newId('aud', now),
        entry.action,
        entry.target_id,
        snapshot(entry.before),
        snapshot(entry.after),
        entry.actor_id,
        entry.request_id,
      ]),
    );
  if (rows.length === 0) return null;
  return sql.fragment`
    insert into audit_log (org_id, environment, id, action, target_id, before, after, actor_id, request_id, at)
    select r.*, ${timestamp(now)}
    from ${sql.unnest(rows, ['text', 'text', 'text', 'text', 'text', 'jsonb', 'jsonb', 'text', 'text'])} as r`;
}

const snapshot = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value));

/** An id in its canonical form, or another name unchanged: trusted keys are identified by their kid. */
const TargetId = line(200).overwrite(text =>
  /^[a-z]{3}_[0-9a-z]{26}$/i.test(text) ? text.slice(0, 4).toLowerCase() + text.slice(4).toUpperCase() : text,
);

export const AuditFilters = z.strictObject({
  action: z
    .string()
    .regex(/^[a-z_]{1,50}\.[a-z_]{1,50}$/, 'must be an action such as key.created')
    .optional(),
  actor_id: z.union([Id('usr'), Id('key')]).optional(),
  target_id: TargetId.optional(),
  from: TimeFilter.optional().meta({ description: 'at this time or later' }),
  to: TimeFilter.optional().meta({ description: 'before this time' }),
  direction,
});
export type AuditFilters = z.infer<typeof AuditFilters>;

/** The audit log of an organization, newest first, or oldest first; `is_oldest_first`: as `at` says. */
export async function listAudit(
  db: Db,
  { org_id, environment }: Tenant,
  { action, actor_id, target_id, from, to, direction, is_oldest_first }: AuditFilters & { is_oldest_first?: true },
  page: PageRequest,
): Promise<Page<AuditRecord>> {
  const order = ordered(is_oldest_first ? byTime : null, sql.fragment`id`, page, direction);
  const rows = await db.any(sql.type(AuditRecord)`
    select id, action, actor_id, target_id, before, after, request_id, at from audit_log
    where ${sql.and([
      sql.fragment`org_id = ${org_id} and environment = ${environment}`,
      action !== undefined && sql.fragment`action = ${action}`,
      actor_id !== undefined && sql.fragment`actor_id = ${actor_id}`,
      target_id !== undefined && sql.fragment`target_id = ${target_id}`,
      from !== undefined && sql.fragment`at >= ${from}`,
      to !== undefined && sql.fragment`at < ${to}`,
      order.after,
    ])}
    order by ${order.by} limit ${page.limit + 1}`);
  return pageOf(rows, page, order.keyOf);
}

const byTime: Order<AuditRecord> = {
  by: sql.fragment`at`,
  type: 'timestamptz',
  direction: 'asc',
  keyOf: ({ at }) => at,
};
