-- Exports by the hour: which records of a log are written to the storage for a warehouse, and how far that is.

create table export_schedules (
  org_id text not null,
  environment text not null,
  kind text not null check (kind in ('events', 'alerts', 'cases', 'screenings', 'audit')),
  format text not null check (format in ('ndjson', 'csv')),
  state text not null check (state in ('active', 'paused')),
  from_at timestamptz(3) not null,
  hour_at timestamptz(3) not null,
  after_seq bigint,
  manifest_sha256 text,
  written_at timestamptz(3),
  error text,
  failures integer not null default 0,
  claims bigint not null default 0,
  held_until timestamptz(3),
  next_at timestamptz(3),
  created_at timestamptz(3) not null,
  created_by text,
  primary key (org_id, environment, kind)
) with (fillfactor = 50);
create index export_schedules_due on export_schedules (next_at) where next_at is not null;
revoke delete on export_schedules from oversight_service;

comment on table export_schedules is 'Records that are written to the storage hour by hour, for a warehouse.';
comment on column export_schedules.org_id is 'The organization (organizations.id).';
comment on column export_schedules.environment is '`sandbox` or `production`, which never meet.';
comment on column export_schedules.kind is 'What records are written.';
comment on column export_schedules.format is 'How the hours from the next one on are written.';
comment on column export_schedules.state is 'Whether hours are written.';
comment on column export_schedules.from_at is 'The beginning of the first hour.';
comment on column export_schedules.hour_at is 'The beginning of the hour that is written next; all before it are.';
comment on column export_schedules.after_seq is 'Of events: up to this position of the log they are written; null: what the first hour begins with has not been looked up.';
comment on column export_schedules.manifest_sha256 is 'The SHA-256 of the manifest of the last hour, in hex, which the next one names; null before the first.';
comment on column export_schedules.written_at is 'When the last hour was written.';
comment on column export_schedules.error is 'Why the next hour could not be written; null if it was not tried, or is not known to have failed.';
comment on column export_schedules.failures is 'How often writing the next hour has failed.';
comment on column export_schedules.claims is 'How many times a worker has begun an hour; identifies the claim of the one that holds it.';
comment on column export_schedules.held_until is 'Until when a worker holds it, unless it says that it still does; null: none does.';
comment on column export_schedules.next_at is 'When somebody has to look at it again: an hour is over, its job may be lost, its worker silent; null while it is paused.';
comment on column export_schedules.created_at is 'When it was made.';
comment on column export_schedules.created_by is 'Who made it: `usr_…` or `key_…`.';
