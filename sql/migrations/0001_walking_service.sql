-- The spine: organizations and keys, the append-only event log, detection and alerts, signed webhooks.
-- Every tenant table's keys begin with org_id and no foreign key crosses tenants, so that it can be distributed by organization.

create extension if not exists pg_trgm;

-- Roles belong to the whole server: another database's migration may make this one at the same moment, and an owner that may not
-- create roles finds it made.
do $$ begin
  if not exists (select from pg_roles where rolname = 'oversight_service') then
    begin
      create role oversight_service nologin;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
end $$;

-- Whoever migrates acts as this role too where there is one URL for both. Since PostgreSQL 16 making a role does not include that.
do $$ declare
  may_act boolean;
begin
  if current_user = 'oversight_service' then return; end if;
  if current_setting('server_version_num')::integer >= 160000 then
    may_act := pg_has_role('oversight_service', 'SET');
  else
    may_act := pg_has_role('oversight_service', 'MEMBER');
  end if;
  if not may_act then
    begin
      execute format('grant oversight_service to %I', current_user);
    exception when unique_violation then null;
    end;
  end if;
end $$;

create table organizations (
  id text primary key,
  name text not null unique,
  created_at timestamptz(3) not null
);

-- Keys ---------------------------------------------------------------------------------------------------------------

create table api_keys (
  org_id text not null,
  id text not null,
  name text not null,
  env text not null check (env in ('test', 'live')),
  scopes text[] not null,
  prefix text not null,
  default_source_id text not null,
  created_at timestamptz(3) not null,
  created_by text,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  primary key (org_id, id)
);

-- What is looked up before the organization is known.
create table api_key_directory (
  hash bytea primary key,
  org_id text not null,
  key_id text not null
);

-- Who and what takes part ---------------------------------------------------------------------------------------------

create table sources (
  org_id text not null,
  environment text not null,
  id text not null,
  name text not null,
  kind text not null,
  description text,
  public_key jsonb,
  key_thumbprint text,
  psp_scheme text,
  psp_config jsonb,
  sealed_secret bytea,
  state text not null default 'active' check (state in ('active', 'disabled')),
  created_at timestamptz(3) not null,
  last_event_at timestamptz(3),
  primary key (org_id, environment, id)
);

create table owners (
  org_id text not null,
  environment text not null,
  id text not null,
  external_id text,
  name text,
  country text,
  first_seen_at timestamptz(3) not null,
  primary key (org_id, environment, id),
  unique (org_id, environment, external_id)
);

create table agents (
  org_id text not null,
  environment text not null,
  id text not null,
  external_id text,
  owner_id text not null,
  name text,
  framework text,
  model text,
  folded text not null,
  first_seen_at timestamptz(3) not null,
  primary key (org_id, environment, id),
  unique (org_id, environment, external_id)
);
create index agents_by_text on agents using gin (folded gin_trgm_ops);

create table payees (
  org_id text not null,
  environment text not null,
  id text not null,
  key text not null,
  type text,
  name text,
  country text,
  aliases text[] not null default '{}',
  folded text not null,
  screening_state text not null default 'pending',
  first_seen_at timestamptz(3) not null,
  primary key (org_id, environment, id),
  unique (org_id, environment, key)
);
create index payees_by_text on payees using gin (folded gin_trgm_ops);

-- The event log ----------------------------------------------------------------------------------------------------------

-- One row a log; its row lock is what makes chain_seq gapless and received_at monotonic.
create table event_logs (
  org_id text not null,
  environment text not null,
  size bigint not null default 0,
  last_received_at timestamptz(3) not null default '-infinity',
  primary key (org_id, environment)
) with (fillfactor = 10);

create table events (
  org_id text not null,
  environment text not null,
  chain_seq bigint not null,
  id text not null,
  type text not null,
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  source_id text not null,
  agent_id text not null,
  owner_id text not null,
  payee_id text not null,
  payment_id text not null,
  rail text not null,
  status text not null,
  amount_usd_micro numeric(90, 0),
  amount_usd_minor numeric(90, 0),
  mandate_id text,
  evidence_count smallint not null,
  price_key bytea not null,
  resource_key bytea,
  tool_key bytea,
  tool_call_key bytea,
  attempt integer,
  event_digest bytea not null,
  leaf_hash bytea not null,
  input text not null,
  primary key (org_id, environment, chain_seq),
  unique (org_id, environment, id)
);
comment on column events.input is 'RFC 8785 text of the normalised input, evidence values replaced by their SHA-256; event_digest is its SHA-256';
comment on column events.price_key is 'first 8 bytes of a SHA-256 over amount and denomination: equal amounts have equal keys';
comment on column events.resource_key is 'first 8 bytes of a SHA-256 over resource_url';
comment on column events.tool_key is 'first 8 bytes of a SHA-256 over context.tool_name';
comment on column events.tool_call_key is 'first 8 bytes of a SHA-256 over context.tool_call_id';

