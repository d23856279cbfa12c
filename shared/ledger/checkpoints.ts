import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';

export const Checkpoint = z
  .object({
    size: z.int().meta({ description: 'how many events it covers: those with a chain_seq up to this' }),
    root_hash: z.string().meta({ description: 'RFC 6962 root over their leaves, in lower-case hex' }),
    note: z.string().meta({ description: 'what was signed, with the signature (C2SP tlog-checkpoint)' }),
    created_at: Timestamp,
  })
  .meta({ id: 'Checkpoint' });
export type Checkpoint = z.infer<typeof Checkpoint>;

const columns = sql.fragment`size, encode(root_hash, 'hex') as root_hash, note, created_at`;

/** The checkpoint of a log at this size; null where there is none. */
export const checkpointAt = (db: Db, { org_id, environment }: Tenant, size: number): Promise<Checkpoint | null> =>
  db.maybeOne(sql.type(Checkpoint)`
    select ${columns} from log_checkpoints where org_id = ${org_id} and environment = ${environment} and size = ${size}`);

/** The newest checkpoint of a log; null where there is none. */
export const latestCheckpoint = (db: Db, { org_id, environment }: Tenant): Promise<Checkpoint | null> =>
  db.maybeOne(sql.type(Checkpoint)`
    select ${columns} from log_checkpoints where org_id = ${org_id} and environment = ${environment}
    order by size desc limit 1`);

/** Checkpoints of a log, newest first. */
export async function listCheckpoints(
  db: Db,
  { org_id, environment }: Tenant,
  page: PageRequest,
): Promise<Page<Checkpoint>> {
  const rows = await db.any(sql.type(Checkpoint)`
    select ${columns} from log_checkpoints
    where ${sql.and([
      sql.fragment`org_id = ${org_id} and environment = ${environment}`,
      page.after !== null && sql.fragment`size < ${page.after}::bigint`,
    ])}
    order by size desc limit ${page.limit + 1}`);
  return pageOf(rows, page, ({ size }) => size);
}

/** Up to `limit` checkpoints after this size, in order. */
export const checkpointsAfter = (db: Db, { org_id, environment }: Tenant, size: number, limit: number) =>
  db.any(sql.type(Checkpoint)`
    select ${columns} from log_checkpoints where org_id = ${org_id} and environment = ${environment} and size > ${size}
    order by size limit ${limit}`);

/** Stores a checkpoint with the key that signed it. */
export const insertCheckpoint = (
  tx: Db,
  { org_id, environment }: Tenant,
  { size, root_hash, note, created_at }: Checkpoint,
  kid: string,
) =>
  tx.query(sql.unsafe`
    insert into log_checkpoints (org_id, environment, size, root_hash, note, kid, created_at)
    values (${org_id}, ${environment}, ${size}, decode(${root_hash}, 'hex'), ${note}, ${kid}, ${created_at})`);
