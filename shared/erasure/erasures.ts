import { z } from 'zod';
import { conflict, invalidDetail } from '#shared/interface/errors.ts';
import { Id, newId } from '#shared/interface/ids.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { type Tenant, Timestamp, withExamples } from '#shared/interface/schemas.ts';
import { columnOf } from '#shared/platform/bulk.ts';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';
import { lines } from '#shared/values/text.ts';
import { byTenant } from '#shared/interface/by_tenant.ts';

const SubjectKind = z.enum(['payment', 'agent', 'owner', 'payee', 'evidence']).meta({ id: 'ErasureSubjectKind' });

/** The subject of an erasure: one payment, an agent, an owner, a payee, or one piece of evidence. */
export type ErasureSubject = { kind: z.infer<typeof SubjectKind>; id: string };

/** What an erasure removes: events emptied, evidence removed, parties that lose their names, packs, exports and saved views removed. */
export const ErasureCounts = z
  .object({
    events: z.int().meta({ description: 'events that are emptied' }),
    evidence_values: z.int().meta({ description: 'values of evidence that are removed' }),
    names: z.int().meta({ description: 'agents, owners and payees that lose their names and keys' }),
    packs: z.int().meta({ description: 'packs and exports that are removed' }),
    saved_views: z.int().meta({ description: 'saved views that are deleted, since they name the person erased' }),
  })
  .meta({ id: 'ErasureCounts' });
export type ErasureCounts = z.infer<typeof ErasureCounts>;

export const Erasure = ErasureCounts.extend({
  id: Id('ers'),
  subject: z.object({ kind: SubjectKind, id: z.string() }),
  ground: z.string(),
  state: z.enum(['running', 'done']),
  requested_at: Timestamp,
  requested_by: z.string().nullable().meta({ description: '`usr_…`, or null: the operator' }),
  finished_at: Timestamp.nullable(),
}).meta({ id: 'Erasure', description: 'Counts are of what has been done so far.' });
export type Erasure = z.infer<typeof Erasure>;

const subjectFields = {
  payment_id: z.string().min(1).max(255).optional().meta({ description: 'the payment, as its events name it' }),
  agent_id: Id('agt').optional(),
  owner_id: Id('own').optional(),
  payee_id: Id('pye').optional(),
  evidence_id: Id('evd').optional(),
};

export const NewErasure = z
  .strictObject({
    ...subjectFields,
    ground: lines(2_000, z.string().trim()).meta({
      description: 'on what ground; it is kept, so it should not name the person',
    }),
    dry_run: z.boolean().optional().meta({ description: 'only count what would be erased' }),
  })
  .meta({
    id: 'NewErasure',
    description: 'Exactly one of `payment_id`, `agent_id`, `owner_id`, `payee_id` and `evidence_id`.',
    ...withExamples([{ payment_id: 'order-4711', ground: 'Request of the person, ticket 815' }]),
  });
export type NewErasure = z.output<typeof NewErasure>;

/** The one subject that the request names. Throws `invalid_request` unless there is exactly one. */
export function subjectOf(input: Omit<NewErasure, 'ground'>): ErasureSubject {
  const subjects = SubjectKind.options.flatMap(kind => {
    const id = input[`${kind}_id`];
    return id === undefined ? [] : [{ kind, id }];
  });
  const [subject] = subjects;
  if (subject && subjects.length === 1) return subject;
  throw invalidDetail(
    '',
    'required',
    'Name exactly one of payment_id, agent_id, owner_id, payee_id and evidence_id: what is to be erased.',
  );
}

const columns = sql.fragment`id, jsonb_build_object('kind', subject_kind, 'id', subject_id) as subject, ground, state, requested_at, requested_by,
  finished_at, events, evidence_values, names, packs, saved_views`;

