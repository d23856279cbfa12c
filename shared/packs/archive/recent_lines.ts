import { LRUCache } from 'lru-cache';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Db } from '#shared/platform/db.ts';
import type { Storage } from '#shared/platform/storage/storage.ts';
import { listArchives, type LogArchive } from './archives.ts';
import { openArchive } from './open_archive.ts';

/** Recently read lines of any log, by the SHA-256 of their archive and their position: 32 MB. */
const recent = new LRUCache<string, string>({ maxSize: 32 * 1_024 ** 2, sizeCalculation: line => line.length + 128 });

/** One archive is read at a time, so that the process's other work does not wait longer. */
let reading: Promise<unknown> = Promise.resolve();

/** The most that is held in memory for one response. */
const MOST_LENGTH = 16 * 1_024 ** 2;

/**
 * The lines of archived events at these positions, ascending; null when they are too large for memory. Throws `DamagedArchive`, and
 * `StorageFault`.
 */
export async function readArchivedLines(
  { db, storage }: { db: Db; storage: Storage },
  tenant: Tenant,
  seqs: readonly number[],
): Promise<string[] | null> {
  const all: string[] = [];
  let length = 0;
  for (let at = 0; at < seqs.length;) {
    const [archive] = await listArchives(db, tenant, seqs[at] ?? 0, 1);
    if (!archive) throw new Error(`no archive holds event ${seqs[at]}`);
    const end = seqs.findLastIndex(seq => seq <= archive.to_seq) + 1;
    const lines = await readOf(storage, archive, seqs.slice(at, end));
    length += lines.reduce((sum, line) => sum + line.length, 0);
    if (length > MOST_LENGTH) return null;
    all.push(...lines);
    at = end;
  }
  return all;
}

const keyOf = ({ sha256 }: LogArchive, seq: number) => `${sha256} ${seq}`;

async function readOf(storage: Storage, archive: LogArchive, seqs: readonly number[]): Promise<string[]> {
  const cached = () => seqs.flatMap(seq => recent.get(keyOf(archive, seq)) ?? []);
  if (cached().length === seqs.length) return cached();
  const result = reading.then(async () => {
    const lines = cached();
    return lines.length === seqs.length ? lines : readAnew(storage, archive, new Set(seqs));
  });
  reading = result.catch(() => {});
  return result;
}

/** Its neighbors are likely to be requested next, and are cached as well. */
async function readAnew(storage: Storage, archive: LogArchive, wanted: ReadonlySet<number>): Promise<string[]> {
  const opened = await openArchive(storage, archive);
  try {
    const lines: string[] = [];
    let length = 0;
    let seq = archive.from_seq;
    for await (const line of opened.lines('events.ndjson')) {
      recent.set(keyOf(archive, seq), line);
      if (wanted.has(seq) && length <= MOST_LENGTH) {
        lines.push(line);
        length += line.length;
      }
      seq += 1;
    }
    return lines;
  } finally {
    await opened.close();
  }
}
