-- The page of the log says who verified it last, and with what result.

create table log_verifications (
  org_id text not null,
  environment text not null,
  at timestamptz(3) not null,
  by text not null,
  from_seq bigint not null,
  to_seq bigint not null,
  ok boolean not null,
  primary key (org_id, environment)
) with (fillfactor = 50);
comment on table log_verifications is 'The latest verification of a log that was asked for over the API.';
comment on column log_verifications.org_id is 'The organization (organizations.id).';
comment on column log_verifications.environment is '`sandbox` or `production`, which never meet.';
comment on column log_verifications.at is 'When it was asked for.';
comment on column log_verifications.by is 'Who asked: `usr_…` or `key_…`.';
comment on column log_verifications.from_seq is 'The first event that was verified.';
comment on column log_verifications.to_seq is 'The last one.';
comment on column log_verifications.ok is 'Whether the log is intact.';
