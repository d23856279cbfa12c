import type { Tenant } from '#shared/interface/schemas.ts';
import type { Db } from '#shared/platform/db.ts';
import { type RetainedKind, retained } from './kinds.ts';
import { planArchives } from './archive_border.ts';
import { assertDays, cutoff } from './policies.ts';
import type { RetentionLook } from './retained.ts';
import { BATCH, sort } from './run.ts';

/** The number of records at which counting ends. */
const MOST_COUNTED = 100_000;

/** What a run would remove; beyond 100,000 records only the oldest are counted, and `complete` is false. */
export type Preview = {
  kind: RetainedKind;
  days: number;
  before: string;
  would_remove: number;
  held: number;
  complete: boolean;
};

/** Counts what this retention would remove now. Changes nothing. Throws `invalid_request` as setting it would. */
export async function previewRetention(
  db: Db,
  tenant: Tenant,
  { kind, days }: { kind: RetainedKind; days: number },
  limits: Parameters<typeof assertDays>[3],
  now: number,
): Promise<Preview> {
  assertDays(tenant, kind, days, limits);
  const before = cutoff(days, now);
  if (kind === 'events') {
    const { old, free } = await planArchives(db, tenant, before);
    return { kind, days, before, would_remove: free, held: old - free, complete: true };
  }
  const counts = { would_remove: 0, held: 0 };
  let after: string | null = '';
  let looks = 0;
  while (after !== null && counts.would_remove + counts.held < MOST_COUNTED && looks < MOST_LOOKS) {
    const looked: RetentionLook = await retained[kind].look(db, tenant, { after, before, limit: BATCH });
    const { keys, kept } = await sort(db, tenant, looked);
    counts.would_remove += keys.length;
    counts.held += kept;
    after = looked.next;
    looks += 1;
  }
  return { kind, days, before, ...counts, complete: after === null };
}

/** Stretches of the log may have nothing to count. */
const MOST_LOOKS = 2_000;
