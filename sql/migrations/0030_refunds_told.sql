-- A payment service tells of one refund in several notices, which may name neither it nor its time: what was told of a charge is kept, so that it counts once.
create table refunds_told (
  org_id text not null,
  environment text not null,
  source_id text not null,
  charge_id text not null,
  told jsonb not null default '[]',
  told_at timestamptz(3) not null,
  primary key (org_id, environment, source_id, charge_id)
);
create index refunds_told_by_age on refunds_told (told_at);
comment on table refunds_told is 'What the webhooks of a source told of the refunds of a charge.';
comment on column refunds_told.org_id is 'The organization (organizations.id).';
comment on column refunds_told.environment is '`sandbox` or `production`, which never meet.';
comment on column refunds_told.source_id is 'The source they came from (sources.id).';
comment on column refunds_told.charge_id is 'The charge, as the payment service calls it.';
comment on column refunds_told.told is 'Each notice once: `[{name, amount, up_to, counted, event_id}]`, where `counted` is how much of it no other had told.';
comment on column refunds_told.told_at is 'When the last of it was told.';
