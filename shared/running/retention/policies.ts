import { z } from 'zod';
import { invalidDetail } from '#shared/interface/errors.ts';
import { recordAudit } from '#shared/interface/audit_log.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions, type Topic } from '#shared/interface/versions.ts';
import type { Logger } from '#shared/platform/log.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Config } from '#shared/settings/config.ts';
import { DAY, timestamp } from '#shared/values/time.ts';
import { type RetainedKind, retainedKinds, termsOf } from './kinds.ts';

/** The retention of a kind of records, and the progress of removing older ones. */
export const Policy = z.object({
  kind: z.enum(retainedKinds),
  days: z.int().nullable(),
  next_at: z.string().nullable(),
  run_before: z.string().nullable(),
  run_began_at: z.string().nullable(),
  run_after: z.string(),
  run_resume: z.string().nullable(),
  run_removed: z.int(),
  run_held: z.int(),
  reached_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  last_removed: z.int(),
  last_held: z.int(),
  removed_total: z.int(),
  resume_after: z.string(),
  problem: z.string().nullable(),
});
export type Policy = z.infer<typeof Policy>;

export const policyColumns = sql.fragment`kind, days, next_at, run_before, run_began_at, run_after, run_resume, run_removed, run_held,
  reached_at, finished_at, last_removed, last_held, removed_total, resume_after, problem`;

/** The same for people: `days` null means forever; figures are those of the current run, else of the last. */
export type Retention = {
  kind: RetainedKind;
  days: number | null;
  fewest_days: number;
  state: 'kept' | 'waiting' | 'running';
  began_at: string | null;
  reached_at: string | null;
  finished_at: string | null;
  removed: number;
  held: number;
  removed_total: number;
  next_at: string | null;
  /** Why the last run could not remove what it should have. */
  problem: string | null;
};

/** The retention of each kind of an organization's records, and the progress of removals. */
export async function showRetention(db: Db, tenant: Tenant, limits: Limits): Promise<Retention[]> {
  const { org_id, environment } = tenant;
  const rows = await db.any(sql.type(Policy)`
    select ${policyColumns} from retention where org_id = ${org_id} and environment = ${environment}`);
  const policies = new Map(rows.map(row => [row.kind, row]));
  return retainedKinds.map(kind => describe(tenant, kind, policies.get(kind), limits));
}

function describe(tenant: Tenant, kind: RetainedKind, policy: Policy | undefined, limits: Limits): Retention {
  const days = policy?.days ?? termsOf(kind).most_days;
  const is_running = typeof policy?.run_before === 'string';
  return {
    kind,
    days,
    fewest_days: fewestDays(tenant, kind, limits),
    state: is_running ? 'running' : policy?.days ? 'waiting' : 'kept',
    began_at: policy?.run_began_at ?? null,
    reached_at: policy?.reached_at ?? null,
    finished_at: policy?.finished_at ?? null,
    removed: (is_running ? policy.run_removed : policy?.last_removed) ?? 0,
    held: (is_running ? policy.run_held : policy?.last_held) ?? 0,
    removed_total: policy?.removed_total ?? 0,
    next_at: policy?.next_at ?? null,
    problem: policy?.problem ?? null,
  };
}

/** An archived event must be too old to be accepted again, since duplicates of it would not be recognized. */
type Limits = Pick<Config, 'event_max_age_days'>;

/** The minimum by law or for the service itself. Payments in a sandbox have none. */
function fewestDays({ environment }: Tenant, kind: RetainedKind, { event_max_age_days }: Limits): number {
  const fewest = environment === 'production' ? termsOf(kind).fewest_days : 1;
  return kind === 'events' ? Math.max(fewest, event_max_age_days + 1) : fewest;
}

/**
 * Sets how many days records of a kind are kept; null: the service's default. A current run ends, and the next begins at once. Returns the
 * former setting. Throws `invalid_request` when it is too short or too long.
 */
