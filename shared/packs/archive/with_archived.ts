import type { FragmentSqlToken } from 'slonik';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Storage } from '#shared/platform/storage/storage.ts';
import { listArchives, readArchivedSeq } from './archives.ts';
import { putBack, readLine } from './lines.ts';
import { type OpenArchive, openArchive } from './open_archive.ts';

/** Lines of up to 1 MB and more are put back at once. */
const AT_ONCE = 20;

/**
 * Reads with these events in the database, whether they are there or in archives: those of archives are put back for the length of a transaction,
 * which is undone. `seqs` ascend. Without any in an archive it is a transaction as every other. Throws `DamagedArchive`, and `StorageFault`.
 */
export async function withArchived<T>(
  { db, storage }: { db: Db; storage: Storage },
  tenant: Tenant,
  seqs: readonly number[],
  read: (tx: Db) => Promise<T>,
  begin: FragmentSqlToken = sql.fragment`set local lock_timeout to '2s'`,
): Promise<T> {
  const archived_seq = await readArchivedSeq(db, tenant);
  const wanted = seqs.filter(seq => seq <= archived_seq);
  const opened: OpenArchive[] = [];
  try {
    // Nothing waits for the storage inside the transaction.
    for (let at = 0; at < wanted.length;) {
      const [archive] = await listArchives(db, tenant, wanted[at] ?? 0, 1);
      if (!archive) throw new Error(`no archive holds event ${wanted[at]}`);
      opened.push(await openArchive(storage, archive));
      while (at < wanted.length && (wanted[at] ?? 0) <= archive.to_seq) at += 1;
    }
    const answers: T[] = [];
    const all = new Set(wanted);
    try {
      await db.transaction(async tx => {
        await tx.query(sql.unsafe`${begin}`);
        for (const archive of opened) await putBackFrom(tx, tenant, archive, all);
        answers.push(await read(tx));
        if (opened.length > 0) throw new Undone();
      });
    } catch (error) {
      if (!(error instanceof Undone)) throw error;
    }
    return answers[0] as T;
  } finally {
    for (const archive of opened) await archive.close();
  }
}

/** Ends a transaction that is to leave nothing behind. */
class Undone extends Error {}

async function putBackFrom(tx: Db, tenant: Tenant, archive: OpenArchive, wanted: ReadonlySet<number>): Promise<void> {
  let lines: string[] = [];
  for await (const line of archive.lines('events.ndjson')) {
    if (!wanted.has(readLine(line).chain_seq)) continue;
    lines.push(line);
    if (lines.length < AT_ONCE) continue;
    await putBack(tx, tenant, lines);
    lines = [];
  }
  if (lines.length > 0) await putBack(tx, tenant, lines);
}
