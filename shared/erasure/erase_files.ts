import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { Problem } from '#shared/interface/errors.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { MINUTE } from '#shared/values/time.ts';
import { removed } from '#shared/packs/store/builds.ts';
import { PackScope } from '#shared/packs/store/pack_input.ts';
import { selectEvents } from '#shared/packs/store/pack_scope.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { ErasureSubject } from './erasures.ts';
import { eventsWith } from './subject_events.ts';

/** How many packs are examined in one transaction. */
const AT_ONCE = 20;

const Pack = z.object({ id: z.string(), scope: PackScope });

/** The events that lose something, as a condition on rows `e`. */
type AffectedEvents = FragmentSqlToken;

/** The events that an erasure has already been through. */
const affectedBy = ({ org_id, environment }: Tenant, id: string): AffectedEvents => sql.fragment`
  events e join erased_events x using (org_id, environment, chain_seq)
  where org_id = ${org_id} and environment = ${environment} and x.erasure_id = ${id}`;

/**
 * Removes those of the next packs that hold events of an erasure, built or being built: each records the reason, its links stop working,
 * and a worker deletes its files. Returns how many, and where to continue; null at the end.
 */
export async function removePacks(
  tx: Db,
  tenant: Tenant,
  { id, after }: { id: string; after: string },
  now: number,
): Promise<{ packs: number; after: string | null }> {
  const { held, last } = await nextHeld(tx, tenant, affectedBy(tenant, id), after);
  const { org_id, environment } = tenant;
  const { rowCount } = await tx.query(sql.unsafe`
    update packs set ${removed(now)}, error = ${whyRemoved(id)}
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array(held, 'text')}) and state in ('ready', 'building')`);
  return { packs: rowCount, after: last };
}

/** Those of the next packs that hold such events. */
async function nextHeld(db: Db, tenant: Tenant, events: AffectedEvents, after: string) {
  const { org_id, environment } = tenant;
  const packs = await db.any(sql.type(Pack)`
    select id, scope from packs
    where org_id = ${org_id} and environment = ${environment} and id > ${after} and state in ('ready', 'building')
    order by id limit ${AT_ONCE}`);
  const held: string[] = [];
  for (const { id, scope } of packs) {
    const seqs = await selectEvents(db, tenant, scope).catch(noneLeft);
    if (await db.exists(sql.unsafe`select from ${events} and chain_seq = any(${sql.array([...seqs], 'int8')})`))
      held.push(id);
  }
  return { held, last: packs.length < AT_ONCE ? null : (packs.at(-1)?.id ?? null) };
}

/** A record named by the pack's scope may be gone. */
function noneLeft(error: unknown): readonly number[] {
  if (error instanceof Problem) return [];
  throw error;
}

/**
 * Removes the exports requested earlier: of events, those that may hold one of the erasure or name somebody in their filters; of other records
 * all, because their contents are not known. Returns how many.
 */
export async function removeExports(tx: Db, tenant: Tenant, id: string, now: number): Promise<number> {
  const { rowCount } = await tx.query(sql.unsafe`
    update exports set ${removed(now)}, error = ${whyRemoved(id)} where ${exportsWith(tenant, affectedBy(tenant, id), wereNamed)}`);
  return rowCount;
}

/** The words that stood in their filters have been taken out already. */
const wereNamed = sql.fragment`exports.filters::text like '%[erased]%'`;

/** The clock that says when an export was ready is a worker's, and may be so far behind that of the database (milliseconds). */
const APART = 5 * MINUTE;

const exportsWith = (
  { org_id, environment }: Tenant,
  events: AffectedEvents,
  are_named: FragmentSqlToken,
) => sql.fragment`
  exports.org_id = ${org_id} and exports.environment = ${environment} and exports.state in ('ready', 'building') and (
    exports.kind <> 'events' or ${are_named} or exists (
      select from ${events} and (exports.from_at is null or e.occurred_at >= exports.from_at)
        and (exports.to_at is null or e.occurred_at < exports.to_at)
        and (exports.ready_at is null or e.received_at <= exports.ready_at + ${APART} * interval '1 millisecond')))`;

/** How many packs and exports an erasure of a subject would remove. `naming`: the exports whose filters name somebody. */
export async function countFiles(
  db: Db,
  tenant: Tenant,
  subject: ErasureSubject,
  naming: readonly string[] = [],
): Promise<number> {
  const events = await eventsWith(db, tenant, subject);
  let count = 0;
  for (let after: string | null = ''; after !== null;) {
    const { held, last }: Awaited<ReturnType<typeof nextHeld>> = await nextHeld(db, tenant, events, after);
    count += held.length;
    after = last;
  }
  if (subject.kind === 'evidence') return count;
  const are_named = sql.fragment`exports.id = any(${sql.array([...naming], 'text')})`;
  return (
    count +
    (await db.oneFirst(sql.type(z.object({ count: z.int() }))`
      select count(*) as count from exports where ${exportsWith(tenant, events, are_named)}`))
  );
}

const whyRemoved = (id: string) =>
  `Removed, since it may have held what the erasure ${id} took away. Ask for it again.`;
