import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { ArchiveCheck } from '#shared/ledger/archive_statement.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Flaw } from './check_events.ts';
import { readLeaves } from './check_tiles.ts';
import type { LogState } from './log_state.ts';

const Covered = z.object({ last: z.int(), gap: z.int().nullable() });

const ArchiveStatement = z.object({
  from_seq: z.int(),
  to_seq: z.int(),
  leaves_digest: z.string(),
  sha256: z.string(),
  statement: z.string(),
});

const AT_ONCE = 100;

/**
 * Whether archives hold the events of a range that have left the database: without gaps or overlaps, each signed by this deployment's own
 * key, and with the leaves of the tree. The files are not read.
 */
export async function checkArchives(
  db: Db,
  tenant: Tenant,
  { archived_seq, tree_size }: Pick<LogState, 'archived_seq' | 'tree_size'>,
  { from, to }: { from: number; to: number },
  isStated: ArchiveCheck,
): Promise<Flaw | null> {
  const here = sql.fragment`org_id = ${tenant.org_id} and environment = ${tenant.environment}`;
  const { last, gap } = await db.one(sql.type(Covered)`
    select coalesce(max(to_seq), 0) as last, min(before + 1) filter (where from_seq <> before + 1) as gap
    from (select from_seq, to_seq, lag(to_seq, 1, 0::bigint) over (order by to_seq) as before from log_archives where ${here}) a`);
  if (gap !== null || last !== archived_seq) {
    const seq = gap ?? Math.min(last, archived_seq) + 1;
    return { seq, reason: `Event ${seq} is in no archive, or in two.` };
  }
  for (let after = from - 1; after < Math.min(to, archived_seq);) {
    const archives = await db.any(sql.type(ArchiveStatement)`
      select from_seq, to_seq, encode(leaves_digest, 'hex') as leaves_digest, sha256, statement from log_archives
      where ${here} and to_seq > ${after} and from_seq <= ${to} order by to_seq limit ${AT_ONCE}`);
    for (const archive of archives) {
      const events = `events ${archive.from_seq} to ${archive.to_seq}`;
      const flawed = (reason: string): Flaw => ({ seq: Math.max(from, archive.from_seq), reason });
      if (!isStated(archive)) return flawed(`The archive of ${events} is not one that this deployment signed.`);
      const { leaves, flaw } = await readLeaves(db, tenant, { from: archive.from_seq, to: archive.to_seq, tree_size });
      if (flaw) return flaw;
      if (hash('sha256', leaves) !== archive.leaves_digest)
        return flawed(`The archive of ${events} is not of the events that the tree has leaves of.`);
    }
    after = archives.at(-1)?.to_seq ?? to;
  }
  return null;
}
