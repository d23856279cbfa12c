-- Members are told by mail of incidents, of cases that become theirs, and of comments that name them.

create table notification_settings (
  org_id text not null,
  environment text not null,
  user_id text not null,
  incidents text not null check (incidents in ('off', 'low', 'medium', 'high', 'critical')),
  assignments boolean not null,
  mentions boolean not null,
  primary key (org_id, environment, user_id)
);
comment on table notification_settings is 'What a member is mailed about. Without a row: critical incidents, assignments, and mentions.';
comment on column notification_settings.org_id is 'The organization (organizations.id).';
comment on column notification_settings.environment is '`sandbox` or `production`, which never meet.';
comment on column notification_settings.user_id is 'The member (users.id).';
comment on column notification_settings.incidents is 'From which severity on incidents are mailed; `off`: none.';
comment on column notification_settings.assignments is 'Whether cases that others assign to them are mailed.';
comment on column notification_settings.mentions is 'Whether comments that name them are mailed.';

create table notifications (
  org_id text not null,
  environment text not null,
  user_id text not null,
  kind text not null check (kind in ('incident', 'assignment', 'mention')),
  subject_id text not null,
  entry_id text not null default '',
  severity text,
  state text not null default 'pending' check (state in ('pending', 'sent', 'failed', 'skipped')),
  attempts smallint not null default 0,
  created_at timestamptz(3) not null default now(),
  next_at timestamptz(3) not null default now() + interval '5 seconds',
  claimed_until timestamptz(3),
  sent_at timestamptz(3),
  primary key (org_id, environment, user_id, kind, subject_id, entry_id)
) with (fillfactor = 70);
create index notifications_due on notifications (next_at) where state = 'pending';
create index notifications_by_time on notifications (created_at) where state <> 'pending';
comment on table notifications is 'What members are to be mailed about, written with what makes it necessary. Those of a member that wait go out as one mail.';
comment on column notifications.org_id is 'The organization (organizations.id).';
comment on column notifications.environment is '`sandbox` or `production`, which never meet.';
comment on column notifications.user_id is 'The member (users.id).';
comment on column notifications.kind is 'What it tells of.';
comment on column notifications.subject_id is 'The incident (incidents.id) or the case (cases.id).';
comment on column notifications.entry_id is 'The entry of the timeline (case_timeline.id) that it is about; empty for an incident.';
comment on column notifications.severity is 'Of an incident, how severe it was.';
comment on column notifications.state is 'Whether it was mailed; `skipped`: its reader is no member any more.';
comment on column notifications.attempts is 'How often it was tried.';
comment on column notifications.created_at is 'When it was made.';
comment on column notifications.next_at is 'When it is to be mailed: some seconds are waited, so that what comes together is one mail.';
comment on column notifications.claimed_until is 'Until when a process has it in hand; null while none has.';
comment on column notifications.sent_at is 'When the mail server took it; null while it has not.';

create function notify_of_incidents() returns trigger language plpgsql as $$
begin
  insert into notifications (org_id, environment, user_id, kind, subject_id, severity)
  select n.org_id, n.environment, m.user_id, 'incident', n.id, n.severity
  from changed n join members m on m.org_id = n.org_id
  left join notification_settings s on s.org_id = m.org_id and s.environment = n.environment and s.user_id = m.user_id
  where n.state = 'open' and n.merged_into is null and coalesce(s.incidents, 'critical') <> 'off'
    and severity_rank(n.severity) >= severity_rank(coalesce(s.incidents, 'critical'))
  on conflict do nothing;
  return null;
end $$;
create trigger notify_of_new_incidents after insert on incidents referencing new table as changed
for each statement execute function notify_of_incidents();

create function notify_of_raised_incidents() returns trigger language plpgsql as $$
begin
  insert into notifications (org_id, environment, user_id, kind, subject_id, severity)
  select n.org_id, n.environment, m.user_id, 'incident', n.id, n.severity
  from changed n join before b on b.org_id = n.org_id and b.environment = n.environment and b.id = n.id and b.severity <> n.severity
  join members m on m.org_id = n.org_id
  left join notification_settings s on s.org_id = m.org_id and s.environment = n.environment and s.user_id = m.user_id
  where n.state = 'open' and n.merged_into is null and coalesce(s.incidents, 'critical') <> 'off'
    and severity_rank(n.severity) >= severity_rank(coalesce(s.incidents, 'critical'))
  on conflict do nothing;
  return null;
end $$;
create trigger notify_of_raised_incidents after update on incidents referencing old table as before new table as changed
for each statement execute function notify_of_raised_incidents();

create function notify_of_case() returns trigger language plpgsql as $$
begin
  insert into notifications (org_id, environment, user_id, kind, subject_id, entry_id)
  select n.org_id, n.environment, m.user_id, 'assignment', n.case_id, n.id
  from added n join members m on m.org_id = n.org_id and m.user_id = n.detail ->> 'to'
  left join notification_settings s on s.org_id = m.org_id and s.environment = n.environment and s.user_id = m.user_id
  where n.kind = 'assigned' and m.user_id is distinct from n.actor_id and coalesce(s.assignments, true)
  on conflict do nothing;
  insert into notifications (org_id, environment, user_id, kind, subject_id, entry_id)
  select n.org_id, n.environment, m.user_id, 'mention', n.case_id, n.id
  from added n join members m on m.org_id = n.org_id join users u on u.id = m.user_id
  left join notification_settings s on s.org_id = m.org_id and s.environment = n.environment and s.user_id = m.user_id
  where n.kind = 'commented' and m.user_id is distinct from n.actor_id and coalesce(s.mentions, true)
    and (strpos(lower(n.detail ->> 'text'), '@' || u.email) > 0
      or (length(u.name) > 1 and strpos(lower(n.detail ->> 'text'), '@' || lower(u.name)) > 0))
  on conflict do nothing;
  return null;
end $$;
create trigger notify_of_case after insert on case_timeline referencing new table as added
for each statement execute function notify_of_case();
