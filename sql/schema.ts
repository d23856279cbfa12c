import pg from 'pg';
import { SERVICE_ROLE } from '#shared/platform/service_role.ts';

/**
 * What the migrations have come to, as SQL for people to read: every table with a sentence on itself and each column, its keys,
 * indexes and triggers, and what the service may do with it. The queue's own schema is not in it.
 */
export async function describeSchema(owner_url: string): Promise<string> {
  const client = new pg.Client({ connectionString: owner_url });
  await client.connect();
  try {
    const { rows } = await client.query<Table>(tables, [SERVICE_ROLE]);
    return `${heading}\n${rows.map(textOf).join('\n')}`;
  } finally {
    await client.end();
  }
}

const heading = `-- The schema of the database, written by \`npm run schema\` from the migrations, for reading. A database is made by \`npm run migrate\`.
-- The service acts as ${SERVICE_ROLE}, which owns nothing: each table ends with what that role may do.
`;

type Column = { name: string; definition: string; sentence: string | null };
type Table = {
  name: string;
  sentence: string | null;
  options: string | null;
  columns: Column[];
  constraints: string[];
  indexes: string[];
  triggers: string[];
  allowed: string[];
};

function textOf({ name, sentence, options, columns, constraints, indexes, triggers, allowed }: Table): string {
  const lines = [
    ...columns.map(column => ({ text: column.definition, sentence: column.sentence })),
    ...constraints.map(text => ({ text, sentence: null })),
  ];
  const members = lines.map(
    (line, index) =>
      `  ${line.text}${index < lines.length - 1 ? ',' : ''}${line.sentence ? ` -- ${line.sentence}` : ''}`,
  );
  return [
    `-- ${sentence ?? ''}`,
    `create table ${name} (`,
    ...members,
    `)${options ? ` with (${options})` : ''};`,
    ...[...indexes, ...triggers].map(text => `${text};`),
    `grant ${allowed.join(', ') || 'nothing'} on ${name} to ${SERVICE_ROLE};`,
    '',
  ].join('\n');
}

/** Everything of a table in one row. Since PostgreSQL 18 what is not null is a constraint too; here it stands with its column. */
const tables = `
  select c.relname as name, obj_description(c.oid, 'pg_class') as sentence, array_to_string(c.reloptions, ', ') as options,
    (select json_agg(json_build_object(
        'name', a.attname,
        'definition', concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
          case when a.attstorage <> t.typstorage then 'storage external' end,
          case when a.attnotnull then 'not null' end, case a.attgenerated when 's' then 'generated always as (' || pg_get_expr(d.adbin, d.adrelid, true) || ') stored'
            else 'default ' || pg_get_expr(d.adbin, d.adrelid, true) end),
        'sentence', col_description(c.oid, a.attnum)) order by a.attnum)
      from pg_attribute a
      join pg_type t on t.oid = a.atttypid
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    array(select pg_get_constraintdef(k.oid, true) from pg_constraint k
      where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c')
      order by array_position(array['p', 'u', 'f', 'c'], k.contype::text), k.conname) as constraints,
    array(select pg_get_indexdef(i.indexrelid, 0, true) from pg_index i join pg_class x on x.oid = i.indexrelid
      where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
      order by x.relname) as indexes,
    array(select regexp_replace(pg_get_functiondef(g.tgfoid), '\\s+$', '') || ';' || chr(10) || pg_get_triggerdef(g.oid, true)
      from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal order by g.tgname) as triggers,
    array(select privilege from unnest(array['select', 'insert', 'update', 'delete']) with ordinality as p (privilege, n)
      where has_table_privilege($1, c.oid, privilege) order by n)
    || array(select 'update (' || string_agg(a.attname, ', ' order by a.attnum) || ')' from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and has_column_privilege($1, c.oid, a.attnum, 'update') and not has_table_privilege($1, c.oid, 'update')
      having count(*) > 0) as allowed
  from pg_class c
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
  order by c.relname`;
