import { buffer } from 'node:stream/consumers';
import { invalidRequest } from '#shared/interface/errors.ts';
import { DamagedBackup } from '#shared/backup/damaged.ts';
import type { OpenBackup } from '#shared/backup/read.ts';
import { fillTables } from '#shared/backup/tables.ts';
import { type VerifiedLog, verifyCopies } from '#shared/backup/verify.ts';
import { createPool } from '#shared/platform/db.ts';
import { checkSecretKey } from '#shared/running/secret_key/canary.ts';
import type { Config } from '#shared/settings/config.ts';
import { type SecretKeys, SecretKeySetting } from '#shared/settings/secret_key_setting.ts';
import { migrate, migrateUpTo } from '#sql/migrate.ts';

type Target = { owner_url: string; service_url: string };

export type Keys = { secret_key: SecretKeys; log_signing_key: Config['log_signing_key'] };

/**
 * Brings an empty database to what a backup holds: the schema that it had, its rows, then the newest schema. Throws `DamagedBackup` where
 * the rows are not those that were backed up. Returns what became of each log; null without keys, which the logs' signatures are checked with.
 */
export async function restoreDatabase(
  { owner_url, service_url }: Target,
  backup: OpenBackup,
  { keys, witness }: { keys: Keys | null; witness: string | undefined },
): Promise<VerifiedLog[] | null> {
  const { tables, migration, logs } = backup.manifest;
  await migrateUpTo(owner_url, migration);
  const counts = await fillTables(owner_url, async name => {
    const table = tables.find(each => each.name === name);
    return table ? { rows: await backup.read(table), columns: table.columns } : null;
  });
  const wrong = tables.find(({ name, rows }) => counts.get(name) !== rows);
  if (wrong) throw new DamagedBackup(`The backup is damaged: not all rows of ${wrong.name} are in it.`);
  await migrate(owner_url);
  return keys ? verifyCopied(service_url, logs, { keys, witness }) : null;
}

/** Verifies the logs of a database that rows were copied to. Throws WrongSecretKey. */
export async function verifyCopied(
  service_url: string,
  logs: OpenBackup['manifest']['logs'],
  { keys, witness, role }: { keys: Keys; witness: string | undefined; role?: string },
): Promise<VerifiedLog[]> {
  const db = await createPool(service_url, { role, max: 2, application_name: 'oversight-backup' });
  try {
    await checkSecretKey(db, keys.secret_key);
    return await verifyCopies({ config: keys, db }, logs, witness);
  } finally {
    await db.end();
  }
}

/** The keys that a backup is verified with: those given, and the one that it holds. Null where there is none. */
export async function keysOf(
  backup: OpenBackup,
  keys: Pick<Partial<Config>, 'secret_key' | 'log_signing_key'>,
): Promise<Keys | null> {
  const held = backup.manifest.secrets.find(({ path }) => path === 'secrets/secret-key');
  const text = held ? (await buffer(await backup.read(held))).toString().trim() : null;
  const stored_keys = text === null ? undefined : SecretKeySetting.safeParse(text);
  if (stored_keys && !stored_keys.success) throw invalidRequest('The SECRET_KEY in the backup is not usable.');
  const [first, ...others] = [...(keys.secret_key ?? []), ...(stored_keys?.data ?? [])];
  return first ? { secret_key: [first, ...others], log_signing_key: keys.log_signing_key } : null;
}
