import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { buffer } from 'node:stream/consumers';
import { StringDecoder } from 'node:string_decoder';
import { type Entry, openPromise } from 'yauzl';
import { orFault, type Storage } from '#shared/platform/storage/storage.ts';
import type { LogArchive } from './archives.ts';

/** A fetched archive. */
export type OpenArchive = {
  /** The lines of one of its files, without line ends. */
  lines(path: string): AsyncGenerator<string>;
  /** The contents of one of its files. */
  bytes(path: string): Promise<Buffer>;
  /** The SHA-256 of one of its files, in hex. */
  sha256(path: string): Promise<string>;
  close(): Promise<void>;
};

/** An archive is missing or damaged; the message says so in a sentence. */
export class DamagedArchive extends Error {
  override name = 'DamagedArchive';
}

/** Fetches an archive to the disk and checks its SHA-256. Throws `DamagedArchive`, and `StorageFault` when the storage is away. */
export async function openArchive(
  storage: Storage,
  archive: Pick<LogArchive, 'file' | 'sha256'>,
): Promise<OpenArchive> {
  await mkdir(storage.workshop, { recursive: true, mode: 0o700 });
  const path = join(storage.workshop, `archive-${randomUUID()}.zip`);
  try {
    const stored = await storage.get(archive.file);
    if (!stored) throw new DamagedArchive(`The archive ${archive.file} is not in the storage.`);
    const hash = createHash('sha256');
    const hashing = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    await orFault(pipeline(stored.body, hashing, createWriteStream(path, { flags: 'wx', mode: 0o600 })));
    if (hash.digest('hex') !== archive.sha256)
      throw new DamagedArchive(`The archive ${archive.file} is not as it was: its SHA-256 is another.`);
    const zip = await openPromise(path, { autoClose: false });
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
    const open = (name: string) => {
      const entry = entries.get(name);
      if (!entry) throw new DamagedArchive(`The archive ${archive.file} has no ${name}.`);
      return zip.openReadStreamPromise(entry);
    };
    return {
      async *lines(name) {
        yield* linesOf(await open(name));
      },
      bytes: async name => buffer(await open(name)),
      async sha256(name) {
        const hash = createHash('sha256');
        await pipeline(await open(name), hash);
        return hash.digest('hex');
      },
      async close() {
        zip.close();
        await rm(path, { force: true });
      },
    };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** The lines of a file of JSON lines. Only a line feed ends one: JSON texts may contain other separators. */
export async function* linesOf(stream: Readable): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const [first = '', ...more] = decoder.write(chunk).split('\n');
    rest += first;
    for (const next of more) {
      yield rest;
      rest = next;
    }
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
}
