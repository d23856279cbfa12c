import type { Client } from 'pg';

/**
 * Has the planner take every organization for as large as the table. Counted as values usually are, an organization that is new, or small
 * beside another, is a single row in the planner's eyes until the next analysis: every index that begins with it then looks as good as the
 * right one, and a look-up walks all of its events. So these columns get the one statistic that is never too low, a single value, and
 * analysis passes them over from now on; a database that was restored from a dump has lost it, and gets it again. Tables with one row an
 * organization are counted as they are. PostgreSQL takes statistics from a statement from version 18 on; older ones plan as they do.
 */
export async function planTenants(client: Client): Promise<void> {
  await client.query(`
    do $$
    declare place record;
    begin
      if current_setting('server_version_num')::int < 180000 then return; end if;
      for place in
        select n.nspname::text as schema, c.relname::text as relation, a.attname::text as name, a.attname = 'org_id' as is_id
        from pg_attribute a
        join pg_class c on c.oid = a.attrelid and c.relkind = 'r'
        join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
        where a.attname in ('org_id', 'environment') and (
          a.attstattarget is distinct from 0
          or not exists (
            select from pg_stats s
            where s.schemaname = n.nspname and s.tablename = c.relname and s.attname = a.attname and s.n_distinct = 1)
        ) and exists (
          select from pg_index i, unnest(i.indkey) k join pg_attribute b on b.attnum = k
          where i.indrelid = c.oid and i.indisprimary and b.attrelid = c.oid and b.attname not in ('org_id', 'environment'))
      loop
        perform pg_restore_attribute_stats(
          'schemaname', place.schema, 'relname', place.relation, 'attname', place.name, 'inherited', false,
          'null_frac', 0::real, 'avg_width', case when place.is_id then 30 else 8 end, 'n_distinct', 1::real);
        execute format('alter table %I.%I alter column %I set statistics 0', place.schema, place.relation, place.name);
      end loop;
      -- Until the first analysis the index of payments is taken for one of few values, and a look-up for half a percent of the log.
      if not exists (select from pg_stats s where s.schemaname = current_schema() and s.tablename = 'events_key_payment') then
        perform pg_restore_attribute_stats(
          'schemaname', current_schema()::text, 'relname', 'events_key_payment', 'attnum', 1::smallint, 'inherited', false,
          'null_frac', 0::real, 'avg_width', 8, 'n_distinct', -0.5::real);
      end if;
    end $$`);
}
