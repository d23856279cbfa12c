import pg from 'pg';

type Column = { name: string; type: string; checks: string[] };
type Table = { name: string; columns: Column[] };

/** Every table of a database that has no rows gets one, made of its columns as the catalog has them: a table of tomorrow, too. */
export async function fillEveryTable(owner_url: string): Promise<void> {
  await asOwner(owner_url, async client => {
    // No trigger runs, and nothing has to be referred to; nor on the nodes of a cluster, which are told what is set for a transaction.
    await client.query('begin');
    await client.query('set local citus.propagate_set_commands = local');
    await client.query('set local session_replication_role = replica');
    const { rows } = await client.query<Table>(`
      select c.relname as name, (
        select coalesce(json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null), 'checks', array(
          select pg_get_constraintdef(k.oid) from pg_constraint k
          where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum])) order by a.attnum), '[]')
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attnotnull and not a.atthasdef) as columns
      from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by c.relname`);
    for (const { name, columns } of rows) {
      const { rowCount } = await client.query(`select from ${name} limit 1`);
      if (rowCount !== 0) continue;
      const names = columns.map(column => pg.escapeIdentifier(column.name));
      await client.query(`insert into ${name} (${names.join(', ')}) values (${columns.map(valueOf).join(', ')})`);
    }
    await client.query('commit');
  });
}

/** The rows of each table, as one text each that changes with any of them. */
export async function contentsOf(owner_url: string): Promise<Record<string, { rows: number; digest: string }>> {
  return asOwner(owner_url, async client => {
    const { rows } = await client.query<{ name: string }>(`
      select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`);
    const contents: Record<string, { rows: number; digest: string }> = {};
    for (const { name } of rows) {
      const found = await client.query<{ rows: number; digest: string }>(`
        select count(*)::int as rows, md5(coalesce(string_agg(t::text, chr(10) order by t::text), '')) as digest from ${name} t`);
      contents[name] = found.rows[0] ?? { rows: 0, digest: '' };
    }
    return contents;
  });
}

function valueOf({ type, checks }: Column): string {
  const allowed = [...checks.join(' ').matchAll(/'([^']+)'::text/g)].at(-1)?.[1];
  if (allowed !== undefined) return pg.escapeLiteral(allowed);
  const [, length] = /length\(\w+\) = (\d+)/.exec(checks.join(' ')) ?? [];
  if (length !== undefined) return `decode(repeat('ab', ${length}), 'hex')`;
  if (type.endsWith('[]')) return `'{}'`;
  return values[type] ?? '1';
}

const values: Record<string, string> = {
  text: `E'a\\\\b\\tc\\n"é"'`,
  boolean: 'true',
  jsonb: `'{"a": "\\\\ \\t"}'`,
  json: `'{"a": 1}'`,
  bytea: `'\\x00ff5c0a'`,
  date: `'2026-02-28'`,
  'timestamp with time zone': `'2026-02-28 23:59:59.999+00'`,
};

async function asOwner<T>(owner_url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: owner_url });
  await client.connect();
  await client.query(`set timezone to 'UTC'`);
  return work(client).finally(() => client.end());
}
