import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';

/**
 * Every row of every table as text, but for when keys were last used, the counter that moves with that, and what counts requests: what a refused
 * request must leave as it was.
 */
export async function contents(db: Db): Promise<string> {
  const tables = await db.anyFirst(sql.type(z.object({ table_name: z.string() }))`
    select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not in ('key_hours', 'key_rejections') order by table_name`);
  const texts = await Promise.all(
    tables.map(table =>
      db.oneFirst(sql.type(z.object({ rows: z.string() }))`
        select coalesce(string_agg(r.row, '\n' order by r.row), '') as rows
        from (select (to_jsonb(t) - 'last_used_at')::text as row from ${sql.identifier([table])} t
          where to_jsonb(t) ->> 'topic' is distinct from 'keys') r`),
    ),
  );
  return tables.map((table, index) => `${table}\n${texts[index]}`).join('\n\n');
}
