-- When alerts, incidents and cases changed last, for clients that follow the changes; and what is open in the order in which people look at it.

-- One time a table and transaction, taken when the table is held for writing: whoever sees that nobody holds it knows of every change until then.
create function change_time(changed text) returns timestamptz language plpgsql as $$
declare
  setting text := 'oversight.changed_' || changed;
  known text := nullif(current_setting(setting, true), '');
begin
  if known is null then
    known := set_config(setting, date_trunc('milliseconds', clock_timestamp())::text, true);
  end if;
  return known::timestamptz;
end
$$;

-- Until when every change of a table can be seen by whoever looks after this: up to the beginning of the oldest transaction that holds the
-- table for writing. As the owner, because the role of the service is not told when the transactions of others began.
create function changes_settled(changed text) returns timestamptz language sql security definer set search_path = pg_catalog, pg_temp as $$
  select date_trunc('milliseconds', least(statement_timestamp(), min(coalesce(a.xact_start, timestamptz '1970-01-01 00:00:00+00'))))
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'relation' and l.mode = 'RowExclusiveLock' and l.granted
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and l.relation = (select c.oid from pg_class c where c.relname = changed and c.relnamespace = 'public'::regnamespace)
$$;

create function note_change() returns trigger language plpgsql as $$
begin
  new.updated_at := change_time(tg_table_name);
  return new;
end
$$;

alter table alerts add column updated_at timestamptz(3) not null default now();
alter table incidents add column updated_at timestamptz(3) not null default now();
alter table cases add column updated_at timestamptz(3) not null default now();
comment on column alerts.updated_at is 'When it, its actions or its events changed last, by the clock of the database.';
comment on column incidents.updated_at is 'When it changed last, by the clock of the database.';
comment on column cases.updated_at is 'When it or its timeline changed last, by the clock of the database.';

create trigger note_new before insert on alerts for each row execute function note_change();
create trigger note_change before update on alerts for each row when (old.* is distinct from new.*) execute function note_change();
create trigger note_new before insert on incidents for each row execute function note_change();
create trigger note_change before update on incidents for each row when (old.* is distinct from new.*) execute function note_change();
create trigger note_new before insert on cases for each row execute function note_change();
create trigger note_change before update on cases for each row when (old.* is distinct from new.*) execute function note_change();

-- By the tables themselves, so that no writer can forget it.
create function note_alert_change() returns trigger language plpgsql as $$
begin
  update alerts a set updated_at = n.at
  from (select org_id, environment, alert_id, change_time('alerts') as at from added group by 1, 2, 3) n
  where a.org_id = n.org_id and a.environment = n.environment and a.id = n.alert_id and a.updated_at <> n.at;
  return null;
end
$$;
create trigger note_alert_change after insert on alert_actions referencing new table as added
  for each statement execute function note_alert_change();
create trigger note_alert_change after insert on alert_events referencing new table as added
  for each statement execute function note_alert_change();

create function note_case_change() returns trigger language plpgsql as $$
begin
  update cases c set updated_at = n.at
  from (select org_id, environment, case_id, change_time('cases') as at from added group by 1, 2, 3) n
  where c.org_id = n.org_id and c.environment = n.environment and c.id = n.case_id and c.updated_at <> n.at;
  return null;
end
$$;
create trigger note_case_change after insert on case_timeline referencing new table as added
  for each statement execute function note_case_change();

create index alerts_by_change on alerts (org_id, environment, updated_at, id);
create index incidents_by_change on incidents (org_id, environment, updated_at, id) where merged_into is null;
create index cases_by_change on cases (org_id, environment, updated_at, id);

create function severity_rank(severity text) returns int language sql immutable parallel safe
  return case severity when 'critical' then 4 when 'high' then 3 when 'medium' then 2 else 1 end;
create index alerts_live_by_severity on alerts (org_id, environment, state, severity_rank(severity), id)
  where state in ('open', 'acknowledged', 'escalated');
create index alerts_live_by_score on alerts (org_id, environment, state, score, id) where state in ('open', 'acknowledged', 'escalated');
create index incidents_open_by_rank on incidents (org_id, environment, severity_rank(severity), id) where state = 'open';
create index incidents_open_by_amount on incidents (org_id, environment, coalesce(div(amount_usd_micro + 5000, 10000), -1), id) where state = 'open';

alter table screening_lists add column removed_at timestamptz(3);
comment on column screening_lists.removed_at is 'When the operator removed it: nobody is screened by it from then on. Null while it is in use.';
