import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rename, rmdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Keys, keysOf, restoreDatabase } from '#bin/backup/restore.ts';
import { createBackup, signLogs } from '#shared/backup/create.ts';
import { DamagedBackup } from '#shared/backup/damaged.ts';
import { shown, storeBackup, withBackup } from '#shared/backup/place.ts';
import { extract, type OpenBackup, openBackup } from '#shared/backup/read.ts';
import { syncFolder } from '#shared/embedded_postgres/files.ts';
import { openEmbeddedPostgres } from '#shared/embedded_postgres/open.ts';
import { conflict, invalidRequest } from '#shared/interface/errors.ts';
import { openDatabase } from '#shared/running/open_database.ts';
import { readSetting } from '#shared/settings/config.ts';
import { SecretKeySetting } from '#shared/settings/secret_key_setting.ts';
import { errorCode } from '#shared/values/file_trouble.ts';
import { newestMigration } from '#shared/running/migrated.ts';
import type { AdminCommand, OptionValues, Shell } from './command.ts';

const argument = { name: '<file>', about: 'a file, or s3://bucket/path/name.backup?region=…' };
const passphraseOption = {
  flags: '--passphrase-file <file>',
  about: 'a file with the passphrase that it is encrypted with',
} as const;

export const backup: AdminCommand[] = [
  {
    name: 'backup create',
    summary: 'Write a backup of everything as it stands now, while the service runs',
    options: [passphraseOption],
    argument,
    async run(options, services) {
      const { config } = services;
      const target = options['argument'] ?? '';
      const passphrase = await readPassphrase(options);
      // What is not signed yet, is by then.
      await signLogs(services);
      const database = await openDatabase(config);
      try {
        const source = { owner_url: database.owner_url, config, passphrase };
        const { size_bytes, sha256, manifest } = await storeBackup(target, config.data_dir, file =>
          createBackup(source, file),
        );
        const { tables, files, files_apart, secrets, logs } = manifest;
        const last = logs.toSorted((a, b) => timeOf(b) - timeOf(a))[0];
        return {
          file: shown(target),
          bytes: size_bytes,
          sha256,
          checkpoint: last?.checkpoint
            ? { org_id: last.org_id, environment: last.environment, ...last.checkpoint }
            : null,
          logs: logs.length,
          rows: tables.reduce((sum, { rows }) => sum + rows, 0),
          files: files.length,
          encrypted: passphrase !== null,
          keep_apart: [
            ...(secrets.some(({ path }) => path === 'secrets/secret-key') ? [] : ['SECRET_KEY']),
            ...(config.log_signing_key ? ['LOG_SIGNING_KEY'] : []),
            ...(files_apart ? ['the bucket of STORAGE_URL'] : []),
          ],
        };
      } finally {
        await database.embedded?.close();
      }
    },
  },
  {
    name: 'backup verify',
    summary:
      'Restore a backup into a database of its own, verify every log in it, and throw that away; exit 1 where it is not whole',
    options: [
      passphraseOption,
      {
        flags: '--witness <file>',
        about: 'checkpoints kept elsewhere (default: CHECKPOINT_WITNESS, where that is a file)',
      },
    ],
    argument,
    async runAlone(options, _words, { settings }) {
      const file = options['argument'] ?? '';
      try {
        return await verifyBackup(file, options, settings);
      } catch (error) {
        if (!(error instanceof DamagedBackup)) throw error;
        return { ok: false, file: shown(file), reason: error.message };
      }
    },
    failed: result => !(result as { ok: boolean }).ok,
  },
  {
    name: 'backup restore',
    summary: 'Make a data folder with the embedded database of a backup',
    options: [
      passphraseOption,
      { flags: '--data-dir <folder>', about: 'where: a folder that is empty, or not there', required: true },
    ],
    argument,
    async runAlone(options, _words, { settings }) {
      const target = resolve(options['dataDir'] ?? '');
      await needEmpty(target);
      const passphrase = await readPassphrase(options);
      return withBackup(options['argument'] ?? '', target, tmpdir(), async (file, folder) => {
        const opened = await openBackup(file, { passphrase, folder, newest: newestMigration() });
        try {
          const keys = await keysOf(opened, givenKeys(settings));
          const data_dir = join(folder, 'data');
          const logs = await restoreTo(data_dir, opened, { keys, witness: undefined });
          const bad = logs?.find(({ ok }) => !ok);
          if (bad)
            throw new DamagedBackup(`The log of ${bad.org_id} in the backup is not what was signed: ${bad.reason}`);
          const { files, secrets, tables, created_at, version } = opened.manifest;
          for (const each of files) await extract(opened, each, join(data_dir, each.path));
          for (const each of secrets) await extract(opened, each, join(data_dir, basename(each.path)));
          await takePlace(data_dir, target);
          const holdsKey = secrets.some(({ path }) => path === 'secrets/secret-key');
          return {
            ok: true,
            data_dir: target,
            created_at,
            version,
            rows: tables.reduce((sum, { rows }) => sum + rows, 0),
            files: files.length,
            logs_verified: logs !== null,
            logs: (logs ?? opened.manifest.logs).map(({ org_id, environment, size }) => ({
              org_id,
              environment,
              size,
            })),
            needs: holdsKey ? [] : ['SECRET_KEY'],
          };
        } finally {
          opened.close();
        }
      });
    },
  },
];

