-- Evidence is verified, payments are held against mandates: what was computed, what it came to, and what is still to be looked at.

alter table events add column signed boolean not null default false;
comment on column events.signed is 'it came with a signature; signed_inputs has what that covers';
update events e set signed = true from signed_inputs s
where s.org_id = e.org_id and s.environment = e.environment and s.event_id = e.id;

-- Verification -----------------------------------------------------------------------------------------------------------

-- One row each time a piece of evidence is verified with a new outcome; the latest of a piece is what holds.
create table verification_runs (
  org_id text not null,
  environment text not null,
  chain_seq bigint not null,
  id text not null,
  number integer not null,
  kind text not null,
  evidence_id text,
  result text not null check (result in ('verified', 'failed', 'inconclusive')),
  checks jsonb not null,
  verifier_version text not null,
  at timestamptz(3) not null,
  primary key (org_id, environment, chain_seq, id)
);
comment on column verification_runs.number is 'orders the runs of an event: clocks of two processes differ';
create index verification_runs_inconclusive on verification_runs (org_id, environment, chain_seq) where result = 'inconclusive';
comment on column verification_runs.evidence_id is 'null: the signature of the event itself';
revoke update, delete on verification_runs from oversight_service;

-- What an event came to. Events that have neither evidence nor mandate have no row.
create table event_verdicts (
  org_id text not null,
  environment text not null,
  chain_seq bigint not null,
  verification_result text check (verification_result in ('verified', 'failed', 'inconclusive')),
  verification_kind text,
  mandate_result text check (mandate_result in ('compliant', 'breach', 'unresolved')),
  mandate_id text,
  primary key (org_id, environment, chain_seq)
);
create index event_verdicts_by_verification on event_verdicts (org_id, environment, verification_result, chain_seq)
  where verification_result is not null;

-- Nonces, closed mandates, receipts, token ids: each belongs to the payment that used it first.
create table single_use_facts (
  org_id text not null,
  environment text not null,
  scope text not null,
  digest bytea not null,
  agent_id text not null,
  payment_id text not null,
  chain_seq bigint not null,
  primary key (org_id, environment, scope, digest)
);
comment on column single_use_facts.digest is 'SHA-256 of the value';
revoke update, delete on single_use_facts from oversight_service;

-- Transactions to be read from a chain for an event. A row is the record; the queue only says when to look.
create table chain_lookups (
  org_id text not null,
  environment text not null,
  chain_seq bigint not null,
  network text not null,
  hash text not null,
  state text not null default 'pending' check (state in ('pending', 'waiting', 'answered', 'given_up')),
  attempts integer not null default 0,
  answer jsonb,
  created_at timestamptz(3) not null,
  next_at timestamptz(3) not null,
  primary key (org_id, environment, chain_seq, network, hash)
);
comment on column chain_lookups.answer is 'the transaction; null in an answered row: the chain does not know it';
comment on column chain_lookups.state is 'waiting: nothing says yet where that chain can be read';
create index chain_lookups_pending on chain_lookups (next_at) where state = 'pending';
create index chain_lookups_waiting on chain_lookups (network) where state = 'waiting';

-- Mandates ---------------------------------------------------------------------------------------------------------------

alter table mandates add column book_version integer not null default 0;
comment on column mandates.book_version is 'moves when payments under it are changed by other than the consumer of the log';
alter table mandates add column signed_constraints jsonb;
comment on column mandates.signed_constraints is 'as they were signed, of a mandate that was found in evidence';
-- A mandate that was found in evidence is imported once.
create unique index mandates_imported on mandates (org_id, environment, agent_id, external_ref) where source = 'ap2';

-- An event held against a mandate. A further row only where the result flips; the latest is what holds.
create table mandate_evaluations (
  org_id text not null,
  environment text not null,
  chain_seq bigint not null,
  mandate_id text not null,
  number integer not null,
  version integer not null,
  position_at timestamptz(3) not null,
  position_seq bigint not null,
  result text not null check (result in ('compliant', 'breach', 'unresolved')),
  constraints json not null,
  at timestamptz(3) not null,
  primary key (org_id, environment, chain_seq, mandate_id, number)
);
comment on column mandate_evaluations.position_at is 'when the payment was first paid, which is where it stands in the budgets';
create index mandate_evaluations_in_order on mandate_evaluations (org_id, environment, mandate_id, position_at, chain_seq);
revoke update, delete on mandate_evaluations from oversight_service;

