import { createWriteStream } from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { asError } from '#shared/interface/errors.ts';
import { ListError } from './list_error.ts';

/** Most bytes that come out of an archive, all files together: 1 GB. */
const MOST_BYTES = 1_024 ** 3;
/** No publisher packs more files into one archive. */
const MOST_FILES = 50;

/** Whether a file is a ZIP archive, by its first bytes. */
export async function isZip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString('latin1') === 'PK\u0003\u0004';
  } finally {
    await file.close();
  }
}

/**
 * Unpacks the lists in a ZIP archive into a folder, without the folders in it, and returns their paths. Other files (notes, PDF) stay
 * packed. Sizes are bounded before and while unpacking. Fails with `ListError` on an archive that is damaged, encrypted, without a list, too
 * large, or with two files of one name; what was unpacked until then is removed.
 */
export async function unzipLists(path: string, folder: string, most_bytes = MOST_BYTES): Promise<string[]> {
  const name = basename(path);
  const unpacked: string[] = [];
  try {
    const zip = await openPromise(path, { autoClose: false });
    try {
      for (const entry of await listsIn(zip, name, most_bytes)) {
        const target = join(folder, basename(entry.fileName));
        unpacked.push(target);
        const file = createWriteStream(target, { flags: 'wx', mode: 0o600 });
        await pipeline(await zip.openReadStreamPromise(entry), checked(entry), file);
      }
    } finally {
      zip.close();
    }
    return unpacked;
  } catch (thrown) {
    for (const file of unpacked) await rm(file, { force: true });
    if (thrown instanceof ListError) throw thrown;
    throw new ListError(
      name,
      null,
      `is a ZIP archive that cannot be unpacked (${asError(thrown).message}); fetch it again`,
    );
  }
}

/** Passes a file's bytes on; fails at their end where their checksum is another than the archive's. */
function checked({ crc32: expected, fileName }: Entry): Transform {
  let sum = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sum = crc32(chunk, sum);
      done(null, chunk);
    },
    flush: done => done(sum === expected ? null : new Error(`the checksum of ${fileName} is wrong`)),
  });
}

/** Unpacks the archives in a folder into it, each in its own place. Fails as `unzipLists` does. */
export async function unzipAll(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!(await isZip(path))) continue;
    await unzipLists(path, folder);
    await rm(path);
  }
}

/** The entries that are lists by their names. They are read from the directory at the archive's end, which says how large they are. */
async function listsIn(zip: ZipFile, name: string, most_bytes: number): Promise<Entry[]> {
  if (zip.entryCount > MOST_FILES) throw new ListError(name, null, `holds ${zip.entryCount} files; a list has a few`);
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) if (isList(entry.fileName)) entries.push(entry);
  if (entries.length === 0) throw new ListError(name, null, 'holds no file of a list (.csv, .xml, .json)');
  if (new Set(entries.map(entry => basename(entry.fileName).toLowerCase())).size < entries.length)
    throw new ListError(name, null, 'holds two files of one name; unpack it and name the folder');
  if (entries.some(entry => entry.isEncrypted())) throw new ListError(name, null, 'is encrypted; unpack it first');
  const bytes = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  if (bytes > most_bytes)
    throw new ListError(
      name,
      null,
      `would unpack to ${Math.round(bytes / 1_024 ** 2)} MB; a list has less than a gigabyte`,
    );
  return entries;
}

const isList = (path: string) => /\.(csv|xml|json|jsonl)$/i.test(path) && !/(^|\/)(\.|__MACOSX\/)/.test(path);