-- What the detectors read of an agent's past, by when it happened; covering, so that a cold load never visits the table.
create index events_by_agent_time on events (org_id, environment, agent_id, occurred_at, chain_seq)
  include (payment_id, payee_id, type, amount_usd_micro, price_key, resource_key, tool_key, tool_call_key, attempt);
create index events_by_agent on events (org_id, environment, agent_id, chain_seq);
create index events_by_owner on events (org_id, environment, owner_id, chain_seq);
create index events_by_payee on events (org_id, environment, payee_id, chain_seq);
create index events_by_payment on events (org_id, environment, payment_id, chain_seq);
create index events_by_rail on events (org_id, environment, rail, chain_seq);
create index events_by_status on events (org_id, environment, status, chain_seq);
create index events_by_time on events (org_id, environment, occurred_at);
-- Index-only scans need the visibility map, and an insert-only table is otherwise hardly vacuumed.
alter table events set (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000, autovacuum_analyze_scale_factor = 0.02);

-- Evidence is named in the digest by its SHA-256 only, so a value can be erased and the log still verifies.
create table evidence (
  org_id text not null,
  environment text not null,
  event_id text not null,
  position smallint not null,
  id text not null,
  kind text not null,
  media_type text,
  encoding text not null,
  label text,
  is_object boolean not null,
  sha256 bytea not null,
  value text,
  primary key (org_id, environment, event_id, position)
);

-- What the signature of a signed event covers: RFC 8785 text of the event as it was sent, without the signature.
create table signed_inputs (
  org_id text not null,
  environment text not null,
  event_id text not null,
  input text not null,
  primary key (org_id, environment, event_id)
);

create table fx_rates (
  currency text not null,
  date date not null,
  usd_per_unit numeric not null check (usd_per_unit > 0),
  primary key (currency, date)
);

-- Detection ------------------------------------------------------------------------------------------------------------

-- How far a log has been analysed. Whoever holds its row lock is the one who analyses.
create table detection_cursors (
  org_id text not null,
  environment text not null,
  seq bigint not null default 0,
  moved_at timestamptz(3) not null,
  primary key (org_id, environment)
) with (fillfactor = 10);

-- One row an analysed range; a range is analysed exactly once.
create table analyzed_ranges (
  org_id text not null,
  environment text not null,
  to_seq bigint not null,
  from_seq bigint not null,
  analyzed_at timestamptz(3) not null,
  failures jsonb,
  primary key (org_id, environment, to_seq)
);

-- The payees an agent has paid. A row is written once, at the first payment.
create table agent_payees (
  org_id text not null,
  environment text not null,
  agent_id text not null,
  payee_id text not null,
  first_seen_at timestamptz(3) not null,
  first_seq bigint not null,
  primary key (org_id, environment, agent_id, payee_id)
);

-- What an agent did in one hour: the baseline its later hours are compared with.
create table agent_hours (
  org_id text not null,
  environment text not null,
  agent_id text not null,
  hour timestamptz(3) not null,
  payments integer not null,
  spend_usd_micro numeric(90, 0) not null,
  busiest_minute integer not null,
  primary key (org_id, environment, agent_id, hour)
) with (fillfactor = 80);

create table alerts (
  org_id text not null,
  environment text not null,
  id text not null,
  agent_id text not null,
  detector text not null,
  subject text not null,
  severity text not null,
  title text not null,
  explanation text not null,
  score numeric(4, 1) not null,
  state text not null default 'open' check (state in ('open', 'acknowledged', 'escalated', 'resolved', 'dismissed')),
  case_id text,
  created_at timestamptz(3) not null,
  closed_at timestamptz(3),
  closed_score numeric(4, 1),
  primary key (org_id, environment, id)
);
create unique index alerts_live on alerts (org_id, environment, detector, agent_id, subject)
  where state in ('open', 'acknowledged', 'escalated');
