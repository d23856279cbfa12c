-- The Merkle tree over each log, the checkpoints that were signed of it, the keys that signed them, and what a witness was told.

-- Full tiles of 256 hashes (C2SP tlog-tiles, height 8): of leaves on level 0, of the tiles below on every other. A tile is written once.
create table log_tiles (
  org_id text not null,
  environment text not null,
  level smallint not null,
  tile_index bigint not null,
  hashes bytea not null check (octet_length(hashes) = 8192),
  primary key (org_id, environment, level, tile_index)
);
-- Hashes do not compress.
alter table log_tiles alter column hashes set storage external;

-- One row a log; whoever holds its lock is the one who lets the tree grow, and signs.
create table log_trees (
  org_id text not null,
  environment text not null,
  origin text not null,
  size bigint not null default 0,
  edge bytea not null default '',
  checkpoint_size bigint not null default 0,
  next_at timestamptz(3) not null default '-infinity',
  primary key (org_id, environment)
) with (fillfactor = 50);
alter table log_trees alter column edge set storage external;
comment on column log_trees.origin is 'the name of the log in its checkpoints: never changed';
comment on column log_trees.edge is 'the tile that is not full yet, of each level, one after the other';
comment on column log_trees.checkpoint_size is 'of the latest checkpoint';
comment on column log_trees.next_at is 'when reconcile may ask for a checkpoint again';

create table log_checkpoints (
  org_id text not null,
  environment text not null,
  size bigint not null,
  root_hash bytea not null,
  note text not null,
  kid text not null,
  created_at timestamptz(3) not null,
  primary key (org_id, environment, size)
);

-- Keys of the deployment, of no organization: one is current, the others are kept for what they signed.
create table log_signing_keys (
  kid text primary key,
  x text not null,
  sealed_private_key bytea,
  endorsement bytea not null,
  created_at timestamptz(3) not null,
  retired_at timestamptz(3)
);
comment on column log_signing_keys.kid is 'RFC 7638 thumbprint';
comment on column log_signing_keys.x is 'the public key as in its JWK (RFC 8037)';
comment on column log_signing_keys.sealed_private_key is 'null where the key is that of LOG_SIGNING_KEY';
comment on column log_signing_keys.endorsement is 'HMAC by SECRET_KEY: a key that somebody else put here is not believed';
create unique index log_signing_keys_current on log_signing_keys ((true)) where retired_at is null;

-- How far the witness knows the checkpoints of a log.
create table log_witnesses (
  org_id text not null,
  environment text not null,
  size bigint not null default 0,
  next_at timestamptz(3) not null default '-infinity',
  primary key (org_id, environment)
) with (fillfactor = 50);
comment on column log_witnesses.next_at is 'when it may be told again: whoever tells it moves this on';

revoke update, delete on log_tiles, log_checkpoints from oversight_service;
revoke delete on log_trees, log_witnesses from oversight_service;
revoke update, delete on log_signing_keys from oversight_service;
revoke update on log_trees from oversight_service;
grant update (size, edge, checkpoint_size, next_at) on log_trees to oversight_service;
-- Another SECRET_KEY may have to vouch for the key of LOG_SIGNING_KEY.
grant update (retired_at, endorsement) on log_signing_keys to oversight_service;
