import type pg from 'pg';

/**
 * Has the functions of triggers name shards. A trigger fires at a shard, on its node, where Citus knows what is written by the names of shards
 * only: `events_102008`, and beside it `event_blocks_102024`. Functions that read `begin`, statements, `return null`, `end` are written anew from
 * their own text, so that what a later migration says of them holds here too.
 */
export async function nameShards(client: pg.Client): Promise<void> {
  await client.query(beside);
  const { rows: tables } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  const names = tables.map(({ name }) => name);
  const { rows } = await client.query<{ name: string; body: string }>(`
    select distinct p.proname::text as name, p.prosrc as body from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and p.pronamespace = 'public'::regnamespace and strpos(p.prosrc, 'shard_beside') = 0`);
  for (const { name, body } of rows) {
    const changed = withShards(body, names);
    if (changed !== body)
      await client.query(
        `create or replace function ${name}() returns trigger language plpgsql as $shards$${changed}$shards$`,
      );
  }
}

/** The body of a trigger's function with the shards of what it names. */
function withShards(body: string, tables: readonly string[]): string {
  const named = body.replace(
    /\btg_table_name\b/g,
    () => `regexp_replace(tg_table_name, '_[0-9]+$', '') /* shard_beside */`,
  );
  const match = /^\s*begin\s+(.*?)\s*return null;\s*end;?\s*$/s.exec(named);
  if (!match?.[1]) return named;
  const statements = match[1].split(/;\s*$/m).filter(Boolean);
  return `begin\n${statements.map(each => executed(each.trim(), tables)).join('\n')}\n  return null;\nend`;
}

function executed(statement: string, tables: readonly string[]): string {
  const shards: string[] = [];
  const place = new RegExp(String.raw`\b(into|from|join|update)\s+(${tables.join('|')})\b`, 'g');
  const text = statement.replaceAll('%', '%%').replace(place, (_all, word: string, table: string) => {
    shards.push(`shard_beside(tg_relid, '${table}')`);
    return `${word} %s`;
  });
  return shards.length === 0 ? `  ${statement};` : `  execute format($text$${text}$text$, ${shards.join(', ')});`;
}

/** The shard of a table that has the organizations of this shard, or the copy of a table that is on every node; the table itself beside a table. */
const beside = `
  create or replace function shard_beside(relation oid, beside text) returns text language plpgsql stable as $$
  declare
    own bigint := substring((select relname from pg_class where oid = relation) from '_([0-9]+)$')::bigint;
    found bigint;
  begin
    select b.shardid into found from pg_dist_shard a join pg_dist_shard b
      on b.logicalrelid = to_regclass(beside) and (b.shardminvalue is null or b.shardminvalue = a.shardminvalue)
    where a.shardid = own;
    return quote_ident(beside || coalesce('_' || found, ''));
  end $$`;