create index alerts_closed on alerts (org_id, environment, detector, agent_id, subject, closed_at)
  where state in ('resolved', 'dismissed');
create index alerts_by_agent on alerts (org_id, environment, agent_id, id);
create index alerts_by_state on alerts (org_id, environment, state, id);
create index alerts_by_detector on alerts (org_id, environment, detector, id);
create index alerts_by_severity on alerts (org_id, environment, severity, id);
create index alerts_by_case on alerts (org_id, environment, case_id, id) where case_id is not null;

create table alert_events (
  org_id text not null,
  environment text not null,
  alert_id text not null,
  chain_seq bigint not null,
  event_id text not null,
  primary key (org_id, environment, alert_id, chain_seq)
);
create index alert_events_by_event on alert_events (org_id, environment, event_id, alert_id);

create table alert_actions (
  org_id text not null,
  environment text not null,
  alert_id text not null,
  id text not null,
  action text not null,
  reason text,
  actor_id text,
  at timestamptz(3) not null,
  primary key (org_id, environment, alert_id, id)
);

create table cases (
  org_id text not null,
  environment text not null,
  id text not null,
  title text not null,
  status text not null default 'open' check (status in ('open', 'investigating', 'closed')),
  priority text not null default 'medium' check (priority in ('low', 'medium', 'high', 'critical')),
  agent_id text,
  assignee_id text,
  created_by text,
  created_at timestamptz(3) not null,
  closed_at timestamptz(3),
  closing_note text,
  primary key (org_id, environment, id)
);
create index cases_open_by_agent on cases (org_id, environment, agent_id, id) where status <> 'closed';

-- Webhooks -------------------------------------------------------------------------------------------------------------

create table webhook_endpoints (
  org_id text not null,
  environment text not null,
  id text not null,
  url text not null,
  state text not null default 'active' check (state in ('active', 'disabled')),
  sealed_secret bytea not null,
  generated boolean not null,
  previous_sealed_secret bytea,
  previous_generated boolean,
  previous_expires_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (org_id, environment, id)
);

-- A delivery is the record; the queue only says when to look at it.
create table webhook_deliveries (
  org_id text not null,
  environment text not null,
  id text not null,
  endpoint_id text not null,
  type text not null,
  body text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'refused', 'failed', 'canceled')),
  attempt_count smallint not null default 0,
  generation integer not null default 0,
  created_at timestamptz(3) not null,
  not_before timestamptz(3) not null,
  next_at timestamptz(3) not null,
  finished_at timestamptz(3),
  primary key (org_id, environment, id)
) with (autovacuum_vacuum_scale_factor = 0.02);
comment on column webhook_deliveries.not_before is 'when the next attempt may start: the end of the last one and its wait';
comment on column webhook_deliveries.next_at is 'when reconcile looks for a pending row whose job may be lost; a claim moves it ahead as a lease';
create index webhook_deliveries_pending on webhook_deliveries (org_id, environment, endpoint_id, next_at) where state = 'pending';
create index webhook_deliveries_by_endpoint on webhook_deliveries (org_id, environment, endpoint_id, id);
create index webhook_deliveries_by_state on webhook_deliveries (org_id, environment, state, id);

create table webhook_attempts (
  org_id text not null,
  environment text not null,
  delivery_id text not null,
  generation integer not null,
  number smallint not null,
  at timestamptz(3) not null,
  outcome text not null,
  status smallint,
  error text,
  response text,
  ms integer not null,
  primary key (org_id, environment, delivery_id, generation, number)
);

-- What the service may do -------------------------------------------------------------------------------------------------

grant usage on schema public to oversight_service;
grant select, insert, update, delete on all tables in schema public to oversight_service;
alter default privileges in schema public grant select, insert, update, delete on tables to oversight_service;
-- The log is append-only for the service; privileges hold where triggers could be passed.
revoke update, delete on events from oversight_service;
revoke delete on event_logs, evidence, signed_inputs, analyzed_ranges, alert_actions, webhook_attempts from oversight_service;
revoke update on event_logs, evidence, signed_inputs, analyzed_ranges, alert_actions, webhook_attempts from oversight_service;
grant update (size, last_received_at) on event_logs to oversight_service;
-- A value may be erased; what names it in the log may not change.
grant update (value) on evidence to oversight_service;
