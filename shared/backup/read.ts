import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { asError, invalidRequest, Problem } from '#shared/interface/errors.ts';
import { DamagedBackup } from './damaged.ts';
import { type BackupManifest, readManifest } from './manifest.ts';
import { createOpening, SEALED, SEALED_HEAD } from './sealing.ts';

export type OpenBackup = {
  manifest: BackupManifest;
  /** The bytes of one of its files. The stream fails when they differ from the manifest. */
  read(file: { path: string; size: number; sha256: string }): Promise<Readable>;
  close(): void;
};

type Options = {
  passphrase: string | null;
  /** A folder for decrypted data, which the caller removes. */
  folder: string;
  /** The newest known migration. */
  newest: string;
};

/**
 * Opens a backup in a file. Throws `invalid_request` with a sentence when it is no backup, is damaged or truncated, or the passphrase is
 * wrong or missing, and `conflict` when a newer version made it.
 */
export async function openBackup(path: string, { passphrase, folder, newest }: Options): Promise<OpenBackup> {
  const zip = await openZip(await unsealed(path, passphrase, folder));
  try {
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
    const about = entries.get('manifest.json');
    if (!about) throw new DamagedBackup('The file is no backup: it has no manifest.');
    const bytes = await buffer(await zip.openReadStreamPromise(about));
    if (crc32(bytes) !== about.crc32) throw new DamagedBackup('The backup is damaged: its manifest is not as it was.');
    const manifest = readManifest(bytes.toString(), newest);
    const all = [...manifest.tables, ...manifest.files, ...manifest.secrets];
    const lacking = all.find(file => !entries.has(file.path));
    if (lacking) throw new DamagedBackup(`The backup is damaged: ${lacking.path} is not in it.`);
    return {
      manifest,
      async read(file) {
        const entry = entries.get(file.path);
        if (!entry) throw new DamagedBackup(`The backup is damaged: ${file.path} is not in it.`);
        const check = checked(file);
        const packed = await zip.openReadStreamPromise(entry);
        // Errors surface where it is read.
        packed.once('error', (error: unknown) => check.destroy(fault(error)));
        check.once('close', () => packed.destroy());
        packed.pipe(check);
        return check;
      },
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw fault(error);
  }
}

/** Opens a backup and reads all that is in it to the end. Throws as `openBackup` does, and where anything is not what the manifest says. */
export async function readBack(
  path: string,
  { signal, ...options }: Options & { signal?: AbortSignal | undefined },
): Promise<void> {
  const backup = await openBackup(path, options);
  try {
    const { tables, files, secrets } = backup.manifest;
    for (const file of [...tables, ...files, ...secrets])
      for await (const _ of await backup.read(file)) signal?.throwIfAborted();
  } finally {
    backup.close();
  }
}

/** Writes a file of the backup to a new path. */
export async function extract(
  backup: OpenBackup,
  file: { path: string; size: number; sha256: string },
  to: string,
): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await pipeline(await backup.read(file), createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }));
}

const fault = (error: unknown): Error =>
  error instanceof Problem ? error : new DamagedBackup(`The backup is damaged: ${asError(error).message}.`);

/** The path of the ZIP: the file itself, or its decrypted copy. */
async function unsealed(path: string, passphrase: string | null, folder: string): Promise<string> {
  const head = await headOf(path);
  if (!head.subarray(0, SEALED.length).equals(SEALED)) return path;
  if (passphrase === null)
    throw invalidRequest('The backup is encrypted: name the file of its passphrase with --passphrase-file.');
  const decrypted = join(folder, 'backup.zip');
  const opening = await createOpening(passphrase, head);
  const output = createWriteStream(decrypted, { flags: 'wx', mode: 0o600 });
  await pipeline(createReadStream(path, { start: SEALED_HEAD }), opening, output);
  return decrypted;
}

async function headOf(path: string): Promise<Buffer> {
  try {
    if (!(await stat(path)).isFile()) throw new Error('it is no file');
    const file = await open(path);
    const head = await file.read(Buffer.alloc(SEALED_HEAD), 0, SEALED_HEAD, 0).finally(() => file.close());
    return head.buffer.subarray(0, head.bytesRead);
  } catch (error) {
    throw invalidRequest(`The backup ${path} cannot be read: ${asError(error).message}.`);
  }
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { autoClose: false });
  } catch (error) {
    throw new DamagedBackup(
      `The file is no backup, is damaged, or was cut off (${asError(error).message.toLowerCase().replace(/\.$/, '')}).`,
    );
  }
}

function checked({ path, size, sha256 }: { path: string; size: number; sha256: string }): Transform {
  const hash = createHash('sha256');
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      length += chunk.length;
      done(null, chunk);
    },
    flush(done) {
      const isWhole = length === size && hash.digest('hex') === sha256;
      done(isWhole ? null : new DamagedBackup(`The backup is damaged: ${path} is not what was backed up.`));
    },
  });
}
