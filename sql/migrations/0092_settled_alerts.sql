-- Changes of alerts are noted by the nodes of a cluster, whose locks the coordinator does not see: there it goes by the tables that are written to.
-- A version before alert_changes, whose time of a change is no longer kept, is told of no changes, so that none is passed over: they are there for
-- whoever asks the next version from the same time on.
create or replace function changes_settled(changed text) returns timestamptz language sql security definer set search_path = pg_catalog, pg_temp as $$
  select case when changed = 'alerts' then timestamptz '1970-01-01 00:00:00+00' else (
    select date_trunc('milliseconds', least(statement_timestamp(), min(coalesce(a.xact_start, timestamptz '1970-01-01 00:00:00+00'))))
    from pg_locks l left join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'relation' and l.mode = 'RowExclusiveLock' and l.granted
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and l.relation in (
        select c.oid from pg_class c
        where c.relnamespace = 'public'::regnamespace
          and (c.relname = changed or changed = 'alert_changes' and c.relname in ('alerts', 'alert_actions', 'alert_events')))) end
$$;
