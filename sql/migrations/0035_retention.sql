-- How long each organization keeps what it has, and what is kept for a case.

create table retention (
  org_id text not null,
  environment text not null,
  kind text not null,
  days integer check (days between 1 and 36500),
  next_at timestamptz(3),
  run_before timestamptz(3),
  run_began_at timestamptz(3),
  run_after text not null default '',
  run_resume text,
  run_removed bigint not null default 0,
  run_held bigint not null default 0,
  reached_at timestamptz(3),
  finished_at timestamptz(3),
  last_removed bigint not null default 0,
  last_held bigint not null default 0,
  removed_total bigint not null default 0,
  resume_after text not null default '',
  file text,
  problem text,
  primary key (org_id, environment, kind)
);
create index retention_due on retention (next_at) where next_at is not null;

comment on table retention is 'How long records of a kind are kept, and how far removing older ones has got. No row: as long as the service keeps them by itself.';
comment on column retention.org_id is 'The organization (organizations.id).';
comment on column retention.environment is '`sandbox` or `production`, which never meet.';
comment on column retention.kind is 'What records, such as `deliveries`.';
comment on column retention.days is 'For how many days they are kept; null: forever.';
comment on column retention.next_at is 'When to go on, or to begin the next run; null: never.';
comment on column retention.run_before is 'The run under way removes what is older than this; null between two runs.';
comment on column retention.run_began_at is 'When the run under way began, or the last one.';
comment on column retention.run_after is 'How far the run under way has got: the key of the last record that it looked at.';
comment on column retention.run_resume is 'Where the run under way first had to leave a record; null while it left none.';
comment on column retention.run_removed is 'How many records the run under way has removed.';
comment on column retention.run_held is 'How many it left, because they are still needed or a case holds them.';
comment on column retention.reached_at is 'The time of the last record that was looked at.';
comment on column retention.finished_at is 'When a run last ended.';
comment on column retention.last_removed is 'How many records that run removed.';
comment on column retention.last_held is 'How many it left.';
comment on column retention.removed_total is 'How many records were ever removed.';
comment on column retention.resume_after is 'Where the next run begins, of a kind whose records stay and are only emptied.';
comment on column retention.file is 'The archive of events that is being made: its name in the storage; null: none. What came to nothing is removed by it.';
comment on column retention.problem is 'Why the last run removed nothing that it should have; null: nothing kept it from that.';

create table case_holds (
  org_id text not null,
  environment text not null,
  case_id text not null,
  reason text not null,
  held_at timestamptz(3) not null,
  primary key (org_id, environment, case_id)
);
comment on table case_holds is 'Cases on hold: what belongs to one is kept, closed or not.';
comment on column case_holds.org_id is 'The organization (organizations.id).';
comment on column case_holds.environment is '`sandbox` or `production`, which never meet.';
comment on column case_holds.case_id is 'The case (cases.id).';
comment on column case_holds.reason is 'Why it is on hold, such as the name of a lawsuit.';
comment on column case_holds.held_at is 'Since when.';

create index case_links_by_target on case_links (org_id, environment, target_id);

-- An attempt goes with its delivery, which the service could remove before.
grant delete on webhook_attempts to oversight_service;

-- What the law wants kept cannot be removed earlier, whoever asks, by the clock of the database: in production five years. Nothing of a
-- sandbox is under such a law.
create function is_past_law(of_environment text, made_at timestamptz) returns boolean language sql stable as $$
  select made_at < now() - case when of_environment = 'production' then interval '1826 days' else interval '1 day' end
$$;

create function remove_audit_entries(of_org text, of_environment text, ids text[])
returns bigint language sql security definer set search_path = public, pg_temp as $$
  with gone as (
    delete from audit_log a
    where a.org_id = of_org and a.environment = of_environment and a.id = any(ids) and is_past_law(of_environment, a.at)
    returning 1)
  select count(*) from gone
$$;
revoke all on function remove_audit_entries(text, text, text[]) from public;
grant execute on function remove_audit_entries(text, text, text[]) to oversight_service;
comment on table audit_log is 'Who changed what. The service can add rows and change none; it can remove old ones alone (remove_audit_entries).';

create function remove_screenings(of_org text, of_environment text, ids text[])
returns bigint language sql security definer set search_path = public, pg_temp as $$
  with gone as (
    delete from screenings s
    where s.org_id = of_org and s.environment = of_environment and s.id = any(ids) and is_past_law(of_environment, s.created_at)
    returning s.id),
  matches as (
    delete from screening_matches m
    where m.org_id = of_org and m.environment = of_environment and m.screening_id in (select id from gone))
  select count(*) from gone
$$;
revoke all on function remove_screenings(text, text, text[]) from public;
grant execute on function remove_screenings(text, text, text[]) to oversight_service;

-- What a signature covers repeats the evidence: it goes where a value of that was erased, and nowhere else.
create function remove_signed_inputs(of_org text, of_environment text, event_ids text[])
returns void language sql security definer set search_path = public, pg_temp as $$
  delete from signed_inputs i
  where i.org_id = of_org and i.environment = of_environment and i.event_id = any(event_ids) and exists (
    select from evidence v
    where v.org_id = of_org and v.environment = of_environment and v.event_id = i.event_id and v.value is null)
$$;
revoke all on function remove_signed_inputs(text, text, text[]) from public;
grant execute on function remove_signed_inputs(text, text, text[]) to oversight_service;
