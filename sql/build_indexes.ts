import { readFile } from 'node:fs/promises';
import type { Client } from 'pg';

/**
 * Brings the indexes of long tables up to `indexes.sql`, while others read and write: PostgreSQL builds and drops an index so outside of
 * transactions alone, which is why this is no migration. An index whose building was interrupted is invalid, and is built anew. Where
 * nothing is to be done, nothing is locked.
 */
export async function buildIndexes(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string; is_valid: boolean }>(`
    select c.relname as name, i.indisvalid as is_valid
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = current_schema()::regnamespace`);
  const isThere = new Map(rows.map(({ name, is_valid }) => [name, is_valid]));
  const text = await readFile(new URL('./indexes.sql', import.meta.url), 'utf8');
  for (const [statement, verb, name = ''] of text.matchAll(/^(create|drop) index concurrently (\w+)[^;]*;/gm)) {
    const is_valid = isThere.get(name);
    if (is_valid === (verb === 'create' ? true : undefined)) continue;
    if (is_valid === false && verb === 'create') await client.query(`drop index concurrently ${name}`);
    await client.query(statement);
  }
}
