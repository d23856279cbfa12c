-- Backups that the service takes by itself (BACKUP_URL): who is at it, what came of it, and which are kept.

create table scheduled_backups (
  slot timestamptz(3) not null primary key,
  name text not null,
  place text not null,
  state text not null check (state in ('running', 'done', 'failed')),
  started_at timestamptz(3) not null,
  next_at timestamptz(3) not null,
  finished_at timestamptz(3),
  size_bytes bigint,
  sha256 text,
  error text
);
comment on table scheduled_backups is 'Backups taken by schedule: those that are kept, and attempts since the oldest of them.';
comment on column scheduled_backups.slot is 'The time that it was due, a multiple of BACKUP_EVERY.';
comment on column scheduled_backups.name is 'The name of its file.';
comment on column scheduled_backups.place is 'Where the file is, without what may hold a key.';
comment on column scheduled_backups.state is '`running`, `done` or `failed`.';
comment on column scheduled_backups.started_at is 'When the last attempt began.';
comment on column scheduled_backups.next_at is 'When another process may try: renewed while one is at it.';
comment on column scheduled_backups.finished_at is 'When it was whole and in its place.';
comment on column scheduled_backups.size_bytes is 'How large the file is.';
comment on column scheduled_backups.sha256 is 'The SHA-256 of the file, in hex.';
comment on column scheduled_backups.error is 'Why the last attempt failed.';