/** Erasures of a tenant, newest first. */
export async function listErasures(db: Db, { org_id, environment }: Tenant, page: PageRequest): Promise<Page<Erasure>> {
  const rows = await db.any(sql.type(Erasure)`
    select ${columns} from erasures
    where ${sql.and([
      sql.fragment`org_id = ${org_id} and environment = ${environment}`,
      page.after !== null && sql.fragment`id < ${page.after}`,
    ])}
    order by id desc limit ${page.limit + 1}`);
  return pageOf(rows, page, ({ id }) => id);
}

/** The state of an erasure. */
export const findErasure = (db: Db, { org_id, environment }: Tenant, id: string): Promise<Erasure> =>
  db.one(
    sql.type(
      Erasure,
    )`select ${columns} from erasures where org_id = ${org_id} and environment = ${environment} and id = ${id}`,
  );

/** How long the job of an erasure has for its next step before reconcile queues another. */
const LEASE = 30 * SECOND;

export const later = (now: number) => timestamp(now + LEASE);

/** Creates an erasure. Throws `conflict` when events of its subject are in archives. */
export async function createErasure(
  tx: Db,
  tenant: Tenant,
  subject: ErasureSubject,
  { ground, requested_by, now }: { ground: string; requested_by: string | null; now: number },
): Promise<Erasure> {
  const { org_id, environment } = tenant;
  const { kind, id } = subject;
  // Archiving locks this row before it checks for erasures. Locked exclusively, like at the end of an erasure: from a shared lock, two
  // could not both upgrade.
  await tx.query(sql.unsafe`
    select from event_logs where org_id = ${org_id} and environment = ${environment} for update`);
  await needNoneArchived(tx, tenant, subject);
  return tx.one(sql.type(Erasure)`
    with requested as (
      insert into erasures (org_id, environment, id, subject_kind, subject_id, ground, requested_at, requested_by, next_at)
      values (${org_id}, ${environment}, ${newId('ers', now)}, ${kind}, ${id}, ${ground}, ${timestamp(now)}, ${requested_by}, ${later(now)})
      returning *
    )
    select ${columns} from requested`);
}

/** Throws `conflict` when an event of the subject is in an archive: it cannot be emptied there. */
export async function needNoneArchived(
  db: Db,
  { org_id, environment }: Tenant,
  { kind, id }: ErasureSubject,
): Promise<void> {
  if (kind === 'evidence') return;
  const isArchived = await db.exists(sql.unsafe`
    select from archived_events
    where org_id = ${org_id} and environment = ${environment} and ${sql.identifier([`${kind}_id`])} = ${id} limit 1`);
  if (isArchived)
    throw conflict(
      'Events of it are in archives, which are kept as the law wants and cannot be emptied. Nothing was erased. Name payments that are not archived, by payment_id, to erase these.',
    );
}

const Due = z.object({ org_id: z.string(), environment: z.string(), erasure_id: z.string() });

/** Leases the erasures that no worker is running. */
export async function claimErasures(db: Pool, now: number) {
  const due = await db.any(sql.type(Due)`
    select org_id, environment, id as erasure_id from erasures where next_at <= ${timestamp(now)} order by next_at limit 100`);
  return byTenant(due, ({ org_id, environment }, rows) =>
    db.any(sql.type(Due)`
      update erasures set next_at = ${later(now)}
      where org_id = ${org_id} and environment = ${environment} and id in (
        select id from erasures
        where org_id = ${org_id} and environment = ${environment} and next_at <= ${timestamp(now)}
          and id = any(${columnOf(rows, 'erasure_id', 'text')})
        for update skip locked)
      returning org_id, environment, id as erasure_id`),
  );
}

/** When the oldest unfinished erasure was created; null when there is none. */
export const oldestErasure = (db: Db): Promise<string | null> =>
  db.oneFirst(sql.type(z.object({ since: z.string().nullable() }))`
    select min(requested_at) as since from (
      select requested_at from erasures where next_at is not null order by next_at limit 1000) e`);
