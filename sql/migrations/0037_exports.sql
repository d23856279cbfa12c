-- Exports of records to files, which are built and kept as packs are.

create table exports (
  org_id text not null,
  environment text not null,
  id text not null,
  kind text not null check (kind in ('events', 'alerts', 'cases', 'screenings', 'audit')),
  format text not null check (format in ('ndjson', 'csv')),
  from_at timestamptz(3),
  to_at timestamptz(3),
  state text not null default 'queued' check (state in ('queued', 'building', 'ready', 'failed', 'expired')),
  progress real not null default 0,
  row_count bigint,
  created_at timestamptz(3) not null,
  created_by text,
  ready_at timestamptz(3),
  expires_at timestamptz(3),
  size_bytes bigint,
  sha256 text,
  error text,
  attempts integer not null default 0,
  failures integer not null default 0,
  built_in integer,
  stored boolean not null default false,
  next_at timestamptz(3),
  primary key (org_id, environment, id)
) with (fillfactor = 50);
create index exports_due on exports (next_at) where next_at is not null;
revoke delete on exports from oversight_service;

comment on table exports is 'Records that were asked for as a file. The files stand in the storage.';
comment on column exports.org_id is 'The organization (organizations.id).';
comment on column exports.environment is '`sandbox` or `production`, which never meet.';
comment on column exports.id is 'The export, as `exp_…`.';
comment on column exports.kind is 'What records it holds.';
comment on column exports.format is 'How they are written.';
comment on column exports.from_at is 'Records of this time or later; null: from the first.';
comment on column exports.to_at is 'Records of before this time; null: to the last there was when it was built.';
comment on column exports.state is 'How far it has got.';
comment on column exports.progress is 'How much of it is done, from 0 to 1; it never goes back.';
comment on column exports.row_count is 'How many records it holds; null until it is ready.';
comment on column exports.created_at is 'When it was asked for.';
comment on column exports.created_by is 'Who asked for it: `usr_…`, `key_…`, or null: the operator.';
comment on column exports.ready_at is 'When it was ready.';
comment on column exports.expires_at is 'Until when it is kept; null while it is not ready.';
comment on column exports.size_bytes is 'The size of the ZIP.';
comment on column exports.sha256 is 'The SHA-256 of the ZIP, in hex.';
comment on column exports.error is 'Why it could not be built.';
comment on column exports.attempts is 'How often it was begun; a worker that was killed never ended its own.';
comment on column exports.failures is 'How often building it has failed.';
comment on column exports.built_in is 'The attempt whose file it is: each attempt has a file of its own, so that none can overwrite another''s.';
comment on column exports.stored is 'The storage may hold files of it.';
comment on column exports.next_at is 'When somebody has to look at it again: its job may be lost, its worker silent, its time over; null: never.';
