import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import { warnOf } from '#shared/platform/warn_of.ts';
import { MINUTE, timestamp } from '#shared/values/time.ts';
import { archiveEvents } from './archive_events.ts';
import { heldByCases } from './held.ts';
import { type RemovedKind, type RetainedKind, retained, retainedKinds } from './kinds.ts';
import { beginRun, endRun, Policy, policyColumns, saveRun } from './policies.ts';
import type { RetentionLook } from './retained.ts';

/** Records that one transaction reads and removes at most. */
export const BATCH = 500;
/** Transactions in a row at most for one kind of an organization, before others have their turn. */
const MOST_BATCHES = 20;
const MOST_POLICIES = 50;

const Due = z.object({ org_id: z.string(), environment: z.string(), kind: z.enum(retainedKinds) });

/** Removes expired records of each organization, a part at a time. A later call continues, and retries what failed. */
export async function removeExpired(
  services: Pick<Services, 'config' | 'db' | 'storage' | 'log' | 'now'>,
  signal: AbortSignal,
): Promise<void> {
  const { db, log, now } = services;
  const due = await db.any(sql.type(Due)`
    select org_id, environment, kind from retention where next_at <= ${timestamp(now())} order by next_at limit ${MOST_POLICIES}`);
  for (const { kind, ...tenant } of due) {
    try {
      for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1)
        if ((await removePart(services, tenant, kind)) !== 'more') break;
    } catch (error) {
      warnOf(log, error, 'expired records not removed', { ...tenant, kind });
      await db.query(sql.unsafe`
        update retention set next_at = ${timestamp(now() + MINUTE)}
        where org_id = ${tenant.org_id} and environment = ${tenant.environment} and kind = ${kind} and next_at is not null`);
    }
  }
}

const removePart = (services: Parameters<typeof removeExpired>[0], tenant: Tenant, kind: RetainedKind) =>
  kind === 'events' ? archiveEvents(services, tenant) : removeBatch(services, tenant, kind);

/** Runs one batch, and begins or ends a run. `idle`: nothing is due, or another process does it. */
export const removeBatch = (
  { db, log, now }: Pick<Services, 'db' | 'log' | 'now'>,
  tenant: Tenant,
  kind: RemovedKind,
): Promise<'more' | 'done' | 'idle'> =>
  db.transaction(async tx => {
    const { org_id, environment } = tenant;
    const policy = await tx.maybeOne(sql.type(Policy)`
      select ${policyColumns} from retention
      where org_id = ${org_id} and environment = ${environment} and kind = ${kind} and next_at <= ${timestamp(now())}
      for update skip locked`);
    if (!policy || policy.days === null) return 'idle';
    const { stays = false, topics, look, remove } = retained[kind];
    const run =
      policy.run_before === null
        ? beginRun(policy, policy.days, stays, now())
        : { ...policy, run_before: policy.run_before };
    const looked = await look(tx, tenant, { after: run.run_after, before: run.run_before, limit: BATCH });
    const { keys, kept } = await sort(tx, tenant, looked);
    const removed = keys.length > 0 ? await remove(tx, tenant, keys, run.run_before) : 0;
    const after: Policy = {
      ...run,
      run_after: looked.next ?? run.run_after,
      run_resume: run.run_resume ?? (kept > 0 ? run.run_after : null),
      run_removed: run.run_removed + removed,
      run_held: run.run_held + kept,
      reached_at: looked.candidates.at(-1)?.at ?? run.reached_at,
      removed_total: run.removed_total + removed,
      next_at: timestamp(now()),
    };
    const is_done = looked.next === null;
    await saveRun({ tx, log, now: now() }, tenant, is_done ? endRun(after, now()) : after, removed > 0 ? topics : []);
    return is_done ? 'done' : 'more';
  });

/** The keys of records that can be removed, and the number of those that cannot. */
export async function sort(
  db: Db,
  tenant: Tenant,
  { candidates }: RetentionLook,
): Promise<{ keys: string[]; kept: number }> {
  const free = candidates.filter(({ needed }) => !needed);
  const held = await heldByCases(
    db,
    tenant,
    free.flatMap(({ about }) => about),
  );
  const keys = free.filter(({ about }) => !about.some(id => held.has(id))).map(({ key }) => key);
  return { keys, kept: candidates.length - keys.length };
}
