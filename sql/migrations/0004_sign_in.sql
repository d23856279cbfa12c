-- Signing in and the second factor: links, codes to repeat by hand, challenges, what is counted against guessing. All of it found before
-- the organization is known, so these are directory tables.

-- The token in the link and the cookie it is bound to are 256 random bits each, kept as their SHA-256.
create table sign_in_links (
  token_hash bytea primary key,
  binding_hash bytea,
  code_hash bytea,
  user_id text,
  wrong_codes smallint not null default 0,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index sign_in_links_by_binding on sign_in_links (binding_hash) where binding_hash is not null;
create index sign_in_links_by_age on sign_in_links (expires_at);
comment on column sign_in_links.binding_hash is 'null: made by the operator, for any browser';
comment on column sign_in_links.user_id is 'null: asked for with an address nobody has, and worth nothing';

-- The organization that a new session acts in.
alter table users add column last_org_id text;

-- Fixed windows, from the first attempt of each subject on.
create table attempt_limits (
  subject bytea primary key,
  count integer not null,
  expires_at timestamptz(3) not null
) with (fillfactor = 70);
create index attempt_limits_by_age on attempt_limits (expires_at);

create table pending_totp (
  session_id text primary key,
  sealed_secret bytea not null,
  expires_at timestamptz(3) not null
);

create table passkey_challenges (
  session_id text not null,
  purpose text not null check (purpose in ('enroll', 'show')),
  challenge text not null,
  expires_at timestamptz(3) not null,
  primary key (session_id, purpose)
);

create table recovery_codes (
  user_id text not null,
  hash bytea not null,
  used_at timestamptz(3),
  primary key (user_id, hash)
);
