import { createHash, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { inWorkshop } from '#shared/embedded_postgres/workshop.ts';
import { asError } from '#shared/interface/errors.ts';
import type { Services } from '#shared/platform/services.ts';
import { createStorage, storageFolder } from '#shared/platform/storage/open_storage.ts';
import { type Storage, StorageFault } from '#shared/platform/storage/storage.ts';
import { type Database, openDatabase } from '#shared/running/open_database.ts';
import type { Config } from '#shared/settings/config.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';
import { createBackup, signLogs } from './create.ts';
import { DamagedBackup } from './damaged.ts';
import { shown } from './place.ts';
import { readBack } from './read.ts';
import {
  beyondKept,
  type ClaimedSlot,
  claimBackup,
  forgetBackup,
  lastGood,
  LEASE,
  noteDone,
  noteFailed,
  renewClaim,
} from './scheduled_backups.ts';

type Opens = (config: Config) => Promise<Pick<Database, 'owner_url' | 'embedded'>>;
type Needed = Pick<Services, 'config' | 'db' | 'log' | 'metrics' | 'now'>;

/**
 * The backups of BACKUP_URL. `look` takes the one that is due, unless another process does, reads it back, removes those beyond BACKUP_KEEP,
 * and tells the metrics how old the last good one is. It throws only where the database is away: a backup that fails is logged, noted and tried again.
 */
export function createScheduledBackups(
  services: Needed,
  open: Opens = openDatabase,
  storageOf: typeof createStorage = createStorage,
): { look(stopping: AbortSignal): Promise<void> } {
  const { config, db, log, metrics, now } = services;
  const { backup_url, backup_every, backup_keep } = config;
  if (backup_url === undefined) return { look: async () => {} };
  const place = shown(backup_url);

  const openPlace = () => storageOf({ storage_url: backup_url, data_dir: config.data_dir });

  async function tell(): Promise<void> {
    const since = await lastGood(db);
    metrics.backupAge.set(since === null ? 0 : Math.max(0, now() - Date.parse(since)) / SECOND);
    metrics.backupEvery.set(backup_every / SECOND);
  }

  async function take(claim: ClaimedSlot, stopping: AbortSignal): Promise<void> {
    const began = performance.now();
    // Told meanwhile too: one that hangs must not keep the age from growing.
    const renewing = setInterval(
      () =>
        Promise.all([renewClaim(db, claim, now()), tell()]).catch((error: unknown) =>
          log.debug({ error }, 'claim of a backup not renewed'),
        ),
      LEASE / 4,
    );
    try {
      const made = await make(services, open, await openPlace(), claim.name, stopping);
      if (await noteDone(db, claim, made, now()))
        log.info(
          { file: claim.name, bytes: made.size_bytes, ms: Math.round(performance.now() - began) },
          'backup taken',
        );
      else await (await openPlace()).remove(claim.name);
    } catch (error) {
      const reason = asError(error instanceof StorageFault ? error.cause : error).message;
      if (!stopping.aborted) {
        metrics.backupFailures.inc();
        log.error({ error, file: claim.name }, 'backup failed; it is tried again in ten minutes');
      }
      await noteFailed(db, claim, reason, now(), stopping.aborted);
    } finally {
      clearInterval(renewing);
    }
  }

  async function removeOld(): Promise<void> {
    const old = await beyondKept(db, place, backup_keep, now());
    if (old.length === 0) return;
    const storage = await openPlace();
    for (const each of old) {
      for (const name of each.names) await storage.remove(name);
      await forgetBackup(db, each);
      log.info({ files: each.names }, 'old backup removed');
    }
  }

  return {
    async look(stopping) {
      const slot = Math.floor(now() / backup_every) * backup_every;
      const name = `oversight-${timestamp(slot).replaceAll(/[:-]|\.\d+/g, '')}-${randomBytes(4).toString('hex')}.backup`;
      const claim = await claimBackup(db, { slot, name, place }, now());
      await tell();
      if (claim) {
        await take(claim, stopping);
        await tell();
      }
      await removeOld();
    },
  };
}

async function make(services: Needed, open: Opens, storage: Storage, name: string, signal: AbortSignal) {
  const { config } = services;
  needApart(config);
  await mkdir(storage.workshop, { recursive: true, mode: 0o700 });
  await signLogs(services);
  const database = await open(config);
  try {
    const source = { owner_url: database.owner_url, config, passphrase: config.backup_passphrase ?? null, signal };
    return await inWorkshop(join(storage.workshop, 'backup'), async folder => {
      const file = join(folder, 'backup');
      const { size_bytes, sha256, manifest } = await createBackup(source, file);
      await readBack(file, { ...source, newest: manifest.migration, folder });
      await storage.put(name, file);
      try {
        await needStored(storage, name, { size_bytes, sha256 }, signal);
      } catch (error) {
        // Of one that was stopped meanwhile nothing bad is known: it goes with the backup of its time.
        if (!signal.aborted) await storage.remove(name).catch(() => {});
        throw error;
      }
      return { size_bytes, sha256 };
    });
  } finally {
    await database.embedded?.close();
  }
}

/** Throws where what lies in the storage is not what was put there. */
async function needStored(
  storage: Storage,
  name: string,
  made: { size_bytes: number; sha256: string },
  signal: AbortSignal,
): Promise<void> {
  const stored = await storage.get(name);
  if (!stored) throw new DamagedBackup('The backup is not where it was put.');
  const hash = createHash('sha256');
  let size_bytes = 0;
  for await (const piece of stored.body) {
    signal.throwIfAborted();
    hash.update(piece as Buffer);
    size_bytes += (piece as Buffer).length;
  }
  if (size_bytes !== made.size_bytes || hash.digest('hex') !== made.sha256)
    throw new DamagedBackup('The backup is damaged: what lies in its place is not what was put there.');
}

/** Throws where a backup would hold the backups before it. */
function needApart(config: Config): void {
  const own = storageFolder({ storage_url: config.backup_url, data_dir: config.data_dir });
  const backed_up = storageFolder(config);
  if (own === null || backed_up === null) return;
  if (!relative(backed_up, own).startsWith('..'))
    throw new Error('BACKUP_URL lies in the folder of STORAGE_URL, which is backed up: name another folder.');
}
