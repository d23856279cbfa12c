-- A wrong SECRET_KEY is noticed at the start, a new one takes over what the one before sealed, and API keys may end and be bound to addresses.

create table secret_key_canaries (
  id text primary key,
  sealed bytea not null,
  created_at timestamptz(3) not null
);
comment on table secret_key_canaries is 'The SECRET_KEYs that something may be sealed with: a process that cannot open each of them does not start.';
comment on column secret_key_canaries.id is 'What names the key without telling it: the beginning of a key derived from it.';
comment on column secret_key_canaries.sealed is 'The id, encrypted with the key.';
comment on column secret_key_canaries.created_at is 'When the key was first used.';
revoke update on secret_key_canaries from oversight_service;

-- The private key of the log is sealed anew with a new SECRET_KEY.
grant update (sealed_private_key) on log_signing_keys to oversight_service;

alter table api_keys
  add column expires_at timestamptz(3),
  add column ip_allowlist text[];
comment on column api_keys.expires_at is 'When it stops working; null if only revoking ends it.';
comment on column api_keys.ip_allowlist is 'The networks that it works from, in CIDR notation; null if from anywhere.';
