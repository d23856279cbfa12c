import { z } from 'zod';
import { invalidDetail } from '#shared/interface/errors.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { DAY, timestamp } from '#shared/values/time.ts';
import { type RetainedKind, retained, retainedKinds } from './kinds.ts';

/** How long records of a kind are kept, and how removing older ones goes. */
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
});
export type Policy = z.infer<typeof Policy>;

export const policyColumns = sql.fragment`kind, days, next_at, run_before, run_began_at, run_after, run_resume, run_removed, run_held,
  reached_at, finished_at, last_removed, last_held, removed_total, resume_after`;

/** The same for people: `days` null means forever, and while a run is under way its figures are shown, else those of the last. */
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
};

/** How long an organization keeps each kind of records, and how far removing older ones has got. */
export async function showRetention(db: Db, tenant: Tenant): Promise<Retention[]> {
  const { org_id, environment } = tenant;
  const rows = await db.any(sql.type(Policy)`
    select ${policyColumns} from retention where org_id = ${org_id} and environment = ${environment}`);
  const policies = new Map(rows.map(row => [row.kind, row]));
  return retainedKinds.map(kind => describe(tenant, kind, policies.get(kind)));
}

function describe({ environment }: Tenant, kind: RetainedKind, policy: Policy | undefined): Retention {
  const days = policy?.days ?? retained[kind].most_days;
  const is_running = typeof policy?.run_before === 'string';
  return {
    kind,
    days,
    fewest_days: fewestDays(environment, kind),
    state: is_running ? 'running' : policy?.days ? 'waiting' : 'kept',
    began_at: policy?.run_began_at ?? null,
    reached_at: policy?.reached_at ?? null,
    finished_at: policy?.finished_at ?? null,
    removed: (is_running ? policy.run_removed : policy?.last_removed) ?? 0,
    held: (is_running ? policy.run_held : policy?.last_held) ?? 0,
    removed_total: policy?.removed_total ?? 0,
    next_at: policy?.next_at ?? null,
  };
}

/** What a law or the service itself wants kept. Payments in a sandbox are nobody's. */
const fewestDays = (environment: string, kind: RetainedKind): number =>
  environment === 'production' ? retained[kind].fewest_days : 1;

/**
 * Sets for how many days records of a kind are kept; null: as long as the service keeps them by itself. A run under way ends, and the next begins at
 * once. Returns what was set before. Throws `invalid_request` where it is too short or too long.
 */
export async function setRetention(
  tx: Db,
  tenant: Tenant,
  kind: RetainedKind,
  days: number | null,
  now: number,
): Promise<{ before: number | null }> {
  if (days !== null) assertDays(tenant, kind, days);
  const { org_id, environment } = tenant;
  const before = await tx.maybeOneFirst(sql.type(Policy.pick({ days: true }))`
    select days from retention where org_id = ${org_id} and environment = ${environment} and kind = ${kind} for update`);
  await tx.query(sql.unsafe`
    insert into retention (org_id, environment, kind, days, next_at)
    values (${org_id}, ${environment}, ${kind}, ${days}, ${days === null ? null : timestamp(now)})
    on conflict (org_id, environment, kind) do update set days = excluded.days, next_at = excluded.next_at, run_before = null`);
  return { before: before ?? null };
}

/** Throws `invalid_request` where records of a kind cannot be kept for so many days. */
export function assertDays({ environment }: Tenant, kind: RetainedKind, days: number): void {
  const { why, most_days } = retained[kind];
  const fewest = fewestDays(environment, kind);
  if (days < fewest) throw invalidDetail('/days', 'too_small', `${kind} are kept for ${fewest} days or more: ${why}.`);
  if (days > (most_days ?? MOST_DAYS))
    throw invalidDetail('/days', 'too_large', `${kind} can be kept for ${most_days ?? MOST_DAYS} days at most.`);
}

const MOST_DAYS = 36_500;

/** What is older than that is removed, RFC 3339. */
export const cutoff = (days: number, now: number): string => timestamp(Math.max(0, now - days * DAY));
