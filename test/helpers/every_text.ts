import pg from 'pg';

/** Each column of any table of a database, of tomorrow too, in which a text stands somewhere, whatever its case: text, JSON, arrays, and bytes. */
export async function columnsWith(owner_url: string, text: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: owner_url });
  await client.connect();
  try {
    const { rows: columns } = await client.query<{ schema: string; table: string; name: string; type: string }>(`
      select n.nspname as schema, c.relname as table, a.attname as name, format_type(a.atttypid, null) as type
      from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
      where c.relkind = 'r' and n.nspname in ('public', 'bullmq') and a.attnum > 0 and not a.attisdropped
      order by 1, 2, a.attnum`);
    const found: string[] = [];
    for (const { schema, table, name, type } of columns) {
      const column = pg.escapeIdentifier(name);
      const value = type === 'bytea' ? `encode(${column}, 'escape')` : `${column}::text`;
      const { rows } = await client.query<{ there: boolean }>(
        `select exists (select 1 from ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)} where strpos(lower(${value}), lower($1)) > 0) as there`,
        [text],
      );
      if (rows[0]?.there) found.push(`${table}.${name}`);
    }
    return found;
  } finally {
    await client.end();
  }
}
