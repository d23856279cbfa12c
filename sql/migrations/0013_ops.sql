-- The operators' view: what operators did, which worker processes are there, and since when rows wait that did not say so.

-- Written before the act is done; what came of it follows. An act without an outcome was cut off.
create table operator_acts (
  id text primary key,
  at timestamptz(3) not null,
  operator text not null,
  act text not null,
  queue text,
  job_ids text[] not null default '{}',
  request_id text not null,
  ip text not null
);
comment on column operator_acts.job_ids is 'the jobs it was meant for, as they were known before it';

create table operator_act_outcomes (
  act_id text primary key references operator_acts,
  at timestamptz(3) not null,
  status smallint not null
);
comment on column operator_act_outcomes.status is 'HTTP status of the answer';
revoke update, delete on operator_acts, operator_act_outcomes from oversight_service;

-- One row a process and type; moved on while the process lives, removed when it stops.
create table worker_presence (
  process_id text not null,
  type text not null,
  host text not null,
  pid integer not null,
  version text not null,
  started_at timestamptz(3) not null,
  seen_at timestamptz(3) not null,
  primary key (process_id, type)
) with (fillfactor = 50);

-- next_at is moved ahead by every claim and says nothing of how long a row has waited.
alter table rechecks add column requested_at timestamptz(3) not null default now();
create index rechecks_by_age on rechecks (requested_at);
alter table reevaluations add column requested_at timestamptz(3) not null default now();
create index reevaluations_by_age on reevaluations (requested_at);
create index chain_lookups_unread on chain_lookups (created_at) where state = 'pending' and attempts = 0;
