import { readFile } from 'node:fs/promises';
import type { Client } from 'pg';

/**
 * Brings the indexes of long tables up to `indexes.sql`, while others read and write: PostgreSQL builds and drops an index so outside of
 * transactions alone, which is why this is no migration. An index whose building was interrupted is invalid, and is built anew. Beside
 * processes that may not know of what was built now, nothing is dropped. Where nothing is to be done, nothing is locked.
 */
export async function buildIndexes(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string; is_valid: boolean }>(`
    select c.relname as name, i.indisvalid as is_valid
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = current_schema()::regnamespace`);
  const isThere = new Map(rows.map(({ name, is_valid }) => [name, is_valid]));
  const text = await readFile(new URL('./indexes.sql', import.meta.url), 'utf8');
  const statements = [...text.matchAll(/^(create|drop) index concurrently (\w+)[^;]*;/gm)];
  const missing = statements.filter(([, verb, name = '']) => verb === 'create' && isThere.get(name) !== true);
  const useless = statements.filter(([, verb, name = '']) => verb === 'drop' && isThere.has(name));
  for (const [statement, , name = ''] of missing) {
    if (isThere.has(name)) await client.query(`drop index concurrently ${name}`);
    await client.query(statement);
  }
  const { rows: events } = await client.query('select from events limit 1');
  const isUsed = events.length > 0;
  // Of what an index computes nothing is known before the next analysis.
  if (missing.length > 0 && isUsed) await client.query('analyze events, alert_events');
  if (missing.length === 0 || !isUsed) for (const [statement] of useless) await client.query(statement);
}
