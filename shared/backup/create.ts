import { createReadStream } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type pg from 'pg';
import { z } from 'zod';
import { conflict } from '#shared/interface/errors.ts';
import { release } from '#shared/interface/release.ts';
import { publishCheckpoint } from '#shared/ledger/publish.ts';
import { unpublishedLogs } from '#shared/ledger/unpublished.ts';
import type { Services } from '#shared/platform/services.ts';
import { Checkpoint } from '#shared/ledger/checkpoints.ts';
import { createZip, type ZippedFile, type ZipWriter } from '#shared/packs/zip.ts';
import { storageFolder } from '#shared/platform/storage/open_storage.ts';
import type { Config } from '#shared/settings/config.ts';
import { errorCode } from '#shared/values/file_trouble.ts';
import { timestamp } from '#shared/values/time.ts';
import { type BackedUpLog, type BackupManifest, FORMAT } from './manifest.ts';
import { createSealing } from './sealing.ts';
import { openSnapshot, readRows, type Snapshot } from './tables.ts';

type Source = {
  owner_url: string;
  config: Pick<Config, 'data_dir' | 'storage_url' | 'environment' | 'secret_key'>;
  /** Null: the backup is not encrypted, and no secret of DATA_DIR is in it. */
  passphrase: string | null;
  /** Ends it before it is done: it throws. */
  signal?: AbortSignal;
};

export type MadeBackup = { size_bytes: number; sha256: string; manifest: BackupManifest };

/**
 * Writes a backup to a file that is not there yet: a ZIP, sealed where there is a passphrase, with the rows of every table as they stood at
 * one moment, the files of a storage in a folder, and a manifest at its end. Memory is bounded, and nobody waits for it. What it leaves
 * where it fails is the caller's to remove.
 */
export async function createBackup(
  { owner_url, config, passphrase, signal }: Source,
  file: string,
): Promise<MadeBackup> {
  const created_at = timestamp(Date.now());
  const folder = storageFolder(config);
  const sealing = passphrase === null ? {} : { sealing: await createSealing(passphrase) };
  const snapshot = await openSnapshot(owner_url);
  const zip = await createZip(file, new Date(created_at), { always_zip64: true, ...sealing });
  try {
    const tables = await addTables(zip, snapshot, signal);
    const logs = await listLogs(snapshot.client);
    // Listed after the snapshot: a file is there before the database says so. One more does no harm, and an archive that is missing would.
    const files = folder === null ? [] : await addFiles(zip, folder, await listFiles(folder));
    if (folder !== null) needArchives(await listArchives(snapshot.client), files);
    const secrets = passphrase === null ? [] : await addSecrets(zip, config);
    const { migration, postgres } = snapshot;
    const manifest: BackupManifest = {
      format: FORMAT,
      version: release,
      migration,
      postgres,
      created_at,
      environment: config.environment,
      tables,
      files,
      files_apart: folder === null,
      secrets,
      logs,
    };
    await zip.add('manifest.json', [`${JSON.stringify(manifest, null, 2)}\n`]);
    return { ...(await zip.finish()), manifest };
  } finally {
    zip.abort();
    await snapshot.close();
  }
}

/** Signs what no checkpoint covers yet, so that a backup has proofs of all that is in it. */
export async function signLogs(
  services: Parameters<typeof publishCheckpoint>[0] & Pick<Services, 'now'>,
): Promise<void> {
  for (const { org_id, environment } of await unpublishedLogs(services.db, services.now()))
    await publishCheckpoint(services, { org_id, environment });
}

async function addTables(zip: ZipWriter, snapshot: Snapshot, signal?: AbortSignal): Promise<BackupManifest['tables']> {
  const added: BackupManifest['tables'] = [];
  for (const table of snapshot.tables) {
    const { rows, count } = readRows(snapshot, table);
    const file = await zip.add(`tables/${table.name}.copy`, until(rows, signal));
    added.push({ ...table, rows: count(), ...file });
  }
  return added;
}

async function* until<T>(pieces: AsyncIterable<T> | Iterable<T>, signal: AbortSignal | undefined): AsyncIterable<T> {
  for await (const piece of pieces) {
    signal?.throwIfAborted();
    yield piece;
  }
}

const Logs = z.array(
  z.object({
    org_id: z.string(),
    environment: z.string(),
    size: z.coerce.number(),
    checkpoint: Checkpoint.nullable(),
  }),
);

/** Every log that has begun, with its last checkpoint, as a snapshot has them. */
export async function listLogs(client: pg.Client): Promise<BackedUpLog[]> {
  const { rows } = await client.query(`
    select l.org_id, l.environment, l.size, case when c.size is not null then json_build_object(
      'size', c.size, 'root_hash', encode(c.root_hash, 'hex'), 'note', c.note,
      'created_at', to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end as checkpoint
    from event_logs l left join lateral (
      select * from log_checkpoints where org_id = l.org_id and environment = l.environment order by size desc limit 1) c on true
    where l.size > 0 order by l.org_id, l.environment`);
  return Logs.parse(rows);
}

/** The files that hold events which have left the database, as a snapshot has them. */
async function listArchives(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ file: string }>('select file from log_archives order by file');
  return rows.map(({ file }) => file);
}

function needArchives(archives: readonly string[], files: readonly ZippedFile[]): void {
  const added = new Set(files.map(({ path }) => path));
  const missing = archives.find(file => !added.has(`files/${file}`));
  if (missing !== undefined)
    throw conflict(
      `The archive ${missing} is not in the storage: a backup without it would not hold the events in it.`,
    );
}

/** Files that are prepared have no place in the storage yet. */
const UNFINISHED = 'unfinished';

async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return (
      entries
        .filter(entry => entry.isFile())
        .map(entry => relative(folder, join(entry.parentPath, entry.name)))
        // Exports by the hour are for a warehouse, which has them.
        .filter(name => ![UNFINISHED, 'warehouse'].includes(name.split(sep)[0] ?? ''))
        .toSorted()
    );
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function addFiles(zip: ZipWriter, folder: string, names: readonly string[]): Promise<ZippedFile[]> {
  const added: ZippedFile[] = [];
  for (const name of names) {
    const file = await openFile(join(folder, name));
    // One whose time was over is gone by now.
    if (file) added.push(await zip.add(`files/${name.split(sep).join('/')}`, createReadStream('', { fd: file })));
  }
  return added;
}

async function openFile(path: string) {
  try {
    return await open(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** What the service made once in DATA_DIR. A SECRET_KEY that is given by a setting is not there, and is not the backup's to hold. */
async function addSecrets(
  zip: ZipWriter,
  { data_dir, secret_key }: Pick<Config, 'data_dir' | 'secret_key'>,
): Promise<ZippedFile[]> {
  const added: ZippedFile[] = [];
  for (const name of ['secret-key', 'ops-credential']) {
    const file = await openFile(join(data_dir, name));
    if (!file) continue;
    const text = await readFile(file).finally(() => file.close());
    if (name === 'secret-key' && !Buffer.from(text.toString(), 'base64').equals(secret_key[0])) continue;
    added.push(await zip.add(`secrets/${name}`, [text]));
  }
  return added;
}
