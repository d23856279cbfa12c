-- A payment service sends its webhooks straight to its source: whose that is has to be found, and what could not be read is kept.
create table source_directory (
  id text primary key,
  org_id text not null,
  environment text not null
);
insert into source_directory (id, org_id, environment) select id, org_id, environment from sources;
comment on table source_directory is 'Finds the organization of a source that a webhook names, before anything else is known of its sender.';
comment on column source_directory.id is 'The source (sources.id).';
comment on column source_directory.org_id is 'The organization (organizations.id).';
comment on column source_directory.environment is '`sandbox` or `production`, which never meet.';

create table unread_webhooks (
  org_id text not null,
  environment text not null,
  source_id text not null,
  id text not null,
  body_hash bytea not null,
  received_at timestamptz(3) not null,
  sent_at timestamptz(3),
  notice text,
  headers jsonb not null,
  body text,
  body_bytes integer not null,
  problems jsonb not null,
  tried_at timestamptz(3) not null,
  primary key (org_id, environment, source_id, id),
  unique (org_id, environment, source_id, body_hash)
);
create index unread_webhooks_by_trial on unread_webhooks (org_id, environment, source_id, tried_at, id);
create index unread_webhooks_by_age on unread_webhooks (received_at);
comment on table unread_webhooks is 'A webhook of a payment service that was signed rightly, and could not be made events of.';
comment on column unread_webhooks.org_id is 'The organization (organizations.id).';
comment on column unread_webhooks.environment is '`sandbox` or `production`, which never meet.';
comment on column unread_webhooks.source_id is 'The source it came from (sources.id).';
comment on column unread_webhooks.id is 'The webhook, as `unr_…`.';
comment on column unread_webhooks.body_hash is 'SHA-256 of the body: one that comes again is kept once.';
comment on column unread_webhooks.received_at is 'When it came.';
comment on column unread_webhooks.sent_at is 'When its sender signed it, where the signature says so.';
comment on column unread_webhooks.notice is 'What its sender signed as its id, where the signature covers one.';
comment on column unread_webhooks.headers is 'Those of its headers that its signature is verified by.';
comment on column unread_webhooks.body is 'The body as it came; null where it was too large to keep, or held a full card number.';
comment on column unread_webhooks.body_bytes is 'The size of the body.';
comment on column unread_webhooks.problems is 'What kept it from being read: `[{item, code, message, path}]`.';
comment on column unread_webhooks.tried_at is 'When it was last tried to read it.';
