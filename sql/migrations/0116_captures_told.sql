-- An authorization may be captured in parts, of which the first goes by its id: which one that was is kept.
create table captures_told (
  org_id text not null,
  environment text not null,
  authorization_id text not null,
  capture_id text not null,
  told_at timestamptz(3) not null,
  primary key (org_id, environment, authorization_id)
);
create index captures_told_by_age on captures_told (told_at);
comment on table captures_told is 'The first capture of each authorization that webhooks of payment services told of.';
comment on column captures_told.org_id is 'The organization (organizations.id).';
comment on column captures_told.environment is '`sandbox` or `production`, which never meet.';
comment on column captures_told.authorization_id is 'The authorization, as the payment service calls it.';
comment on column captures_told.capture_id is 'The capture, as the payment service calls it.';
comment on column captures_told.told_at is 'When it was told.';
