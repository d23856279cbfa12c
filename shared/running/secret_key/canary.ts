import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { keepMade, takeBack } from '#shared/settings/made_once.ts';
import { derive, seal, tryOpen, type SecretKeys } from '#shared/platform/secret_box.ts';
import { timestamp } from '#shared/values/time.ts';
import { readSealed, sealedColumns } from './sealed_columns.ts';

/** The id of a key, which does not reveal it. */
export const idOfKey = (key: Buffer): string => derive(key, 'secret key id').toString('hex').slice(0, 12);

const Canary = z.object({ id: z.string(), sealed: z.instanceof(Buffer), created_at: z.string() });
export type Canary = z.infer<typeof Canary>;

/** The keys that may be in use, and whether they were given. */
export async function findCanaries(db: Db, keys: SecretKeys): Promise<(Canary & { is_given: boolean })[]> {
  const rows = await db.any(
    sql.type(Canary)`select id, sealed, created_at from secret_key_canaries order by created_at, id`,
  );
  return rows.map(row => ({ ...row, is_given: tryOpen(keys, row.sealed, row.id) === row.id }));
}

/**
 * Records that secrets are sealed with the first of these keys from now on. Throws WrongSecretKey, with instructions, when something may be
 * sealed with a key not among them.
 */
export async function vetSecretKey(db: Db, keys: SecretKeys): Promise<void> {
  const canaries = await checkSecretKey(db, keys);
  if (!canaries.some(({ id }) => id === idOfKey(keys[0]))) await noteKey(db, keys);
}

/** Throws as `vetSecretKey` does, but records nothing: for processes that seal nothing. Returns the recorded keys. */
export async function checkSecretKey(db: Db, keys: SecretKeys): Promise<readonly Canary[]> {
  const canaries = await findCanaries(db, keys);
  const missing = canaries.filter(({ is_given }) => !is_given);
  if (missing.length > 0) throw missing.length === canaries.length ? wrong(missing, keys) : needed(missing);
  // Keys were not recorded before this version. Some secrets may have been lost earlier; if none can be opened, the key is another.
  if (canaries.length === 0 && (await opensNothing(db, keys))) throw wrong([], keys);
  keepMade(keys[0].toString('base64'));
  return canaries;
}

/** Records that something is sealed with the first of these keys. */
export async function noteKey(db: Db, keys: SecretKeys): Promise<void> {
  const id = idOfKey(keys[0]);
  await db.query(sql.unsafe`
    insert into secret_key_canaries (id, sealed, created_at)
    values (${id}, ${sql.binary(seal(keys, id, id))}, ${timestamp(Date.now())}) on conflict (id) do nothing`);
}

/** Records that nothing is sealed with these keys any more. */
export const forgetKeys = (db: Db, ids: readonly string[]) =>
  db.query(sql.unsafe`delete from secret_key_canaries where id = any(${sql.array([...ids], 'text')})`);

async function opensNothing(db: Db, keys: SecretKeys): Promise<boolean> {
  const samples = await Promise.all(sealedColumns.map(column => readSealed(db, column, null, SAMPLE)));
  const rows = samples.flat();
  return rows.length > 0 && rows.every(({ sealed, context }) => tryOpen(keys, sealed, context) === null);
}

/** Secrets of each kind tried when no key was recorded. */
const SAMPLE = 20;

/** The database is sealed with another SECRET_KEY than those given. */
export class WrongSecretKey extends Error {}

function wrong(canaries: Canary[], keys: SecretKeys): WrongSecretKey {
  const sealed_with = `the secrets in the database are sealed with${canaryText(canaries)}`;
  // One that was made only now opens nothing, and would be taken for the right one later.
  const fault = takeBack(keys[0].toString('base64'))
    ? `There is no SECRET_KEY: it must be the one that ${sealed_with}, and after a restore that of the backup. `
    : `This is not the SECRET_KEY that ${sealed_with}; the one given, or in DATA_DIR/secret-key, is ${idOfKey(keys[0])}. `;
  return new WrongSecretKey(
    `${fault}Start with the right one: without it no webhook and no checkpoint can be signed. If it is lost for good, ` +
      '`npm run -s admin -- secret-key lost` says what that costs, and how to go on without it.',
  );
}

const needed = (canaries: Canary[]) =>
  new WrongSecretKey(
    `Something may still be sealed with an earlier SECRET_KEY${canaryText(canaries)}. Give both, SECRET_KEY=new,earlier, ` +
      'until `npm run -s admin -- secret-key status` says that it is done.',
  );

const canaryText = (canaries: Canary[]) =>
  canaries.length > 0
    ? ` (${canaries.map(({ id, created_at }) => `${id}, in use since ${created_at.slice(0, 10)}`).join('; ')})`
    : '';
