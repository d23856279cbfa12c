-- What other agents paid a payee tells whether an amount is out of the ordinary there.
create table payee_payers (
  org_id text not null,
  environment text not null,
  payee_id text not null,
  payers jsonb not null,
  primary key (org_id, environment, payee_id)
);
comment on table payee_payers is 'What agents paid each payee at most, for the first of them.';
comment on column payee_payers.org_id is 'The organization (organizations.id).';
comment on column payee_payers.environment is '`sandbox` or `production`, which never meet.';
comment on column payee_payers.payee_id is 'The payee (payees.id).';
comment on column payee_payers.payers is 'At most 16 agents (agents.id), each with its largest payment in dollars: `[[agent_id, usd]]`.';
