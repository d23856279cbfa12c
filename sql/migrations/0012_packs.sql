-- Evidence packs: what is asked for, how far it has got, and the links by which it is shown to others. The files stand in the storage.

create table packs (
  org_id text not null,
  environment text not null,
  id text not null,
  kind text not null,
  title text,
  scope jsonb not null,
  redact text[] not null,
  state text not null default 'queued' check (state in ('queued', 'building', 'ready', 'failed', 'expired')),
  progress real not null default 0,
  event_count integer not null,
  log_size bigint not null,
  checkpoint_size bigint,
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
comment on column packs.log_size is 'of the log when the pack was asked for: what came later is not in it';
comment on column packs.checkpoint_size is 'the checkpoint that its proofs lead to, chosen when it is first built and kept';
comment on column packs.attempts is 'how often it was begun; a worker that was killed never ended its own';
comment on column packs.built_in is 'the attempt whose files are the pack: each attempt has files of its own, so that none can overwrite another''s';
comment on column packs.stored is 'the storage may hold files of it';
comment on column packs.next_at is 'when somebody has to look at it again: its job may be lost, its worker silent, its time over; null: never';
create index packs_due on packs (next_at) where next_at is not null;
create index packs_by_state on packs (org_id, environment, state, id);
create index packs_by_kind on packs (org_id, environment, kind, id);
revoke delete on packs from oversight_service;

-- Which events a pack holds, fixed when it is asked for. Gone when it is built.
create table pack_events (
  org_id text not null,
  environment text not null,
  pack_id text not null,
  chain_seqs bigint[] not null,
  primary key (org_id, environment, pack_id)
);

create table pack_shares (
  org_id text not null,
  environment text not null,
  id text not null,
  pack_id text not null,
  token_hash bytea not null,
  created_at timestamptz(3) not null,
  created_by text,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  primary key (org_id, environment, id)
);
create index pack_shares_by_pack on pack_shares (org_id, environment, pack_id, id);
revoke delete on pack_shares from oversight_service;

-- What is looked up before the organization is known.
create table pack_share_directory (
  token_hash bytea primary key,
  org_id text not null,
  environment text not null,
  share_id text not null
);

create table pack_share_visits (
  org_id text not null,
  environment text not null,
  share_id text not null,
  id text not null,
  what text not null check (what in ('page', 'download')),
  at timestamptz(3) not null,
  ip text,
  user_agent text,
  primary key (org_id, environment, share_id, id)
);
revoke update, delete on pack_share_visits from oversight_service;