-- What each payment under a mandate comes to, from the events that were held against it.
create table mandate_payments (
  org_id text not null,
  environment text not null,
  mandate_id text not null,
  payment_id text not null,
  paid_at timestamptz(3),
  paid_seq bigint,
  moved boolean not null,
  latest_at timestamptz(3) not null,
  latest_seq bigint not null,
  undone boolean not null,
  counted_at timestamptz(3),
  counted_seq bigint,
  denomination text not null,
  value numeric(78, 0) not null,
  usd_micro numeric(90, 0),
  refunded_in text,
  refunded_value numeric(90, 0) not null,
  refunded_usd_micro numeric(90, 0) not null,
  primary key (org_id, environment, mandate_id, payment_id)
) with (fillfactor = 80);
create index mandate_payments_in_order on mandate_payments (org_id, environment, mandate_id, paid_at) where paid_at is not null;
create index mandate_payments_moved on mandate_payments (org_id, environment, mandate_id, paid_at) where moved;
comment on column mandate_payments.moved is 'it stood later before: its evaluations may say a later position_at';
create index mandate_payments_by_payment on mandate_payments (org_id, environment, payment_id);

-- A budget crosses a threshold once a period.
create table budget_marks (
  org_id text not null,
  environment text not null,
  mandate_id text not null,
  budget text not null,
  period text not null,
  percent smallint not null,
  chain_seq bigint not null,
  primary key (org_id, environment, mandate_id, budget, period, percent)
);

-- What has to be looked at again -------------------------------------------------------------------------------------------

-- Events that were judged before something was known: those after `after_seq` up to `to_seq` are still to come.
create table rechecks (
  org_id text not null,
  environment text not null,
  id text not null,
  kind text not null check (kind in ('keys', 'mandate', 'evidence')),
  mandate_id text,
  from_at timestamptz(3),
  after_seq bigint not null default 0,
  to_seq bigint not null,
  next_at timestamptz(3) not null,
  primary key (org_id, environment, id)
);
comment on column rechecks.kind is
  'keys: events without a clear verification. mandate: events of the agent of a new mandate. evidence: events that came with any';

create index rechecks_due on rechecks (next_at);

-- What was analysed before there were verdicts is looked at now: its nonces are used, and budgets begin with what was paid from them.
insert into rechecks (org_id, environment, id, kind, to_seq, next_at)
select org_id, environment, 'rck_00000000000000000000000000', 'evidence', size, now() from event_logs where size > 0;
insert into rechecks (org_id, environment, id, kind, mandate_id, from_at, to_seq, next_at)
select m.org_id, m.environment, 'rck_' || substr(m.id, 5), 'mandate', m.id, coalesce(m.valid_from, m.created_at), l.size, now()
from mandates m join event_logs l using (org_id, environment) where l.size > 0;

-- Payments that came after one that was reported late: those of the mandate between the times.
create table reevaluations (
  org_id text not null,
  environment text not null,
  mandate_id text not null,
  from_at timestamptz(3) not null,
  until_at timestamptz(3) not null,
  after_at timestamptz(3),
  after_seq bigint,
  next_at timestamptz(3) not null,
  primary key (org_id, environment, mandate_id)
);
create index reevaluations_due on reevaluations (next_at);
comment on column reevaluations.after_seq is 'how far it has got, with after_at; null: it begins';

-- Totals and settings ------------------------------------------------------------------------------------------------------

create table agent_verdict_days (
  org_id text not null,
  environment text not null,
  agent_id text not null,
  day date not null,
  verified bigint not null,
  failed bigint not null,
  inconclusive bigint not null,
  compliant bigint not null,
  breach bigint not null,
  unresolved bigint not null,
  primary key (org_id, environment, agent_id, day)
) with (fillfactor = 70);
comment on table agent_verdict_days is 'events of an agent by verdict, on the day (UTC) they occurred';

create table detector_settings (
  org_id text not null,
  environment text not null,
  detector text not null,
  enabled boolean not null,
  primary key (org_id, environment, detector)
);
