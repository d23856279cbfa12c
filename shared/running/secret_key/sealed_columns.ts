import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';

/** A column of secrets sealed under SECRET_KEY; `context` is the column that each is bound to. */
type Column = { name: `${string}.${string}`; key: readonly string[]; context: string };

const tenant = ['org_id', 'environment', 'id'] as const;

/**
 * All columns with lasting secrets. Short-lived ones are not resealed: the secret of a pending enrollment (`pending_totp`, 10 minutes) and
 * the address of a shared pack repeated for its Idempotency-Key (24 hours); nor are cursors and codes of sign-in links.
 */
export const sealedColumns = [
  { name: 'log_signing_keys.sealed_private_key', key: ['kid'], context: 'kid' },
  { name: 'webhook_endpoints.sealed_secret', key: tenant, context: 'id' },
  // After the column it is moved from, so that none is missed.
  { name: 'webhook_endpoints.previous_sealed_secret', key: tenant, context: 'id' },
  { name: 'sources.sealed_secret', key: tenant, context: 'id' },
  { name: 'notification_settings.sealed_webhook', key: ['org_id', 'environment', 'user_id'], context: 'user_id' },
  { name: 'second_factors.sealed_secret', key: ['user_id', 'id'], context: 'user_id' },
] as const satisfies readonly Column[];
export type SealedColumn = (typeof sealedColumns)[number];

export const SealedRow = z.object({ key: z.array(z.string()), context: z.string(), sealed: z.instanceof(Buffer) });
export type SealedRow = z.infer<typeof SealedRow>;

/** How many rows are read at a time. */
export const SEALED_PAGE = 500;

/** The secrets of a column after the row with that key, in order of the keys. */
export function readSealed(
  db: Db,
  { name, key, context }: SealedColumn,
  after: readonly string[] | null,
  limit = SEALED_PAGE,
): Promise<readonly SealedRow[]> {
  const { table, sealed } = identifiers(name);
  const columns = listOf(key.map(name => sql.identifier([name])));
  return db.any(sql.type(SealedRow)`
    select array[${columns}] as key, ${sql.identifier([context])} as context, ${sealed} as sealed from ${table}
    where ${sql.and([
      sql.fragment`${sealed} is not null`,
      after !== null && sql.fragment`(${columns}) > (${listOf(after)})`,
    ])}
    order by ${columns} limit ${limit}`);
}

/** All secrets of a column, read in pages. */
export async function* everySealed(db: Db, column: SealedColumn): AsyncGenerator<SealedRow> {
  let after: string[] | null = null;
  do {
    const rows: readonly SealedRow[] = await readSealed(db, column, after);
    yield* rows;
    after = rows.length === SEALED_PAGE ? (rows.at(-1)?.key ?? null) : null;
  } while (after);
}

/** Replaces or clears a secret, unless it has changed since. Returns whether it did. */
export async function replaceSealed(
  db: Db,
  { name, key }: SealedColumn,
  row: SealedRow,
  by: Buffer | null,
): Promise<boolean> {
  const { table, sealed } = identifiers(name);
  const { rowCount } = await db.query(sql.unsafe`
    update ${table} set ${sealed} = ${by && sql.binary(by)}
    where (${listOf(key.map(name => sql.identifier([name])))}) = (${listOf(row.key)}) and ${sealed} = ${sql.binary(row.sealed)}`);
  return rowCount === 1;
}

const listOf = (members: Parameters<typeof sql.join>[0]) => sql.join(members, sql.fragment`, `);

function identifiers(name: SealedColumn['name']) {
  const [table = '', column = ''] = name.split('.');
  return { table: sql.identifier([table]), sealed: sql.identifier([column]) };
}
