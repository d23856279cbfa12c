-- What came of the events that each key sent, hour by hour, for those who run the senders.

create table key_hours (
  org_id text not null,
  environment text not null,
  key_id text not null,
  hour timestamptz(3) not null,
  requests bigint not null default 0,
  rate_limited bigint not null default 0,
  accepted bigint not null default 0,
  duplicates bigint not null default 0,
  conflicts bigint not null default 0,
  rejected bigint not null default 0,
  least_left integer,
  primary key (org_id, environment, key_id, hour)
) with (fillfactor = 50);
create index key_hours_by_time on key_hours (hour);
comment on table key_hours is 'What came of the events that a key sent in an hour. Each process adds up in memory and writes every five seconds; kept for 31 days.';
comment on column key_hours.org_id is 'The organization (organizations.id).';
comment on column key_hours.environment is '`sandbox` or `production`, which never meet.';
comment on column key_hours.key_id is 'The key (api_keys.id).';
comment on column key_hours.hour is 'The beginning of the hour (UTC).';
comment on column key_hours.requests is 'How many requests to send events it made.';
comment on column key_hours.rate_limited is 'How many of them were refused because there were too many.';
comment on column key_hours.accepted is 'How many events were stored.';
comment on column key_hours.duplicates is 'How many events were stored before.';
comment on column key_hours.conflicts is 'How many events had an id that is stored with other content.';
comment on column key_hours.rejected is 'How many events were not valid.';
comment on column key_hours.least_left is 'The fewest requests that its rate limit had left; null while nothing is limited.';

create table key_rejections (
  org_id text not null,
  environment text not null,
  key_id text not null,
  hour timestamptz(3) not null,
  code text not null,
  path text not null,
  events bigint not null,
  primary key (org_id, environment, key_id, hour, code, path)
) with (fillfactor = 50);
create index key_rejections_by_time on key_rejections (hour);
comment on table key_rejections is 'Why events of a key were rejected in an hour; kept for 31 days.';
comment on column key_rejections.org_id is 'The organization (organizations.id).';
comment on column key_rejections.environment is '`sandbox` or `production`, which never meet.';
comment on column key_rejections.key_id is 'The key (api_keys.id).';
comment on column key_rejections.hour is 'The beginning of the hour (UTC).';
comment on column key_rejections.code is 'What was wrong: the code of the first fault of the event.';
comment on column key_rejections.path is 'Where in the event it was wrong, without names and positions that the sender chose.';
comment on column key_rejections.events is 'How many events.';
