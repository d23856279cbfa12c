-- When an alert changed last stands in a table of its own, so that an alert that grows is not entered anew into every index of the alerts.
create table alert_changes (
  org_id text not null,
  environment text not null,
  alert_id text not null,
  updated_at timestamptz(3) not null,
  primary key (org_id, environment, alert_id)
);
comment on table alert_changes is 'When each alert changed last.';
comment on column alert_changes.org_id is 'The organization (organizations.id).';
comment on column alert_changes.environment is '`sandbox` or `production`, which never meet.';
comment on column alert_changes.alert_id is 'The alert (alerts.id).';
comment on column alert_changes.updated_at is 'When it, its actions or its events changed last, by the clock of the database.';
comment on column alerts.updated_at is 'What a version before alert_changes reads; no longer kept.';

-- As strongly as the triggers and the index need below: taken only there, it would deadlock with whoever reads alerts and then writes to them.
lock table alerts in access exclusive mode;
insert into alert_changes select org_id, environment, id, updated_at from alerts;
create index alert_changes_by_time on alert_changes (org_id, environment, updated_at, alert_id);
drop index alerts_by_change;
drop trigger note_new on alerts;
drop trigger note_change on alerts;

create function note_new_alert() returns trigger language plpgsql as $$
begin
  insert into alert_changes
  select n.org_id, n.environment, n.id, t.at from added n cross join (select change_time('alerts') as at) t;
  return null;
end
$$;
create trigger note_new after insert on alerts referencing new table as added
  for each statement execute function note_new_alert();

create function note_changed_alert() returns trigger language plpgsql as $$
begin
  update alert_changes c set updated_at = t.at
  from after n cross join (select change_time('alerts') as at) t
  where c.org_id = n.org_id and c.environment = n.environment and c.alert_id = n.id and c.updated_at <> t.at;
  return null;
end
$$;
create trigger note_change after update on alerts referencing new table as after
  for each statement execute function note_changed_alert();

create or replace function note_alert_change() returns trigger language plpgsql as $$
begin
  update alert_changes c set updated_at = t.at
  from (select distinct org_id, environment, alert_id from added) n cross join (select change_time('alerts') as at) t
  where c.org_id = n.org_id and c.environment = n.environment and c.alert_id = n.alert_id and c.updated_at <> t.at;
  return null;
end
$$;

-- Room for its next words on the same page, so that no index has to know.
alter table alerts set (fillfactor = 70);
