import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { timestamp } from '#shared/values/time.ts';

/** The most events in one archive: reading one event fetches its whole file. Tiles are never split. */
export const MOST_ARCHIVED = 2_048;

/** A file with a stretch of a log: hashes in hex. */
export const LogArchive = z.object({
  from_seq: z.int(),
  to_seq: z.int(),
  file: z.string(),
  sha256: z.string(),
  size_bytes: z.int(),
  leaves_digest: z.string(),
  runs: z.int(),
  evaluations: z.int(),
  evidence_values: z.int(),
  erasures: z.int(),
  checkpoint_size: z.int(),
  root_hash: z.string(),
  statement: z.string(),
});
export type LogArchive = z.infer<typeof LogArchive>;

const columns = sql.fragment`from_seq, to_seq, file, sha256, size_bytes, encode(leaves_digest, 'hex') as leaves_digest, runs, evaluations,
  evidence_values, erasures, checkpoint_size, encode(root_hash, 'hex') as root_hash, statement`;

/** A name for an archive in the storage. Each attempt has its own name, so that none can overwrite another's. */
export const archiveFile = ({ org_id, environment }: Tenant, from_seq: number, to_seq: number): string =>
  `archives/${org_id}/${environment}/${from_seq}-${to_seq}-${randomBytes(4).toString('hex')}.zip`;

/** The archives of a log in order, at most `limit`, starting with the one that holds this position. */
export const listArchives = (db: Db, { org_id, environment }: Tenant, from_seq: number, limit: number) =>
  db.any(sql.type(LogArchive)`
    select ${columns} from log_archives
    where org_id = ${org_id} and environment = ${environment} and to_seq >= ${from_seq} order by to_seq limit ${limit}`);

/** Records an archive that was read again and found complete. */
export const insertArchive = (tx: Db, { org_id, environment }: Tenant, archive: LogArchive, now: number) =>
  tx.query(sql.unsafe`
    insert into log_archives (org_id, environment, from_seq, to_seq, file, sha256, size_bytes, leaves_digest, runs, evaluations,
      evidence_values, erasures, checkpoint_size, root_hash, statement, created_at)
    values (${org_id}, ${environment}, ${archive.from_seq}, ${archive.to_seq}, ${archive.file}, ${archive.sha256}, ${archive.size_bytes},
      decode(${archive.leaves_digest}, 'hex'), ${archive.runs}, ${archive.evaluations}, ${archive.evidence_values}, ${archive.erasures}, ${archive.checkpoint_size},
      decode(${archive.root_hash}, 'hex'), ${archive.statement}, ${timestamp(now)})`);

/** Whether this file is an archive of a log. */
export const isArchive = (db: Db, { org_id, environment }: Tenant, file: string): Promise<boolean> =>
  db.exists(sql.unsafe`
    select from log_archives where org_id = ${org_id} and environment = ${environment} and file = ${file}`);

/** The last archived position of a log; 0: none. */
export const readArchivedSeq = async (db: Db, { org_id, environment }: Tenant): Promise<number> =>
  (await db.maybeOneFirst(sql.type(z.object({ archived_seq: z.int() }))`
    select archived_seq from event_logs where org_id = ${org_id} and environment = ${environment}`)) ?? 0;

/** The position of an archived event; null when there is no such event in an archive. */
export const findArchived = (db: Db, { org_id, environment }: Tenant, id: string): Promise<number | null> =>
  db.maybeOneFirst(sql.type(z.object({ chain_seq: z.int() }))`
    select chain_seq from archived_events where org_id = ${org_id} and environment = ${environment} and id = ${id}`);

const Seq = z.object({ chain_seq: z.int() });

/** The positions of the archived events that these alerts are linked to, ascending. */
export async function archivedOfAlerts(db: Db, tenant: Tenant, alert_ids: readonly string[]): Promise<number[]> {
  const archived_seq = await readArchivedSeq(db, tenant);
  if (archived_seq === 0 || alert_ids.length === 0) return [];
  return [
    ...(await db.anyFirst(sql.type(Seq)`
      select distinct chain_seq from alert_events
      where org_id = ${tenant.org_id} and environment = ${tenant.environment} and alert_id = any(${sql.array([...alert_ids], 'text')})
        and chain_seq <= ${archived_seq}
      order by chain_seq`)),
  ];
}
