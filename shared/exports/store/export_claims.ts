import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { beginning, claimDue, here, mine, ready } from '#shared/packs/store/builds.ts';
import { type Pool, sql } from '#shared/platform/db.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { DAY } from '#shared/values/time.ts';

/** An export that a worker has claimed; `attempts` identifies the claim. */
const Claimed = z.object({
  id: z.string(),
  kind: z.string(),
  format: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  filters: z.record(z.string(), z.string()),
  created_at: z.string(),
  created_by: z.string().nullable(),
  attempts: z.int(),
  failures: z.int(),
});
export type ClaimedExport = z.infer<typeof Claimed>;

/** How long an export is kept. */
const KEPT = 30 * DAY;

/** The jobs of exports that need a worker. */
export const claimExports = async (db: Pool, now: number): Promise<Jobs['export'][]> =>
  (await claimDue(db, 'exports', now)).map(({ id, ...tenant }) => ({ ...tenant, export_id: id }));

/** Claims a waiting export. Null when another worker has claimed it, or it is finished. */
export const beginExport = (db: Pool, tenant: Tenant, id: string, now: number): Promise<ClaimedExport | null> =>
  db.transaction(async tx => {
    const claimed = await tx.maybeOne(sql.type(Claimed)`
      update exports set ${beginning(now)} where ${here(tenant, id)} and state = 'queued'
      returning id, kind, format, from_at as "from", to_at as "to", filters, created_at, created_by, attempts, failures`);
    if (claimed) await moveVersions(tx, tenant, ['exports']);
    return claimed;
  });

/** Marks it as built. False when another worker has claimed the export since: then its file is not wanted. */
export const finishExport = (
  db: Pool,
  tenant: Tenant,
  held: ClaimedExport,
  file: { size_bytes: number; sha256: string; row_count: number },
  now: number,
): Promise<boolean> =>
  db.transaction(async tx => {
    const { rowCount } = await tx.query(sql.unsafe`
      update exports set ${ready(file, KEPT, now)}, row_count = ${file.row_count} where ${mine(tenant, held)}`);
    if (rowCount > 0) await moveVersions(tx, tenant, ['exports']);
    return rowCount > 0;
  });
