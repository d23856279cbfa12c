-- People: users, their membership and sessions; what every change leaves behind: audit rows, version counters, answers to repeat.

-- Directory tables: what is looked up before the organization is known.

create table users (
  id text primary key,
  email text not null unique check (email = lower(email)),
  name text,
  created_at timestamptz(3) not null
);

create table members (
  org_id text not null,
  user_id text not null,
  role text not null check (role in ('developer', 'admin', 'owner')),
  created_at timestamptz(3) not null,
  created_by text,
  primary key (org_id, user_id)
);
create index members_by_user on members (user_id, org_id);

-- The cookie is 256 random bits, kept as its SHA-256.
create table sessions (
  hash bytea primary key,
  id text not null unique,
  user_id text not null,
  org_id text not null,
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  second_factor_at timestamptz(3),
  user_agent text
);
create index sessions_by_user on sessions (user_id, id);

-- What every change leaves behind --------------------------------------------------------------------------------------

create table audit_log (
  org_id text not null,
  environment text not null,
  id text not null,
  action text not null,
  actor_id text,
  target_id text,
  before jsonb,
  after jsonb,
  request_id text,
  at timestamptz(3) not null,
  primary key (org_id, environment, id)
);
create index audit_log_by_target on audit_log (org_id, environment, target_id, id);
create index audit_log_by_actor on audit_log (org_id, environment, actor_id, id);
revoke update, delete on audit_log from oversight_service;

-- One counter a topic: what an ETag is made of.
create table versions (
  org_id text not null,
  environment text not null,
  topic text not null,
  version bigint not null,
  primary key (org_id, environment, topic)
) with (fillfactor = 10);

-- Answers to POST requests with an Idempotency-Key, written in the transaction of what they did.
create table idempotency_keys (
  org_id text not null,
  environment text not null,
  scope bytea not null,
  body_hash bytea not null,
  status smallint not null,
  answer text,
  record_id text,
  created_at timestamptz(3) not null,
  primary key (org_id, environment, scope)
);
comment on column idempotency_keys.scope is 'SHA-256 over credential, method, path and key';
comment on column idempotency_keys.answer is 'the body to repeat; null where it held a secret';
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Second factors ----------------------------------------------------------------------------------------------------------

-- One row a factor: TOTP (one a user, with the id totp) or a passkey. A TOTP that was not confirmed yet is in pending_totp (0004) and is none.
create table second_factors (
  user_id text not null,
  id text not null,
  kind text not null check (kind in ('totp', 'passkey')),
  name text,
  sealed_secret bytea,
  last_step bigint,
  credential_id bytea unique,
  public_key bytea,
  sign_count bigint,
  transports text[],
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  primary key (user_id, id),
  check ((kind = 'totp') = (id = 'totp'))
);
