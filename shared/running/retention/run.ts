import { z } from 'zod';
import { recordAudit } from '#shared/interface/audit_log.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import { DAY, MINUTE, timestamp } from '#shared/values/time.ts';
import { heldByCases } from './held.ts';
import { type RetainedKind, retained, retainedKinds } from './kinds.ts';
import { cutoff, Policy, policyColumns } from './policies.ts';
import type { Looked } from './retained.ts';

/** Most records that one transaction looks at and removes. */
export const BATCH = 500;
/** Most transactions in a row for one kind of an organization, before others have their turn. */
const MOST_BATCHES = 20;
const MOST_POLICIES = 50;
const RUN_EVERY = DAY;

const Due = z.object({ org_id: z.string(), environment: z.string(), kind: z.enum(retainedKinds) });

/** Removes what organizations keep no longer, a part of each. What is left, or failed, comes with a later call. */
export async function removeExpired(
  services: Pick<Services, 'db' | 'log' | 'now'>,
  signal: AbortSignal,
): Promise<void> {
  const { db, log, now } = services;
  const due = await db.any(sql.type(Due)`
    select org_id, environment, kind from retention where next_at <= ${timestamp(now())} order by next_at limit ${MOST_POLICIES}`);
  for (const { kind, ...tenant } of due) {
    try {
      for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1)
        if ((await removeBatch(services, tenant, kind)) !== 'more') break;
    } catch (error) {
      log.warn({ error, ...tenant, kind }, 'expired records not removed; it is tried again');
      await db.query(sql.unsafe`
        update retention set next_at = ${timestamp(now() + MINUTE)}
        where org_id = ${tenant.org_id} and environment = ${tenant.environment} and kind = ${kind} and next_at is not null`);
    }
  }
}

/** Does one batch of a run, and begins or ends it. `idle`: nothing is due, or another process is at it. */
export const removeBatch = (
  { db, log, now }: Pick<Services, 'db' | 'log' | 'now'>,
  tenant: Tenant,
  kind: RetainedKind,
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
        ? begin(policy, policy.days, stays, now())
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
    await save(tx, tenant, looked.next === null ? end(after, now()) : after);
    if (looked.next === null && after.run_removed > 0) {
      const { days, run_before: before, run_removed, run_held } = after;
      const entry = {
        action: 'retention.applied',
        target_id: kind,
        after: { days, before, removed: run_removed, held: run_held },
      };
      await recordAudit(tx, tenant, { actor_id: null, request_id: null }, [entry], now());
      await moveVersions(tx, tenant, [...(removed > 0 ? topics : []), 'audit_log']);
      log.info({ ...tenant, kind, ...entry.after }, 'expired records removed');
    } else if (removed > 0) await moveVersions(tx, tenant, topics);
    return looked.next === null ? 'done' : 'more';
  });

/** Those of some records that can go, by their keys, and how many cannot. */
export async function sort(db: Db, tenant: Tenant, { candidates }: Looked): Promise<{ keys: string[]; kept: number }> {
  const free = candidates.filter(({ needed }) => !needed);
  const held = await heldByCases(
    db,
    tenant,
    free.flatMap(({ about }) => about),
  );
  const keys = free.filter(({ about }) => !about.some(id => held.has(id))).map(({ key }) => key);
  return { keys, kept: candidates.length - keys.length };
}

const begin = (policy: Policy, days: number, stays: boolean, now: number) => ({
  ...policy,
  run_before: cutoff(days, now),
  run_began_at: timestamp(now),
  run_after: stays ? policy.resume_after : '',
  run_resume: null,
  run_removed: 0,
  run_held: 0,
  reached_at: null,
});

const end = (run: Policy, now: number): Policy => ({
  ...run,
  run_before: null,
  finished_at: timestamp(now),
  last_removed: run.run_removed,
  last_held: run.run_held,
  resume_after: run.run_resume ?? run.run_after,
  next_at: timestamp(now + RUN_EVERY),
});

const save = (tx: Db, { org_id, environment }: Tenant, policy: Policy) =>
  tx.query(sql.unsafe`
    update retention set next_at = ${policy.next_at}, run_before = ${policy.run_before}, run_began_at = ${policy.run_began_at},
      run_after = ${policy.run_after}, run_resume = ${policy.run_resume}, run_removed = ${policy.run_removed}, run_held = ${policy.run_held},
      reached_at = ${policy.reached_at}, finished_at = ${policy.finished_at}, last_removed = ${policy.last_removed},
      last_held = ${policy.last_held}, removed_total = ${policy.removed_total}, resume_after = ${policy.resume_after}
    where org_id = ${org_id} and environment = ${environment} and kind = ${policy.kind}`);
