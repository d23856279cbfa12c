import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FragmentSqlToken } from 'slonik';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Storage } from '#shared/platform/storage/storage.ts';
import { listArchives, type LogArchive, readArchivedSeq } from './archives.ts';
import { putBack, readLine } from './lines.ts';
import { linesOf, openArchive } from './open_archive.ts';

/** Lines, of up to 1 MB and more, that are restored at once. */
const AT_ONCE = 20;

type Reading = { db: Db; storage: Storage };

type Options = {
  /** The first statement of the transaction. */
  begin?: FragmentSqlToken;
  /** Called as it proceeds; throws to end it. */
  tick?: () => Promise<void>;
};

/**
 * Reads with these events in the database, wherever they are: archived ones are restored within a transaction, which is rolled back. `seqs`
 * ascend. Without archived ones it is an ordinary transaction. Throws `DamagedArchive`, and `StorageFault`.
 */
export async function withArchived<T>(
  { db, storage }: Reading,
  tenant: Tenant,
  seqs: readonly number[],
  read: (tx: Db) => Promise<T>,
  { begin = sql.fragment`set local lock_timeout to '2s'`, tick = async () => {} }: Options = {},
): Promise<T> {
  const archived_seq = await readArchivedSeq(db, tenant);
  const wanted = seqs.filter(seq => seq <= archived_seq);
  const spool = join(storage.workshop, `archived-${randomUUID()}`);
  const answers: T[] = [];
  try {
    if (wanted.length > 0) await gather({ db, storage }, tenant, wanted, { spool, tick });
    await db.transaction(async tx => {
      await tx.query(sql.unsafe`${begin}`);
      if ((await readArchivedSeq(tx, tenant)) !== archived_seq) throw new Moved();
      if (wanted.length > 0) await putBackAll(tx, tenant, spool, tick);
      answers.push(await read(tx));
      if (wanted.length > 0) throw new Undone();
    });
  } catch (error) {
    if (error instanceof Moved) return await withArchived({ db, storage }, tenant, seqs, read, { begin, tick });
    if (!(error instanceof Undone)) throw error;
  } finally {
    await rm(spool, { force: true });
  }
  return answers[0] as T;
}

/** Rolls back a transaction that must leave nothing behind. */
class Undone extends Error {}
/** More events have been archived since that was read. */
class Moved extends Error {}

/** Collects the lines of these events, one archive after the other: nothing waits for the storage inside the transaction. */
async function gather(
  { db, storage }: Reading,
  tenant: Tenant,
  wanted: readonly number[],
  { spool, tick }: { spool: string; tick: () => Promise<void> },
): Promise<void> {
  const all = new Set(wanted);
  await mkdir(storage.workshop, { recursive: true, mode: 0o700 });
  const file = await open(spool, 'wx', 0o600);
  try {
    for (let at = 0; at < wanted.length;) {
      const [archive] = await listArchives(db, tenant, wanted[at] ?? 0, 1);
      if (!archive) throw new Error(`no archive holds event ${wanted[at]}`);
      for await (const line of linesIn(storage, archive))
        if (all.has(readLine(line).chain_seq)) await file.appendFile(`${line}\n`);
      while (at < wanted.length && (wanted[at] ?? 0) <= archive.to_seq) at += 1;
      await tick();
    }
  } finally {
    await file.close();
  }
}

async function* linesIn(storage: Storage, archive: LogArchive): AsyncGenerator<string> {
  const opened = await openArchive(storage, archive);
  try {
    yield* opened.lines('events.ndjson');
  } finally {
    await opened.close();
  }
}

async function putBackAll(tx: Db, tenant: Tenant, spool: string, tick: () => Promise<void>): Promise<void> {
  let lines: string[] = [];
  for await (const line of linesOf(createReadStream(spool))) {
    lines.push(line);
    if (lines.length < AT_ONCE) continue;
    await putBack(tx, tenant, lines);
    await tick();
    lines = [];
  }
  if (lines.length > 0) await putBack(tx, tenant, lines);
}