export async function setRetention(
  tx: Db,
  tenant: Tenant,
  { kind, days }: { kind: RetainedKind; days: number | null },
  limits: Limits,
  now: number,
): Promise<{ before: number | null }> {
  if (days !== null) assertDays(tenant, kind, days, limits);
  const { org_id, environment } = tenant;
  const before = await tx.maybeOneFirst(sql.type(Policy.pick({ days: true }))`
    select days from retention where org_id = ${org_id} and environment = ${environment} and kind = ${kind} for update`);
  await tx.query(sql.unsafe`
    insert into retention (org_id, environment, kind, days, next_at)
    values (${org_id}, ${environment}, ${kind}, ${days}, ${days === null ? null : timestamp(now)})
    on conflict (org_id, environment, kind) do update set days = excluded.days, run_before = null,
      next_at = coalesce(excluded.next_at, case when retention.file is not null then ${timestamp(now)}::timestamptz end)`);
  return { before: before ?? null };
}

/** Throws `invalid_request` when records of a kind cannot be kept for this many days. */
export function assertDays(tenant: Tenant, kind: RetainedKind, days: number, limits: Limits): void {
  const { why, most_days } = termsOf(kind);
  const fewest = fewestDays(tenant, kind, limits);
  if (days < fewest) throw invalidDetail('/days', 'too_small', `${kind} are kept for ${fewest} days or more: ${why}.`);
  if (days > (most_days ?? MOST_DAYS))
    throw invalidDetail('/days', 'too_large', `${kind} can be kept for ${most_days ?? MOST_DAYS} days at most.`);
}

const MOST_DAYS = 36_500;

/** A run that begins now. */
export const beginRun = (policy: Policy, days: number, stays: boolean, now: number) => ({
  ...policy,
  run_before: cutoff(days, now),
  run_began_at: timestamp(now),
  run_after: stays ? policy.resume_after : '',
  run_resume: null,
  run_removed: 0,
  run_held: 0,
  reached_at: null,
  problem: null,
});

/** The run at its end. */
export const endRun = (run: Policy, now: number): Policy => ({
  ...run,
  run_before: null,
  finished_at: timestamp(now),
  last_removed: run.run_removed,
  last_held: run.run_held,
  resume_after: run.run_resume ?? run.run_after,
  next_at: timestamp(now + RUN_EVERY),
});

const RUN_EVERY = DAY;

/** Saves the state of a run; `moved` are the topics of its readers. At its end the audit log records what it removed, if anything. */
export async function saveRun(
  { tx, log, now }: { tx: Db; log: Logger; now: number },
  tenant: Tenant,
  run: Policy,
  moved: readonly Topic[],
): Promise<void> {
  const { org_id, environment } = tenant;
  const is_done = run.next_at !== null && run.run_before === null;
  await tx.query(sql.unsafe`
    update retention set next_at = ${run.next_at}, run_before = ${run.run_before}, run_began_at = ${run.run_began_at},
      run_after = ${run.run_after}, run_resume = ${run.run_resume}, run_removed = ${run.run_removed}, run_held = ${run.run_held},
      reached_at = ${run.reached_at}, finished_at = ${run.finished_at}, last_removed = ${run.last_removed},
      last_held = ${run.last_held}, removed_total = ${run.removed_total}, resume_after = ${run.resume_after},
      problem = ${run.problem}
    where org_id = ${org_id} and environment = ${environment} and kind = ${run.kind}`);
  if (!is_done || run.last_removed === 0) return moveVersions(tx, tenant, moved);
  const { kind, days, last_removed: removed, last_held: held } = run;
  const entry = { action: 'retention.applied' as const, target_id: kind, after: { days, removed, held } };
  await recordAudit(tx, tenant, { actor_id: null, request_id: null }, [entry], now);
  await moveVersions(tx, tenant, [...moved, 'audit_log']);
  log.info({ ...tenant, kind, ...entry.after }, 'expired records removed');
}

/** The time before which records are removed, RFC 3339. */
export const cutoff = (days: number, now: number): string => timestamp(Math.max(0, now - days * DAY));
