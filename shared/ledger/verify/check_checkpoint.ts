import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { openCheckpoint } from '#shared/ledger/checkpoint_text.ts';
import type { LogKey } from '#shared/ledger/signing_keys.ts';

const Stored = z.object({ size: z.number(), root_hash: z.string(), note: z.string(), kid: z.string() });
/** A stored checkpoint, its root in hex. */
export type StoredCheckpoint = z.infer<typeof Stored>;

const columns = sql.fragment`size, encode(root_hash, 'hex') as root_hash, note, kid`;
const AT_ONCE = 1_000;

/** The checkpoint of a log at this size; null where there is none. */
export const readStoredCheckpoint = (db: Db, { org_id, environment }: Tenant, size: number) =>
  db.maybeOne(sql.type(Stored)`
    select ${columns} from log_checkpoints where org_id = ${org_id} and environment = ${environment} and size = ${size}`);

/** The checkpoints of a log up to a size, in order, read a thousand at a time. */
export async function* readStoredCheckpoints(
  db: Db,
  { org_id, environment }: Tenant,
  to: number,
): AsyncGenerator<StoredCheckpoint, undefined> {
  for (let after = 0; ;) {
    const page = await db.any(sql.type(Stored)`
      select ${columns} from log_checkpoints
      where org_id = ${org_id} and environment = ${environment} and size > ${after} and size <= ${to}
      order by size limit ${AT_ONCE}`);
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < AT_ONCE) return;
    after = last.size;
  }
}

/** The root that a checkpoint was signed for; null unless its row, its text and its signature agree. */
export function signedRoot(checkpoint: StoredCheckpoint, origin: string, keys: readonly LogKey[]): Buffer | null {
  const opened = openCheckpoint(checkpoint, origin, keys);
  return opened?.kid === checkpoint.kid ? opened.root : null;
}
