-- A later verification must not hide that an earlier one failed.

create table failed_verifications (
  org_id text not null,
  environment text not null,
  first_bad_seq bigint not null,
  at timestamptz(3) not null,
  by text not null,
  from_seq bigint not null,
  to_seq bigint not null,
  reason text not null,
  primary key (org_id, environment, first_bad_seq)
) with (fillfactor = 50);
comment on table failed_verifications is 'Verifications of a log that failed, until a later one of the same events, or of more, finds them intact.';
comment on column failed_verifications.org_id is 'The organization (organizations.id).';
comment on column failed_verifications.environment is '`sandbox` or `production`, which never meet.';
comment on column failed_verifications.first_bad_seq is 'The first event that failed; 0: what failed is no event.';
comment on column failed_verifications.at is 'When it was last asked for and failed.';
comment on column failed_verifications.by is 'Who asked: `usr_…` or `key_…`.';
comment on column failed_verifications.from_seq is 'The first event that was verified.';
comment on column failed_verifications.to_seq is 'The last one.';
comment on column failed_verifications.reason is 'What was wrong.';