const timeOf = ({ checkpoint }: OpenBackup['manifest']['logs'][number]) =>
  Date.parse(checkpoint?.created_at ?? '') || 0;

async function verifyBackup(source: string, options: OptionValues, settings: Shell['settings']) {
  const passphrase = await readPassphrase(options);
  const witness = options['witness'] ?? readSetting('CHECKPOINT_WITNESS', settings)?.file;
  return withBackup(source, join(tmpdir(), 'oversight-verify'), tmpdir(), async (file, folder) => {
    const opened = await openBackup(file, { passphrase, folder, newest: newestMigration() });
    try {
      const keys = await keysOf(opened, { secret_key: await keyOfDataDir(settings), ...givenKeys(settings) });
      if (!keys)
        throw invalidRequest(
          'Its logs are verified with the SECRET_KEY that it was made with: give it as SECRET_KEY or SECRET_KEY_FILE.',
        );
      const logs = (await restoreTo(join(folder, 'data'), opened, { keys, witness })) ?? [];
      // Restoring read every row; every other file is read, too.
      for (const each of [...opened.manifest.files, ...opened.manifest.secrets])
        await pipeline(await opened.read(each), async pieces => {
          for await (const piece of pieces) void piece;
        });
      const { tables, files, created_at, version, migration } = opened.manifest;
      // A log may be younger than what the witness was told of last, all of them hardly.
      const says_nothing =
        options['witness'] !== undefined && logs.length > 0 && logs.every(log => log.witness_statements === 0);
      return {
        ok: logs.every(({ ok }) => ok) && !says_nothing,
        ...(says_nothing && { reason: 'The file of --witness has no checkpoint of any log in the backup.' }),
        file: shown(source),
        ...(await measure(file)),
        created_at,
        version,
        migration,
        encrypted: passphrase !== null,
        rows: tables.reduce((sum, { rows }) => sum + rows, 0),
        files: files.length,
        logs,
      };
    } finally {
      opened.close();
    }
  });
}

async function restoreTo(
  data_dir: string,
  opened: OpenBackup,
  verification: { keys: Keys | null; witness: string | undefined },
) {
  const postgres = await openEmbeddedPostgres({ data_dir });
  try {
    return await restoreDatabase(postgres, opened, verification);
  } finally {
    await postgres.close();
  }
}

async function needEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw invalidRequest(`${folder} cannot be made a data folder: it is something else.`);
  });
  if (names.length > 0)
    throw conflict(
      `${folder} is not empty. Name a folder that is, or is not there: nothing is ever restored over something.`,
    );
}

/** Gives a finished data folder its name. */
async function takePlace(data_dir: string, target: string): Promise<void> {
  await needEmpty(target);
  await rmdir(target).catch(() => {});
  await rename(data_dir, target);
  await syncFolder(dirname(target));
}

async function readPassphrase(options: OptionValues): Promise<string | null> {
  const path = options['passphraseFile'];
  if (path === undefined) return null;
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw invalidRequest(`The file of the passphrase cannot be read: ${error.message}.`);
  });
  const passphrase = text.replace(/\r?\n$/, '');
  if (passphrase.length < SHORTEST)
    throw invalidRequest(`A passphrase has at least ${SHORTEST} characters; that of ${path} has ${passphrase.length}.`);
  return passphrase;
}

const SHORTEST = 12;

function givenKeys(settings: Shell['settings']) {
  const secret_key = readSetting('SECRET_KEY', settings) as Keys['secret_key'] | undefined;
  return { ...(secret_key && { secret_key }), log_signing_key: readSetting('LOG_SIGNING_KEY', settings) };
}

/** The key that the service made itself, where a backup is verified beside it. */
async function keyOfDataDir(settings: Shell['settings']) {
  const text = await readFile(join(readSetting('DATA_DIR', settings), 'secret-key'), 'utf8').catch(() => '');
  return SecretKeySetting.safeParse(text.trim()).data;
}

async function measure(file: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return { bytes: (await stat(file)).size, sha256: hash.digest('hex') };
}
