import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { orNotFound, unprocessable } from '#shared/interface/errors.ts';
import { newId } from '#shared/interface/ids.ts';
import type { NewPack } from './pack_input.ts';
import { QUEUE_GRACE, removed } from './builds.ts';
import { MOST_EVENTS, selectEvents } from './pack_scope.ts';
import { Pack, packColumns } from './packs.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

const Size = z.object({ size: z.int() });

/**
 * Requests a pack. Its events are chosen now. Throws `unprocessable` when the scope names something that does not exist, has an invalid
 * time or covers more events than a pack may contain, and while the log is empty.
 */
export async function createPack(
  tx: Db,
  tenant: Tenant,
  { kind, title, scope, redact }: NewPack,
  created_by: string | null,
  now: number,
): Promise<Pack> {
  const { org_id, environment } = tenant;
  const chain_seqs = await selectEvents(tx, tenant, scope);
  if (chain_seqs.length > MOST_EVENTS)
    throw unprocessable(
      '/scope',
      'too_many_events',
      'A pack holds at most 100,000 events, and these are more. Build several packs for shorter periods.',
    );
  const log = await tx.maybeOne(sql.type(Size)`
    select size from event_logs where org_id = ${org_id} and environment = ${environment}`);
  if (!log?.size) throw unprocessable('/scope', 'no_events', 'There are no events yet that a pack could prove.');
  const pack = await tx.one(sql.type(Pack)`
    insert into packs as p (org_id, environment, id, kind, title, scope, redact, event_count, log_size, created_at, created_by, next_at)
    values (${org_id}, ${environment}, ${newId('pck', now)}, ${kind}, ${title}, ${JSON.stringify(scope)}::jsonb,
      ${sql.array([...new Set(redact)].toSorted(), 'text')}, ${chain_seqs.length}, ${log.size}, ${timestamp(now)}, ${created_by},
      ${timestamp(now + QUEUE_GRACE)})
    returning ${packColumns}`);
  await tx.query(sql.unsafe`
    insert into pack_events (org_id, environment, pack_id, chain_seqs)
    values (${org_id}, ${environment}, ${pack.id}, ${sql.array(chain_seqs, 'int8')})`);
  return pack;
}

/**
 * Removes a pack before its time: its links stop working at once, and a worker deletes its files. Does nothing if it is already gone.
 * Throws `not_found`.
 */
export async function removePack(tx: Db, tenant: Tenant, id: string, now: number): Promise<Pack> {
  const { org_id, environment } = tenant;
  const gone = await tx.maybeOne(sql.type(Pack)`
    update packs p set ${removed(now)}
    where p.org_id = ${org_id} and p.environment = ${environment} and p.id = ${id} and p.state <> 'expired'
    returning ${packColumns}`);
  await tx.query(sql.unsafe`
    delete from pack_events where org_id = ${org_id} and environment = ${environment} and pack_id = ${id} and ${gone !== null}`);
  const pack =
    gone ??
    (await tx.maybeOne(sql.type(Pack)`
      select ${packColumns} from packs p where p.org_id = ${org_id} and p.environment = ${environment} and p.id = ${id}`));
  return orNotFound('pack', pack);
}
