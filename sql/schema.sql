-- The schema of the database, written by `npm run schema` from the migrations, for reading. A database is made by `npm run migrate`.
-- The service acts as oversight_service, which owns nothing: each table ends with what that role may do.

-- The countries an agent has paid to. A row is written once, at the first payment.
create table agent_countries (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  agent_id text not null, -- The agent (agents.id).
  country text not null, -- The country (ISO 3166-1 alpha-2).
  first_seen_at timestamp(3) with time zone not null, -- When the first payment occurred.
  first_seq bigint not null, -- The chain_seq of the event that reported it.
  PRIMARY KEY (org_id, environment, agent_id, country)
);
grant select, insert, update, delete on agent_countries to oversight_service;

-- Written by the versions before days_of_agents alone, which it has gone over to.
create table agent_days (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  agent_id text not null, -- The agent (agents.id).
  day date not null, -- The day (UTC).
  rail text not null, -- The rail.
  payee_id text not null, -- The payee (payees.id).
  events bigint not null, -- How many events occurred.
  payments bigint not null, -- How many payments began.
  spend_usd_micro numeric(90,0) not null, -- What was paid, in millionths of a US dollar.
  PRIMARY KEY (org_id, environment, agent_id, day, rail, payee_id)
) with (fillfactor=70);
CREATE OR REPLACE FUNCTION public.note_days_of_agents()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into days_of_agents as d (agent, payee, day, events, payments, rail, spend_usd_micro)
  select a.number, p.number, new.day, new.events - coalesce(old.events, 0), new.payments - coalesce(old.payments, 0), new.rail,
    new.spend_usd_micro - coalesce(old.spend_usd_micro, 0)
  from agents a join payees p on p.org_id = a.org_id and p.environment = a.environment and p.id = new.payee_id
  where a.org_id = new.org_id and a.environment = new.environment and a.id = new.agent_id
  on conflict (agent, day, payee, rail) do update set events = d.events + excluded.events, payments = d.payments + excluded.payments,
    spend_usd_micro = d.spend_usd_micro + excluded.spend_usd_micro;
  return null;
end
$function$;
CREATE TRIGGER note_days_of_agents AFTER INSERT OR UPDATE ON agent_days FOR EACH ROW EXECUTE FUNCTION note_days_of_agents();
grant select, insert, update, delete on agent_days to oversight_service;

-- Written by the versions before hours_of_agents alone, which it has gone over to.
create table agent_hours (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  agent_id text not null, -- The agent (agents.id).
  hour timestamp(3) with time zone not null, -- The beginning of the hour (UTC).
  payments integer not null, -- How many payments began in it.
  spend_usd_micro numeric(90,0) not null, -- What was paid in it, in millionths of a US dollar.
  busiest_minute integer not null, -- The most payments that began within one of its minutes.
  PRIMARY KEY (org_id, environment, agent_id, hour)
) with (fillfactor=80);
CREATE OR REPLACE FUNCTION public.note_hours_of_agents()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into hours_of_agents as h (agent, hour, payments, busiest_minute, spend_usd_micro)
  select a.number, new.hour, new.payments - coalesce(old.payments, 0), new.busiest_minute, new.spend_usd_micro - coalesce(old.spend_usd_micro, 0)
  from agents a where a.org_id = new.org_id and a.environment = new.environment and a.id = new.agent_id
  on conflict (agent, hour) do update set payments = h.payments + excluded.payments,
    busiest_minute = greatest(h.busiest_minute, excluded.busiest_minute), spend_usd_micro = h.spend_usd_micro + excluded.spend_usd_micro;
  return null;
end
$function$;
CREATE TRIGGER note_hours_of_agents AFTER INSERT OR UPDATE ON agent_hours FOR EACH ROW EXECUTE FUNCTION note_hours_of_agents();
grant select, insert, update, delete on agent_hours to oversight_service;

-- The payees an agent has paid. A row is written once, at the first payment.
create table agent_payees (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  agent_id text not null, -- The agent (agents.id).
  payee_id text not null, -- The payee (payees.id).
  first_seen_at timestamp(3) with time zone not null, -- When the first payment occurred.
  first_seq bigint not null, -- The chain_seq of the event that reported it.
  PRIMARY KEY (org_id, environment, agent_id, payee_id)
);
CREATE INDEX agent_payees_by_payee ON agent_payees USING btree (org_id, environment, payee_id, first_seen_at) INCLUDE (agent_id, first_seq);
CREATE INDEX agent_payees_by_time ON agent_payees USING btree (org_id, environment, agent_id, first_seen_at) INCLUDE (payee_id, first_seq);
grant select, insert, update, delete on agent_payees to oversight_service;

-- How much an agent has done in all, kept by detection so that it need not be counted.
create table agent_totals (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  agent_id text not null, -- The agent (agents.id).
  event_count bigint not null, -- How many events it has.
  last_seen_at timestamp(3) with time zone not null, -- When its latest event was received.
  spend_usd_micro numeric not null default 0, -- What it spent in the 30 days (UTC) that end with detection_cursors.spend_day, in micro-USD. What a version before this counts is added on the next day.
  spend_rank smallint not null generated always as (spend_rank(spend_usd_micro)) stored, -- Its spend_rank: what the agents are listed by, and then by what they spent.
  PRIMARY KEY (org_id, environment, agent_id)
) with (fillfactor=70);
CREATE INDEX agent_totals_by_spend ON agent_totals USING btree (org_id, environment, spend_rank) WHERE spend_rank > 0;
grant select, insert, update, delete on agent_totals to oversight_service;

-- How many events of an agent came to which verdict, by the day (UTC) on which they occurred.
create table agent_verdict_days (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  agent_id text not null, -- The agent (agents.id).
  day date not null, -- The day (UTC).
  verified bigint not null, -- How many events have all their evidence verified.
  failed bigint not null, -- How many events have evidence that failed.
  inconclusive bigint not null, -- How many events have evidence that could not be decided on.
  compliant bigint not null, -- How many events keep to every mandate that applies.
  breach bigint not null, -- How many events break a mandate.
  unresolved bigint not null, -- How many events may or may not break a mandate.
  PRIMARY KEY (org_id, environment, agent_id, day)
) with (fillfactor=70);
grant select, insert, update, delete on agent_verdict_days to oversight_service;

-- A software agent that pays. A row is written when the agent is first named in an event.
create table agents (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The agent, as `agt_…`.
  external_id text, -- What the organization's own systems call it.
  owner_id text not null, -- On whose behalf it pays (owners.id).
  name text, -- Its name, as reported.
  framework text, -- The framework it is built with, as reported.
  model text, -- The language model it runs on, as reported.
  folded text not null, -- Its name in lower case and without accents, which searches look in.
  first_seen_at timestamp(3) with time zone not null, -- When it was first named in an event.
  labels text[] not null default '{}'::text[], -- Labels that people gave it.
  number bigint not null, -- What stands for it in the rows of hours_of_agents and days_of_agents.
  PRIMARY KEY (org_id, environment, id),
  UNIQUE (org_id, environment, external_id)
);
CREATE INDEX agents_by_arrival ON agents USING btree (org_id, environment, first_seen_at, id);
CREATE INDEX agents_by_name ON agents USING btree (org_id, environment, "left"(lower(NORMALIZE(COALESCE(name, external_id, id), NFKD) COLLATE "und-x-icu"), 60) COLLATE "C", id);
CREATE UNIQUE INDEX agents_by_number ON agents USING btree (number);
CREATE INDEX agents_by_owner ON agents USING btree (org_id, environment, owner_id, first_seen_at, id);
CREATE INDEX agents_by_text ON agents USING gin (folded gin_trgm_ops);
CREATE INDEX agents_labelled ON agents USING btree (org_id, environment, first_seen_at, id) WHERE cardinality(labels) > 0;
grant select, insert, update, delete on agents to oversight_service;

-- What people did about an alert.
create table alert_actions (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  alert_id text not null, -- The alert (alerts.id).
  id text not null, -- The action.
  action text not null, -- What was done, such as `acknowledge`, `dismiss` or `comment`.
  reason text, -- What the person wrote about it.
  actor_id text, -- Who did it: `usr_…`, `key_…`, or null for the operator and the service itself.
  at timestamp(3) with time zone not null, -- When it happened.
  PRIMARY KEY (org_id, environment, alert_id, id)
);
CREATE OR REPLACE FUNCTION public.note_alert_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update alert_changes c set updated_at = t.at
  from (select distinct org_id, environment, alert_id from added) n cross join (select change_time('alerts') as at) t
  where c.org_id = n.org_id and c.environment = n.environment and c.alert_id = n.alert_id and c.updated_at <> t.at;
  return null;
end
$function$;
CREATE TRIGGER note_alert_change AFTER INSERT ON alert_actions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_alert_change();
grant select, insert on alert_actions to oversight_service;

-- How many false alarms an organization is willing to have. Without a row the default holds.
create table alert_budgets (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  per_agent_month numeric(6,3) not null, -- Expected false alarms an agent and month, over all behavioral detectors together.
  updated_at timestamp(3) with time zone not null, -- When it was set.
  updated_by text not null, -- Who set it.
  PRIMARY KEY (org_id, environment),
  CHECK (per_agent_month >= 0.01 AND per_agent_month <= 10::numeric)
);
grant select, insert, update, delete on alert_budgets to oversight_service;

-- When each alert changed last.
create table alert_changes (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  alert_id text not null, -- The alert (alerts.id).
  updated_at timestamp(3) with time zone not null, -- When it, its actions or its events changed last, by the clock of the database.
  PRIMARY KEY (org_id, environment, alert_id)
);
CREATE INDEX alert_changes_by_time ON alert_changes USING btree (org_id, environment, updated_at, alert_id);
grant select, insert, update, delete on alert_changes to oversight_service;

-- The events that an alert is about.
create table alert_events (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  alert_id text not null, -- The alert (alerts.id).
  chain_seq bigint not null, -- The position of the event in the log.
  event_id text not null, -- The event (events.id).
  counted boolean not null default true, -- The words of the alert are about the payment of this event, as far as it was reported then.
  PRIMARY KEY (org_id, environment, alert_id, chain_seq)
) with (fillfactor=80);
CREATE INDEX alert_events_key_event ON alert_events USING btree (event_key(org_id, environment, event_id));
CREATE OR REPLACE FUNCTION public.note_alert_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update alert_changes c set updated_at = t.at
  from (select distinct org_id, environment, alert_id from added) n cross join (select change_time('alerts') as at) t
  where c.org_id = n.org_id and c.environment = n.environment and c.alert_id = n.alert_id and c.updated_at <> t.at;
  return null;
end
$function$;
CREATE TRIGGER note_alert_change AFTER INSERT ON alert_events REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_alert_change();
grant select, insert, update, delete on alert_events to oversight_service;

-- Something that a detector found and people act on.
create table alerts (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The alert, as `alr_…`.
  agent_id text not null, -- The agent (agents.id).
  detector text not null, -- The detector that raised it.
  subject text not null, -- What it is about: detector, agent and subject have at most one alert that is not closed.
  severity text not null, -- How severe it is.
  title text not null, -- What was found, in a few words.
  explanation text not null, -- What was found, with the numbers.
  score numeric(4,1) not null, -- How bad it is, from 0 to 100.
  state text not null default 'open'::text, -- How people have dealt with it.
  case_id text, -- The case that it belongs to (cases.id); null if to none.
  created_at timestamp(3) with time zone not null, -- When it was made.
  closed_at timestamp(3) with time zone, -- When it was resolved or dismissed; null while it is not.
  closed_score numeric(4,1), -- Its score when it was closed: during the cooldown only what is worse raises a new alert.
  dedup_agent_id text not null, -- The agent that it is told apart by; empty: one alert a subject, whichever agent.
  incident_id text not null, -- The incident (incidents.id) that it belongs to.
  payments integer not null default 0, -- How many payments its words are about; 0 for what was raised before this was kept.
  conduct_at timestamp(3) with time zone, -- When what is rare for the agent occurred; null: it was raised by a rule, or before this was noted.
  lesson_id text, -- What closing it taught (lessons.id); null: nothing. The lesson may have been forgotten since.
  conduct_until timestamp(3) with time zone, -- The end of the hour in which the latest of the conduct that it tells of occurred; null as `conduct_at` is.
  updated_at timestamp(3) with time zone not null default now(), -- What a version before alert_changes reads; no longer kept.
  counted_until bigint, -- The last place in the log among the events of counted_mark. Null: its words name no newest events of payments, or gather, or are from before this was noted.
  counted_mark bigint, -- A fingerprint of the score and of the events that the words count: the newest of each payment when they were written.
  PRIMARY KEY (org_id, environment, id),
  CHECK (state = ANY (ARRAY['open'::text, 'acknowledged'::text, 'escalated'::text, 'resolved'::text, 'dismissed'::text]))
) with (fillfactor=70);
CREATE INDEX alerts_by_agent ON alerts USING btree (org_id, environment, agent_id, id);
CREATE INDEX alerts_by_case ON alerts USING btree (org_id, environment, case_id, id) WHERE case_id IS NOT NULL;
CREATE INDEX alerts_by_detector ON alerts USING btree (org_id, environment, detector, id);
CREATE INDEX alerts_by_incident ON alerts USING btree (org_id, environment, incident_id, id);
CREATE INDEX alerts_by_severity ON alerts USING btree (org_id, environment, severity, id);
CREATE INDEX alerts_by_state ON alerts USING btree (org_id, environment, state, id);
CREATE INDEX alerts_by_time ON alerts USING btree (org_id, environment, created_at) INCLUDE (detector);
CREATE INDEX alerts_closed ON alerts USING btree (org_id, environment, detector, dedup_agent_id, subject, closed_at) WHERE state = ANY (ARRAY['resolved'::text, 'dismissed'::text]);
CREATE INDEX alerts_justified ON alerts USING btree (org_id, environment, agent_id, id) WHERE state = 'resolved'::text AND lesson_id IS NOT NULL;
CREATE UNIQUE INDEX alerts_live ON alerts USING btree (org_id, environment, detector, dedup_agent_id, subject) WHERE state = ANY (ARRAY['open'::text, 'acknowledged'::text, 'escalated'::text]);
CREATE INDEX alerts_live_by_agent ON alerts USING btree (org_id, environment, agent_id) WHERE state = ANY (ARRAY['open'::text, 'acknowledged'::text, 'escalated'::text]);
CREATE INDEX alerts_live_by_incident ON alerts USING btree (org_id, environment, incident_id, id) WHERE state = ANY (ARRAY['open'::text, 'acknowledged'::text, 'escalated'::text]);
CREATE INDEX alerts_of_conduct ON alerts USING btree (org_id, environment, conduct_at) WHERE conduct_at IS NOT NULL;
CREATE INDEX alerts_ranked ON alerts USING btree (org_id, environment, state, severity_rank(severity), id);
CREATE INDEX alerts_scored ON alerts USING btree (org_id, environment, state, score, id);
CREATE OR REPLACE FUNCTION public.note_changed_alert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update alert_changes c set updated_at = t.at
  from after n cross join (select change_time('alerts') as at) t
  where c.org_id = n.org_id and c.environment = n.environment and c.alert_id = n.id and c.updated_at <> t.at;
  return null;
end
$function$;
CREATE TRIGGER note_change AFTER UPDATE ON alerts REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION note_changed_alert();
CREATE OR REPLACE FUNCTION public.note_new_alert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into alert_changes
  select n.org_id, n.environment, n.id, t.at from added n cross join (select change_time('alerts') as at) t;
  return null;
end
$function$;
CREATE TRIGGER note_new AFTER INSERT ON alerts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_new_alert();
grant select, insert, update, delete on alerts to oversight_service;

-- A range of events that was analyzed in one transaction. Ranges do not overlap.
create table analyzed_ranges (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  to_seq bigint not null, -- The chain_seq of its last event.
  from_seq bigint not null, -- The chain_seq of its first event.
  analyzed_at timestamp(3) with time zone not null, -- When it was analyzed.
  failures jsonb, -- Events that made a detector or verifier throw, as chain_seq and the name of what threw; null if there were none.
  PRIMARY KEY (org_id, environment, to_seq)
);
grant select, insert on analyzed_ranges to oversight_service;

-- Finds the organization of an API key, before anything else is known of the caller.
create table api_key_directory (
  hash bytea not null, -- SHA-256 of the key.
  org_id text not null, -- The organization (organizations.id).
  key_id text not null, -- The key (api_keys.id).
  PRIMARY KEY (hash)
);
grant select, insert, update, delete on api_key_directory to oversight_service;

-- A key that machines call the API with. The key itself is not stored.
create table api_keys (
  org_id text not null, -- The organization (organizations.id).
  id text not null, -- The key, as `key_…`.
  name text not null, -- What people call it.
  env text not null, -- Which environment the key opens: `test` the sandbox, `live` production.
  scopes text[] not null, -- What the key may do.
  prefix text not null, -- The first 12 characters of the key, by which people recognize it.
  default_source_id text not null, -- The source of events that are sent with this key and name none.
  created_at timestamp(3) with time zone not null, -- When it was made.
  created_by text, -- Who made it: `usr_…`, `key_…`, or null for the operator and the service itself.
  last_used_at timestamp(3) with time zone, -- When it was last used; null if never.
  revoked_at timestamp(3) with time zone, -- When it was revoked; null while it is valid.
  expires_at timestamp(3) with time zone, -- When it stops working; null if only revoking ends it.
  ip_allowlist text[], -- The networks that it works from, in CIDR notation; null if from anywhere.
  PRIMARY KEY (org_id, id),
  CHECK (env = ANY (ARRAY['test'::text, 'live'::text]))
);
CREATE INDEX api_keys_by_env ON api_keys USING btree (org_id, env, id);
grant select, insert, update, delete on api_keys to oversight_service;

-- What archived events are found by. The events stand in the files of log_archives.
create table archived_events (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  chain_seq bigint not null, -- Its position in the log.
  id text not null, -- The event, as `evt_…`.
  agent_id text not null, -- The agent (agents.id).
  owner_id text not null, -- The owner (owners.id).
  payee_id text not null, -- The payee (payees.id).
  payment_id text not null, -- The payment that it is about, as the sender calls it.
  occurred_at timestamp(3) with time zone not null, -- When it happened, as reported.
  received_at timestamp(3) with time zone not null, -- When it arrived, which its leaf has.
  event_digest bytea not null, -- Its digest, which its leaf has.
  analyzed_at timestamp(3) with time zone, -- When it was analyzed; null where only its range (analyzed_ranges) says so.
  PRIMARY KEY (org_id, environment, chain_seq),
  UNIQUE (org_id, environment, id)
);
CREATE INDEX archived_events_by_agent ON archived_events USING btree (org_id, environment, agent_id, occurred_at, chain_seq);
CREATE INDEX archived_events_by_owner ON archived_events USING btree (org_id, environment, owner_id);
CREATE INDEX archived_events_by_payee ON archived_events USING btree (org_id, environment, payee_id);
CREATE INDEX archived_events_by_payment ON archived_events USING btree (org_id, environment, payment_id);
grant select on archived_events to oversight_service;

-- How often something that could be guessed was tried, in a window that begins with the first attempt.
create table attempt_limits (
  subject bytea not null, -- SHA-256 of what attempts are counted for: a network, an address or a person's codes.
  count integer not null, -- How many attempts were made in the window.
  expires_at timestamp(3) with time zone not null, -- When the window ends.
  PRIMARY KEY (subject)
) with (fillfactor=70);
CREATE INDEX attempt_limits_by_age ON attempt_limits USING btree (expires_at);
grant select, insert, update, delete on attempt_limits to oversight_service;

-- Who changed what. The service can add rows and change none; it can remove old ones alone (remove_audit_entries).
create table audit_log (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The entry, as `aud_…`.
  action text not null, -- What was done, such as `key.created`.
  actor_id text, -- Who did it: `usr_…`, `key_…`, or null for the operator and the service itself.
  target_id text, -- What it was done to.
  before jsonb, -- How that stood before, as JSON.
  after jsonb, -- How that stood after, as JSON.
  request_id text, -- The request by which it was done.
  at timestamp(3) with time zone not null, -- When it happened.
  PRIMARY KEY (org_id, environment, id)
);
CREATE INDEX audit_log_by_action ON audit_log USING btree (org_id, environment, action, id);
CREATE INDEX audit_log_by_actor ON audit_log USING btree (org_id, environment, actor_id, id);
CREATE INDEX audit_log_by_target ON audit_log USING btree (org_id, environment, target_id, id);
CREATE INDEX audit_log_by_time ON audit_log USING btree (org_id, environment, at, id);
grant select, insert on audit_log to oversight_service;

-- Agents of which events were reported long after later ones, and whose conduct is to be judged again in the order in which it happened.
create table backfills (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  agent_id text not null, -- The agent (agents.id).
  events bigint not null, -- How many such events came since the latest pass began; a few are judged as they come, and nothing again.
  from_at timestamp(3) with time zone, -- When the earliest of them occurred; null if none came.
  until_at timestamp(3) with time zone, -- When the latest of them occurred.
  began_at timestamp(3) with time zone, -- When the first of them was received.
  noted_at timestamp(3) with time zone not null, -- When the first of them was analyzed.
  due_at timestamp(3) with time zone not null, -- When a pass is to begin: a while after the latest of them, and soon enough after the first. Of a few, when they are forgotten.
  next_at timestamp(3) with time zone not null, -- When somebody has to look at it; whoever works on it moves this on.
  pass jsonb, -- What is being judged, part by part: `{from_at, after_seq, until_at, began_at, upto_seq}`, times in milliseconds. What occurred at from_at is judged up to the place after_seq; what lies beyond upto_seq in the log came later. Null: nothing.
  passes integer not null default 0, -- How many passes there were since nothing came for an hour.
  rests_until timestamp(3) with time zone, -- No pass begins before this; null if there was none.
  PRIMARY KEY (org_id, environment, agent_id)
);
CREATE INDEX backfills_due ON backfills USING btree (next_at);
grant select, insert, update, delete on backfills to oversight_service;

-- A back-test: what a detector would have found in the past with other parameters.
create table backtests (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The back-test, as `bkt_…`.
  detector text not null, -- The detector.
  from_at timestamp(3) with time zone not null, -- The beginning of the time that is looked at.
  to_at timestamp(3) with time zone not null, -- The end of the time that is looked at.
  params jsonb not null, -- Every parameter, as it was when the back-test was requested.
  cooldown_s integer not null, -- The cooldown it is run with, in seconds.
  state text not null default 'queued'::text, -- How it stands.
  attempts integer not null default 0, -- How often it was begun.
  progress real not null default 0, -- How much is done, from 0 to 1.
  events bigint not null default 0, -- How many events it has judged.
  findings bigint not null default 0, -- How many alerts there would have been.
  sample jsonb not null default '[]'::jsonb, -- The findings with the highest scores, as JSON.
  truncated boolean not null default false, -- Whether there were more events than a back-test goes through.
  error text, -- Why it failed; null if it did not.
  created_at timestamp(3) with time zone not null, -- When it was made.
  created_by text, -- Who made it: `usr_…`, `key_…`, or null for the operator and the service itself.
  started_at timestamp(3) with time zone, -- When it was begun.
  finished_at timestamp(3) with time zone, -- When it was done, or failed.
  next_at timestamp(3) with time zone not null, -- When somebody has to look at it again; whoever runs it moves this on.
  by_parameters boolean not null default true, -- Somebody has set parameters: they are kept to. Else a behavioral detector judges by rarity, and they are floors.
  PRIMARY KEY (org_id, environment, id),
  CHECK (state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text]))
) with (fillfactor=50);
CREATE INDEX backtests_due ON backtests USING btree (next_at) WHERE state = ANY (ARRAY['queued'::text, 'running'::text]);
CREATE INDEX backtests_finished ON backtests USING btree (finished_at) WHERE state = ANY (ARRAY['done'::text, 'failed'::text]);
CREATE INDEX backtests_unfinished ON backtests USING btree (org_id, environment) WHERE state = ANY (ARRAY['queued'::text, 'running'::text]);
grant select, insert, update, delete on backtests to oversight_service;

-- A budget that crossed a threshold, which it does once a period.
create table budget_marks (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  mandate_id text not null, -- The mandate (mandates.id).
  budget text not null, -- The budget constraint, as RFC 8785 text: other terms are another budget.
  period text not null, -- The period of the budget.
  percent smallint not null, -- The threshold, in percent of the limit.
  chain_seq bigint not null, -- The event that crossed it.
  PRIMARY KEY (org_id, environment, mandate_id, budget, period, percent)
);
CREATE INDEX budget_marks_by_event ON budget_marks USING btree (org_id, environment, chain_seq);
grant select, insert, update, delete on budget_marks to oversight_service;

-- The first capture of each authorization that webhooks of payment services told of.
create table captures_told (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  authorization_id text not null, -- The authorization, as the payment service calls it.
  capture_id text not null, -- The capture, as the payment service calls it.
  told_at timestamp(3) with time zone not null, -- When it was told.
  PRIMARY KEY (org_id, environment, authorization_id)
);
CREATE INDEX captures_told_by_age ON captures_told USING btree (told_at);
grant select, insert, update, delete on captures_told to oversight_service;

-- The agents a case is about: its own, and those of what it is linked to.
create table case_agents (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  agent_id text not null, -- The agent (agents.id).
  case_id text not null, -- The case (cases.id).
  PRIMARY KEY (org_id, environment, agent_id, case_id)
);
grant select, insert, update, delete on case_agents to oversight_service;

-- Cases on hold: what belongs to one is kept, closed or not.
create table case_holds (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  case_id text not null, -- The case (cases.id).
  reason text not null, -- Why it is on hold, such as the name of a lawsuit.
  held_at timestamp(3) with time zone not null, -- Since when.
  PRIMARY KEY (org_id, environment, case_id)
);
grant select, insert, update, delete on case_holds to oversight_service;

-- What a case was linked to. Rows stay: a closed case keeps what it was about when an alert goes on in another one.
create table case_links (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  case_id text not null, -- The case (cases.id).
  kind text not null, -- What kind of thing it was linked to.
  target_id text not null, -- That thing.
  linked_at timestamp(3) with time zone not null, -- When it was linked.
  PRIMARY KEY (org_id, environment, case_id, kind, target_id),
  CHECK (kind = ANY (ARRAY['alert'::text, 'event'::text, 'screening'::text, 'pack'::text]))
);
CREATE INDEX case_links_by_target ON case_links USING btree (org_id, environment, target_id);
CREATE INDEX case_links_by_time ON case_links USING btree (org_id, environment, case_id, kind, linked_at, target_id);
grant select, insert on case_links to oversight_service;

-- What happened in a case.
create table case_timeline (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  case_id text not null, -- The case (cases.id).
  id text not null, -- The entry.
  kind text not null, -- What happened, such as `created` or `linked`.
  actor_id text, -- Who did it: `usr_…`, `key_…`, or null for the operator and the service itself.
  at timestamp(3) with time zone not null, -- When it happened.
  detail jsonb not null, -- What else the entry says, which depends on its kind.
  PRIMARY KEY (org_id, environment, case_id, id)
);
CREATE OR REPLACE FUNCTION public.note_case_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update cases c set updated_at = n.at
  from (select org_id, environment, case_id, change_time('cases') as at from added group by 1, 2, 3) n
  where c.org_id = n.org_id and c.environment = n.environment and c.id = n.case_id and c.updated_at <> n.at;
  return null;
end
$function$;
CREATE TRIGGER note_case_change AFTER INSERT ON case_timeline REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_case_change();
CREATE OR REPLACE FUNCTION public.notify_of_case()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into notifications (org_id, environment, user_id, kind, subject_id, entry_id)
  select n.org_id, n.environment, m.user_id, 'assignment', n.case_id, n.id
  from added n join members m on m.org_id = n.org_id and m.user_id = n.detail ->> 'to'
  left join notification_settings s on s.org_id = m.org_id and s.environment = n.environment and s.user_id = m.user_id
  where n.kind = 'assigned' and m.user_id is distinct from n.actor_id and coalesce(s.assignments, true)
  on conflict do nothing;
  insert into notifications (org_id, environment, user_id, kind, subject_id, entry_id)
  select n.org_id, n.environment, m.user_id, 'mention', n.case_id, n.id
  from added n join members m on m.org_id = n.org_id join users u on u.id = m.user_id
  left join notification_settings s on s.org_id = m.org_id and s.environment = n.environment and s.user_id = m.user_id
  where n.kind = 'commented' and m.user_id is distinct from n.actor_id and coalesce(s.mentions, true)
    and (strpos(lower(n.detail ->> 'text'), '@' || u.email) > 0
      or (length(u.name) > 1 and strpos(lower(n.detail ->> 'text'), '@' || lower(u.name)) > 0))
  on conflict do nothing;
  return null;
end $function$;
CREATE TRIGGER notify_of_case AFTER INSERT ON case_timeline REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION notify_of_case();
grant select, insert on case_timeline to oversight_service;

-- What people look into, together with what it is about.
create table cases (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The case, as `cas_…`.
  title text not null, -- What it is called.
  status text not null default 'open'::text, -- How far people have got with it.
  priority text not null default 'medium'::text, -- How urgent it is.
  agent_id text, -- The agent that it is about; null if about no single one.
  assignee_id text, -- Who looks into it (users.id); null if nobody.
  created_by text, -- Who made it: `usr_…`, `key_…`, or null for the operator and the service itself.
  created_at timestamp(3) with time zone not null, -- When it was made.
  closed_at timestamp(3) with time zone, -- When it was closed; null while it is not.
  closing_note text, -- What people wrote when they closed it.
  updated_at timestamp(3) with time zone not null default now(), -- When it or its timeline changed last, by the clock of the database.
  PRIMARY KEY (org_id, environment, id),
  CHECK (priority = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text])),
  CHECK (status = ANY (ARRAY['open'::text, 'investigating'::text, 'closed'::text]))
);
CREATE INDEX cases_by_assignee ON cases USING btree (org_id, environment, assignee_id, id) WHERE assignee_id IS NOT NULL;
CREATE INDEX cases_by_change ON cases USING btree (org_id, environment, updated_at, id);
CREATE INDEX cases_by_priority ON cases USING btree (org_id, environment, priority, id);
CREATE INDEX cases_by_rank ON cases USING btree (org_id, environment, severity_rank(priority), id);
CREATE INDEX cases_by_status ON cases USING btree (org_id, environment, status, id);
CREATE INDEX cases_open_by_agent ON cases USING btree (org_id, environment, agent_id, id) WHERE status <> 'closed'::text;
CREATE OR REPLACE FUNCTION public.note_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.updated_at := change_time(tg_table_name);
  return new;
end
$function$;
CREATE TRIGGER note_change BEFORE UPDATE ON cases FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION note_change();
CREATE OR REPLACE FUNCTION public.note_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.updated_at := change_time(tg_table_name);
  return new;
end
$function$;
CREATE TRIGGER note_new BEFORE INSERT ON cases FOR EACH ROW EXECUTE FUNCTION note_change();
grant select, insert, update, delete on cases to oversight_service;

-- A transaction to be read from a chain for an event.
create table chain_lookups (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  chain_seq bigint not null, -- The position of the event in the log (events.chain_seq).
  network text not null, -- The chain, by its CAIP-2 id.
  hash text not null, -- The hash of the transaction.
  state text not null default 'pending'::text, -- How it stands; `waiting`: nothing says yet where that chain can be read.
  attempts integer not null default 0, -- How often it was looked for.
  answer jsonb, -- The transaction; null in an answered row: the chain does not know it.
  created_at timestamp(3) with time zone not null, -- When it was made.
  next_at timestamp(3) with time zone not null, -- When it is looked for again.
  PRIMARY KEY (org_id, environment, chain_seq, network, hash),
  CHECK (state = ANY (ARRAY['pending'::text, 'waiting'::text, 'answered'::text, 'given_up'::text]))
);
CREATE INDEX chain_lookups_pending ON chain_lookups USING btree (next_at) WHERE state = 'pending'::text;
CREATE INDEX chain_lookups_unread ON chain_lookups USING btree (created_at) WHERE state = 'pending'::text AND attempts = 0;
CREATE INDEX chain_lookups_waiting ON chain_lookups USING btree (network) WHERE state = 'waiting'::text;
grant select, insert, update, delete on chain_lookups to oversight_service;

-- What an agent did in one day, by rail and payee. A payment counts under those of its latest event.
create table days_of_agents (
  agent bigint not null, -- The agent (agents.number).
  payee bigint not null, -- The payee (payees.number).
  day date not null, -- The day (UTC).
  events integer not null, -- How many events occurred.
  payments integer not null, -- How many payments began.
  rail text not null, -- The rail.
  spend_usd_micro numeric(90,0) not null, -- What was paid, in millionths of a US dollar.
  org_id text, -- The organization (organizations.id), where the tables are spread over several nodes; else null.
  PRIMARY KEY (agent, day, payee, rail)
) with (fillfactor=80);
grant select, insert, update, delete on days_of_agents to oversight_service;

-- How far a log has been analyzed. Whoever holds the row lock is the one who analyzes.
create table detection_cursors (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  seq bigint not null default 0, -- The chain_seq of the last event that was analyzed.
  moved_at timestamp(3) with time zone not null, -- When the cursor last moved.
  spreads jsonb, -- What the log has taught about its agents as a whole: by how much what they do exceeds what is usual for them. Of a size that does not grow; null: nothing yet.
  repriced bigint not null default 0, -- How often analyzed events were priced later: what a process keeps of the log is read again when this has moved.
  repriced_known bigint not null default 0, -- `repriced` as the process that moved the cursor last knew it.
  spend_day date, -- The last of the 30 days that agent_totals.spend_usd_micro is of, for the agents up to spend_after; null: of none yet.
  spend_after text, -- How far the agents have been gone over for that day, by agent_id; null: all of them.
  PRIMARY KEY (org_id, environment)
) with (fillfactor=10);
CREATE OR REPLACE FUNCTION public.refuse_former_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'events of this log were priced, which this version of the service does not know: one that does goes on' using errcode = '55000';
end
$function$;
CREATE TRIGGER refuse_former_version BEFORE UPDATE OF seq ON detection_cursors FOR EACH ROW WHEN (new.seq <> old.seq AND new.repriced_known <> new.repriced) EXECUTE FUNCTION refuse_former_version();
grant select, insert, update, delete on detection_cursors to oversight_service;

-- How an organization set a detector; without a row its defaults hold.
create table detector_settings (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  detector text not null, -- The name of the detector.
  enabled boolean not null, -- Whether it judges at all.
  shadow boolean not null default false, -- Whether it records what it finds and raises no alerts.
  params jsonb not null default '{}'::jsonb, -- The parameters that differ from the defaults, as JSON.
  severity_floor text not null default 'low'::text, -- Findings below this severity are recorded and raise no alerts.
  cooldown_s integer not null default 86400, -- For how many seconds after an alert is closed the same finding raises no new one, unless it is worse.
  updated_at timestamp(3) with time zone, -- When the settings were last changed.
  PRIMARY KEY (org_id, environment, detector),
  CHECK (cooldown_s >= 0 AND cooldown_s <= 31536000),
  CHECK (severity_floor = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text]))
);
grant select, insert, update, delete on detector_settings to oversight_service;

-- That an event was emptied, signed with a key of the log: only then is one sound that is not what its digest says.
create table erased_events (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  chain_seq bigint not null, -- The position of the event in the log (events.chain_seq).
  number integer not null, -- Orders the erasures of an event; the latest is what holds.
  erasure_id text not null, -- The erasure (erasures.id).
  statement text not null, -- The digest of the event as it was, the SHA-256 of what is left of it, who asked for it, when and the hash of the ground, as a JWS (RFC 7515).
  PRIMARY KEY (org_id, environment, chain_seq, number)
);
CREATE INDEX erased_events_by_erasure ON erased_events USING btree (org_id, environment, erasure_id, chain_seq);
grant select, insert on erased_events to oversight_service;

-- The names and keys that an erasure still looks for; none once it is done.
create table erasure_words (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  erasure_id text not null, -- The erasure (erasures.id).
  word_hash bytea not null, -- SHA-256 of the word, by which it is gone through.
  word text not null, -- A name or a key, in one way of writing it.
  everywhere boolean not null, -- Whether it is looked for in every text; else in what is linked to the erased events, since it may mean something else.
  PRIMARY KEY (org_id, environment, erasure_id, word_hash)
);
grant select, insert, delete on erasure_words to oversight_service;

-- Whose data was erased, by whom and on what ground. What was asked for never changes, and no row is removed.
create table erasures (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The erasure, as `ers_…`.
  subject_kind text not null, -- What is erased: a payment, a piece of evidence, or what is known of an agent, an owner or a payee.
  subject_id text not null, -- Which one, by its id.
  ground text not null, -- On what ground, as written by the person who asked for it.
  requested_at timestamp(3) with time zone not null, -- When it was asked for.
  requested_by text, -- Who asked for it: `usr_…`, or null for the operator.
  state text not null default 'running'::text, -- How it stands.
  stage text not null default 'events'::text, -- What is being gone through: the events of the log, then the records of the parties, then what repeats their names, then files.
  after text not null default ''::text, -- How far that has been gone through.
  events bigint not null default 0, -- How many events were emptied.
  evidence_values bigint not null default 0, -- How many values of evidence were removed.
  names bigint not null default 0, -- How many agents, owners and payees lost their names.
  packs bigint not null default 0, -- How many packs and exports were removed.
  finished_at timestamp(3) with time zone, -- When it was done; null while it is not.
  next_at timestamp(3) with time zone, -- When somebody has to look at it again, since its job may be lost; null once it is done.
  saved_views integer not null default 0, -- How many saved views were deleted, because they name whom it erased.
  PRIMARY KEY (org_id, environment, id),
  CHECK (state = ANY (ARRAY['running'::text, 'done'::text])),
  CHECK (subject_kind = ANY (ARRAY['payment'::text, 'agent'::text, 'owner'::text, 'payee'::text, 'evidence'::text]))
);
CREATE INDEX erasures_due ON erasures USING btree (next_at) WHERE next_at IS NOT NULL;
grant select, insert, update (state, stage, after, events, evidence_values, names, packs, finished_at, next_at, saved_views) on erasures to oversight_service;

-- Between which times the events of a stretch of a log occurred, and between which amounts they are.
create table event_blocks (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  block bigint not null, -- The stretch: events.chain_seq divided by 2,048.
  earliest timestamp(3) with time zone not null, -- When the earliest of them occurred.
  latest timestamp(3) with time zone not null, -- When the latest of them occurred.
  smallest numeric, -- Their smallest amount in millionths of a US dollar: minus infinity where one may be priced yet, infinity where none can be, and null where it is not known yet.
  largest numeric, -- Their largest amount, and the other way round.
  PRIMARY KEY (org_id, environment, block)
) with (fillfactor=80);
grant select, insert, update, delete on event_blocks to oversight_service;

-- One row a log, which is the events of an organization in an environment. Its row lock makes chain_seq gapless and received_at monotonic.
create table event_logs (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  size bigint not null default 0, -- How many events the log has, which is the chain_seq of its last.
  last_received_at timestamp(3) with time zone not null default '-infinity'::timestamp with time zone, -- When its last event was received.
  erasures bigint not null default 0, -- How often parties of the log have been erased: an event is stored only by whoever looked its parties up since.
  archived_seq bigint not null default 0, -- Up to here events have left the database (log_archives).
  has_news boolean not null default true, -- Whether it may have events that are not analyzed yet, or that no checkpoint covers. Set by every event, unset when there has been none for a while.
  PRIMARY KEY (org_id, environment)
) with (fillfactor=10);
CREATE INDEX event_logs_with_news ON event_logs USING btree (org_id, environment) WHERE has_news;
CREATE OR REPLACE FUNCTION public.note_news()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.has_news := true;
  return new;
end
$function$;
CREATE TRIGGER note_news BEFORE UPDATE OF size ON event_logs FOR EACH ROW WHEN (NOT old.has_news) EXECUTE FUNCTION note_news();
grant select, insert, update (size, last_received_at, erasures, has_news) on event_logs to oversight_service;

-- What assessing an event came to, all evidence and all mandates together. An event without either has no row.
create table event_verdicts (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  chain_seq bigint not null, -- The position of the event in the log (events.chain_seq).
  verification_result text, -- What its evidence came to; null if it has none.
  verification_kind text, -- The kind of evidence that decided it.
  mandate_result text, -- What its mandates came to; null if none applies.
  mandate_id text, -- The mandate that decided it.
  PRIMARY KEY (org_id, environment, chain_seq),
  CHECK (mandate_result = ANY (ARRAY['compliant'::text, 'breach'::text, 'unresolved'::text])),
  CHECK (verification_result = ANY (ARRAY['verified'::text, 'failed'::text, 'inconclusive'::text]))
);
CREATE INDEX event_verdicts_by_mandate ON event_verdicts USING btree (org_id, environment, mandate_result, chain_seq) WHERE mandate_result = ANY (ARRAY['breach'::text, 'unresolved'::text]);
CREATE INDEX event_verdicts_by_verification ON event_verdicts USING btree (org_id, environment, verification_result, chain_seq) WHERE verification_result IS NOT NULL;
grant select, insert, update, delete on event_verdicts to oversight_service;

-- The log: reports that something happened to a payment. The service can add rows and neither change nor remove any, but that it can give a price to one that has none (price_events), and that old ones leave it once an archive holds them (remove_archived_events).
create table events (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  chain_seq bigint not null, -- Its position in the log, counted from 1 without gaps.
  id text not null, -- The event, as `evt_…`, chosen by the sender: sending it again adds nothing.
  type text not null, -- What happened, such as `payment.settled`.
  occurred_at timestamp(3) with time zone not null, -- When it happened, as reported.
  received_at timestamp(3) with time zone not null, -- When the service wrote it down.
  source_id text not null, -- The source (sources.id).
  agent_id text not null, -- The agent (agents.id).
  owner_id text not null, -- The owner (owners.id).
  payee_id text not null, -- The payee (payees.id).
  payment_id text not null, -- The payment that it is about, as the sender calls it.
  rail text not null, -- How the payment is made, such as `card` or `x402`.
  status text not null, -- How the payment stands, as reported.
  amount_usd_micro numeric(90,0), -- The amount in millionths of a US dollar; null if it could not be priced.
  amount_usd_minor numeric(90,0), -- The amount in US cents; null if it could not be priced.
  mandate_id text, -- The mandate that the event names; null if it names none.
  evidence_count smallint not null, -- How many pieces of evidence came with it.
  price_key bytea not null, -- First 8 bytes of a SHA-256 over amount and denomination: equal amounts have equal keys.
  resource_key bytea, -- First 8 bytes of a SHA-256 over resource_url; null if the event names none.
  tool_key bytea, -- First 8 bytes of a SHA-256 over context.tool_name; null if the event names none.
  tool_call_key bytea, -- First 8 bytes of a SHA-256 over context.tool_call_id, after context.run_id and a blank where the id only counts the calls of a run (not so in events of earlier versions); null if the event names none.
  attempt integer, -- Which attempt at the payment this was, as reported.
  event_digest bytea not null, -- SHA-256 of input.
  leaf_hash bytea not null, -- The hash that stands for the event in the Merkle tree of the log (RFC 6962).
  input text not null, -- RFC 8785 text of the normalized event, in which evidence stands as its SHA-256.
  signed boolean not null default false, -- Whether it came with a signature; signed_inputs has what that covers.
  payee_country text, -- The country of the payee (ISO 3166-1 alpha-2), as this event says.
  payee_name_key bytea, -- First 8 bytes of a SHA-256 over the folded name of the payee, as this event says.
  domain_key bytea, -- First 8 bytes of a SHA-256 over the host of resource_url; null if the event names none.
  usd_rate jsonb, -- The rate that priced it: `{usd_per_unit, date, source}`. Null for dollars and tokens, where there is no price, and of events before rates were noted.
  PRIMARY KEY (org_id, environment, chain_seq),
  UNIQUE (org_id, environment, id)
) with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=50000, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX events_by_agent_time ON events USING btree (org_id, environment, agent_id, occurred_at, chain_seq) INCLUDE (payment_id, payee_id, rail, type, amount_usd_micro, price_key, resource_key, tool_key, tool_call_key, attempt);
CREATE INDEX events_key_agent ON events USING btree (event_key(org_id, environment, agent_id), chain_seq);
CREATE INDEX events_key_card ON events USING btree (event_key(org_id, environment, input::jsonb #>> '{instrument,last4}'::text[]), chain_seq) WHERE strpos(input, '"last4":'::text) > 0;
CREATE INDEX events_key_instrument ON events USING btree (event_key(org_id, environment, input::jsonb #>> '{instrument,id}'::text[]), chain_seq) WHERE strpos(input, '"instrument":'::text) > 0;
CREATE INDEX events_key_order ON events USING btree (event_key(org_id, environment, COALESCE(input::jsonb #>> '{metadata,order_id}'::text[], input::jsonb #>> '{metadata,order}'::text[], input::jsonb #>> '{metadata,order_number}'::text[])), chain_seq) WHERE strpos(input, '"order'::text) > 0;
CREATE INDEX events_key_owner ON events USING btree (event_key(org_id, environment, owner_id), chain_seq);
CREATE INDEX events_key_payee ON events USING btree (event_key(org_id, environment, payee_id), chain_seq);
CREATE INDEX events_key_payment ON events USING btree (event_key(org_id, environment, payment_id), chain_seq);
CREATE INDEX events_key_price ON events USING btree (event_key(org_id, environment, encode(price_key, 'hex'::text)), chain_seq);
CREATE INDEX events_key_rail_status ON events USING btree (event_key(org_id, environment, (rail || ' '::text) || status), chain_seq);
CREATE INDEX events_unpriced ON events USING btree (org_id, environment, chain_seq) WHERE amount_usd_micro IS NULL AND (input::jsonb #>> '{payment,amount,currency}'::text[]) IS NOT NULL;
CREATE OR REPLACE FUNCTION public.note_event_blocks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into event_blocks as b
  select a.org_id, a.environment, a.chain_seq / 2048, min(a.occurred_at), max(a.occurred_at),
    case when bool_or(a.is_open) then '-infinity' else coalesce(min(a.amount_usd_micro), 'infinity') end,
    case when bool_or(a.is_open) then 'infinity' else coalesce(max(a.amount_usd_micro), '-infinity') end
  from (
    select *, amount_usd_micro is null and (input::jsonb #>> '{payment,amount,currency}') is not null as is_open from added) a
  where a.chain_seq > coalesce((
    select l.archived_seq from event_logs l where l.org_id = a.org_id and l.environment = a.environment), 0)
  group by 1, 2, 3
  on conflict (org_id, environment, block) do update
  set earliest = least(b.earliest, excluded.earliest), latest = greatest(b.latest, excluded.latest),
    smallest = case when b.smallest is not null then least(b.smallest, excluded.smallest) end,
    largest = case when b.largest is not null then greatest(b.largest, excluded.largest) end
  where excluded.earliest < b.earliest or excluded.latest > b.latest or excluded.smallest < b.smallest or excluded.largest > b.largest;
  return null;
end
$function$;
CREATE TRIGGER note_event_blocks AFTER INSERT ON events REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_event_blocks();
grant select, insert on events to oversight_service;

-- Evidence that came with an event. Its value can be erased, after which the log still verifies.
create table evidence (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  event_id text not null, -- The event (events.id).
  "position" smallint not null, -- Which piece of the event's evidence it is, counted from 0.
  id text not null, -- The piece of evidence, as `evd_…`.
  kind text not null, -- What kind of evidence it is, which decides how it is verified.
  media_type text, -- Its media type, as reported.
  encoding text not null, -- How the value is encoded, as reported.
  label text, -- What the sender called it.
  is_object boolean not null, -- Whether it was sent as a JSON object, and not as text.
  sha256 bytea not null, -- SHA-256 of the value, which is what the log holds of it.
  value text, -- What was sent; null once it was erased.
  PRIMARY KEY (org_id, environment, event_id, "position")
);
grant select, insert, update (value) on evidence to oversight_service;

-- Records that are written to the storage hour by hour, for a warehouse.
create table export_schedules (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  kind text not null, -- What records are written.
  format text not null, -- How the hours from the next one on are written.
  state text not null, -- Whether hours are written.
  from_at timestamp(3) with time zone not null, -- The beginning of the first hour.
  hour_at timestamp(3) with time zone not null, -- The beginning of the hour that is written next; all before it are.
  after_seq bigint, -- Of events: up to this position of the log they are written; null: what the first hour begins with has not been looked up.
  manifest_sha256 text, -- The SHA-256 of the manifest of the last hour, in hex, which the next one names; null before the first.
  written_at timestamp(3) with time zone, -- When the last hour was written.
  error text, -- Why the next hour could not be written; null if it was not tried, or is not known to have failed.
  failures integer not null default 0, -- How often writing the next hour has failed.
  claims bigint not null default 0, -- How many times a worker has begun an hour; identifies the claim of the one that holds it.
  held_until timestamp(3) with time zone, -- Until when a worker holds it, unless it says that it still does; null: none does.
  next_at timestamp(3) with time zone, -- When somebody has to look at it again: an hour is over, its job may be lost, its worker silent; null while it is paused.
  created_at timestamp(3) with time zone not null, -- When it was made.
  created_by text, -- Who made it: `usr_…` or `key_…`.
  PRIMARY KEY (org_id, environment, kind),
  CHECK (format = ANY (ARRAY['ndjson'::text, 'csv'::text, 'parquet'::text])),
  CHECK (kind = ANY (ARRAY['events'::text, 'alerts'::text, 'cases'::text, 'screenings'::text, 'audit'::text])),
  CHECK (state = ANY (ARRAY['active'::text, 'paused'::text]))
) with (fillfactor=50);
CREATE INDEX export_schedules_due ON export_schedules USING btree (next_at) WHERE next_at IS NOT NULL;
grant select, insert, update on export_schedules to oversight_service;

-- Records that were asked for as a file. The files stand in the storage.
create table exports (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The export, as `exp_…`.
  kind text not null, -- What records it holds.
  format text not null, -- How they are written.
  from_at timestamp(3) with time zone, -- Records of this time or later; null: from the first.
  to_at timestamp(3) with time zone, -- Records of before this time; null: to the last there was when it was built.
  state text not null default 'queued'::text, -- How far it has got.
  progress real not null default 0, -- How much of it is done, from 0 to 1; it never goes back.
  row_count bigint, -- How many records it holds; null until it is ready.
  created_at timestamp(3) with time zone not null, -- When it was asked for.
  created_by text, -- Who asked for it: `usr_…`, `key_…`, or null: the operator.
  ready_at timestamp(3) with time zone, -- When it was ready.
  expires_at timestamp(3) with time zone, -- Until when it is kept; null while it is not ready.
  size_bytes bigint, -- The size of the ZIP.
  sha256 text, -- The SHA-256 of the ZIP, in hex.
  error text, -- Why it could not be built.
  attempts integer not null default 0, -- How often it was begun; a worker that was killed never ended its own.
  failures integer not null default 0, -- How often building it has failed.
  built_in integer, -- The attempt whose file it is: each attempt has a file of its own, so that none can overwrite another's.
  stored boolean not null default false, -- The storage may hold files of it.
  next_at timestamp(3) with time zone, -- When somebody has to look at it again: its job may be lost, its worker silent, its time over; null: never.
  filters jsonb not null default '{}'::jsonb, -- What else it is narrowed by: the filters of its list, as they were asked for.
  PRIMARY KEY (org_id, environment, id),
  CHECK (format = ANY (ARRAY['ndjson'::text, 'csv'::text, 'parquet'::text])),
  CHECK (kind = ANY (ARRAY['events'::text, 'alerts'::text, 'cases'::text, 'screenings'::text, 'audit'::text])),
  CHECK (state = ANY (ARRAY['queued'::text, 'building'::text, 'ready'::text, 'failed'::text, 'expired'::text]))
) with (fillfactor=50);
CREATE INDEX exports_due ON exports USING btree (next_at) WHERE next_at IS NOT NULL;
grant select, insert, update on exports to oversight_service;

-- Verifications of a log that failed, until a later one of the same events, or of more, finds them intact.
create table failed_verifications (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  first_bad_seq bigint not null, -- The first event that failed; 0: what failed is no event.
  at timestamp(3) with time zone not null, -- When it was last asked for and failed.
  by text not null, -- Who asked: `usr_…` or `key_…`.
  from_seq bigint not null, -- The first event that was verified.
  to_seq bigint not null, -- The last one.
  reason text not null, -- What was wrong.
  PRIMARY KEY (org_id, environment, first_bad_seq)
) with (fillfactor=50);
grant select, insert, update, delete on failed_verifications to oversight_service;

-- What a unit of a currency was worth on a day, as the operator loaded it or as it was fetched. Beside them stand the rates that come with the service.
create table fx_rates (
  currency text not null, -- The currency (ISO 4217).
  date date not null, -- The day.
  usd_per_unit numeric not null, -- How many US dollars one unit of the currency was worth.
  source text not null default 'operator'::text, -- `operator` if it was loaded, which wins; `fetched` if RATES named where from.
  PRIMARY KEY (currency, date),
  CHECK (source = ANY (ARRAY['operator'::text, 'fetched'::text])),
  CHECK (usd_per_unit > 0::numeric)
);
CREATE OR REPLACE FUNCTION public.note_rate_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update rate_changes set version = version + 1, looks = 0, next_at = '-infinity';
  return null;
end
$function$;
CREATE TRIGGER note_rate_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON fx_rates FOR EACH STATEMENT EXECUTE FUNCTION note_rate_change();
grant select, insert, update, delete on fx_rates to oversight_service;

-- What an agent did in one hour: the baseline that its later hours are compared with.
create table hours_of_agents (
  agent bigint not null, -- The agent (agents.number).
  hour timestamp(3) with time zone not null, -- The beginning of the hour (UTC).
  payments integer not null, -- How many payments began in it.
  busiest_minute integer not null, -- The most payments that began within one of its minutes.
  spend_usd_micro numeric(90,0) not null, -- What was paid in it, in millionths of a US dollar.
  org_id text, -- The organization (organizations.id), where the tables are spread over several nodes; else null.
  PRIMARY KEY (agent, hour)
) with (fillfactor=80);
grant select, insert, update, delete on hours_of_agents to oversight_service;

-- The answer to a request with an Idempotency-Key, written in the transaction of what the request did.
create table idempotency_keys (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  scope bytea not null, -- SHA-256 over credential, method, path and key.
  body_hash bytea not null, -- SHA-256 of the body, by which another request with the same key is noticed.
  status smallint not null, -- The HTTP status of the answer.
  answer text, -- The body to repeat; null if it held a secret.
  record_id text, -- The id of what the request made, which is named when its answer cannot be repeated.
  created_at timestamp(3) with time zone not null, -- When it was made.
  PRIMARY KEY (org_id, environment, scope)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys USING btree (created_at);
grant select, insert, update, delete on idempotency_keys to oversight_service;

-- The agents that the alerts of an incident are about.
create table incident_agents (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  agent_id text not null, -- The agent (agents.id).
  incident_id text not null, -- The incident (incidents.id).
  PRIMARY KEY (org_id, environment, agent_id, incident_id)
);
CREATE INDEX incident_agents_by_incident ON incident_agents USING btree (org_id, environment, incident_id);
grant select, insert, update, delete on incident_agents to oversight_service;

-- Alerts that belong together: those of an agent within one episode, or those of a storm over many agents.
create table incidents (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The incident, as `inc_…`.
  agent_id text, -- The agent (agents.id) that it is about; null for a storm over many.
  state text not null default 'open'::text, -- `open` while one of its alerts is open, acknowledged or escalated.
  acknowledged boolean not null default false, -- Whether none of its alerts is `open`: somebody has seen to each of them.
  severity text not null, -- The worst severity of its alerts.
  lead_title text not null, -- The title of the alert with the highest score.
  lead_score numeric(4,1) not null, -- The score of that alert.
  lead_key text not null default ''::text, -- Which alert that is: its detector, agent and subject.
  detectors text[] not null, -- The detectors that raised its alerts.
  storm_detectors text[] not null default '{}'::text[], -- The detectors by which it is a storm: what they find within an hour of it belongs to it, whichever agent it is about.
  alert_count bigint not null, -- How many alerts it has.
  agent_count bigint not null, -- How many agents its alerts are about.
  event_count bigint not null default 0, -- How many distinct events its alerts are linked to.
  amount_usd_micro numeric, -- The sum of the distinct payments of those events, each at the highest amount they report, in millionths of a US dollar; null while none could be priced.
  first_at timestamp(3) with time zone not null, -- When the first of the conduct occurred that raised its alerts.
  last_at timestamp(3) with time zone not null, -- When the last of that conduct occurred.
  episode_from timestamp(3) with time zone not null, -- From when on it has gone on until last_at without a break that would have ended an episode.
  created_at timestamp(3) with time zone not null, -- When it was made.
  merged_into text, -- The storm (incidents.id) that its alerts were found to belong to; null while it has them itself.
  updated_at timestamp(3) with time zone not null default now(), -- When it changed last, by the clock of the database.
  snoozed_until timestamp(3) with time zone, -- Until when it is not listed among those that wait; null where nobody snoozed it.
  snoozed_alerts integer, -- How many alerts it had when it was snoozed: with another one it is listed again.
  assignee_id text, -- Who looks into it (users.id); null if nobody.
  assignments jsonb, -- Its latest 50 assignments, newest first, each `{actor_id, from, to, at}`; null before the first.
  evidence_from timestamp(3) with time zone, -- When the first of the events occurred that its alerts are linked to; null where it was counted before that was noted.
  PRIMARY KEY (org_id, environment, id),
  CHECK (severity = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text])),
  CHECK (state = ANY (ARRAY['open'::text, 'closed'::text]))
) with (fillfactor=80);
CREATE INDEX incidents_by_activity ON incidents USING btree (org_id, environment, state, last_at, id) WHERE merged_into IS NULL;
CREATE INDEX incidents_by_amount ON incidents USING btree (org_id, environment, state, COALESCE(div(amount_usd_micro + 5000::numeric, 10000::numeric), '-1'::integer::numeric), id) WHERE merged_into IS NULL;
CREATE INDEX incidents_by_assignee ON incidents USING btree (org_id, environment, assignee_id, id) WHERE assignee_id IS NOT NULL;
CREATE INDEX incidents_by_change ON incidents USING btree (org_id, environment, updated_at, id) WHERE merged_into IS NULL;
CREATE INDEX incidents_by_severity ON incidents USING btree (org_id, environment, severity, id) WHERE merged_into IS NULL;
CREATE INDEX incidents_by_state ON incidents USING btree (org_id, environment, state, id) WHERE merged_into IS NULL;
CREATE INDEX incidents_by_urgency ON incidents USING btree (org_id, environment, state, incident_urgency(severity, amount_usd_micro, created_at), id) WHERE merged_into IS NULL;
CREATE INDEX incidents_open_by_agent ON incidents USING btree (org_id, environment, agent_id, id) WHERE state = 'open'::text;
CREATE INDEX incidents_open_by_severity ON incidents USING btree (org_id, environment, severity, id) WHERE state = 'open'::text;
CREATE INDEX incidents_ranked ON incidents USING btree (org_id, environment, state, severity_rank(severity), id) WHERE merged_into IS NULL;
CREATE INDEX incidents_snoozed ON incidents USING btree (org_id, environment, id) WHERE snoozed_until IS NOT NULL;
CREATE OR REPLACE FUNCTION public.note_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.updated_at := change_time(tg_table_name);
  return new;
end
$function$;
CREATE TRIGGER note_change BEFORE UPDATE ON incidents FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION note_change();
CREATE OR REPLACE FUNCTION public.note_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.updated_at := change_time(tg_table_name);
  return new;
end
$function$;
CREATE TRIGGER note_new BEFORE INSERT ON incidents FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE OR REPLACE FUNCTION public.notify_of_incidents()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into notifications (org_id, environment, user_id, kind, subject_id, severity)
  select n.org_id, n.environment, m.user_id, 'incident', n.id, n.severity
  from changed n join members m on m.org_id = n.org_id
  left join notification_settings s on s.org_id = m.org_id and s.environment = n.environment and s.user_id = m.user_id
  where n.state = 'open' and n.merged_into is null and coalesce(s.incidents, 'critical') <> 'off'
    and severity_rank(n.severity) >= severity_rank(coalesce(s.incidents, 'critical'))
  on conflict do nothing;
  return null;
end $function$;
CREATE TRIGGER notify_of_new_incidents AFTER INSERT ON incidents REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION notify_of_incidents();
CREATE OR REPLACE FUNCTION public.notify_of_raised_incidents()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into notifications (org_id, environment, user_id, kind, subject_id, severity)
  select n.org_id, n.environment, m.user_id, 'incident', n.id, n.severity
  from changed n join before b on b.org_id = n.org_id and b.environment = n.environment and b.id = n.id and b.severity <> n.severity
  join members m on m.org_id = n.org_id
  left join notification_settings s on s.org_id = m.org_id and s.environment = n.environment and s.user_id = m.user_id
  where n.state = 'open' and n.merged_into is null and coalesce(s.incidents, 'critical') <> 'off'
    and severity_rank(n.severity) >= severity_rank(coalesce(s.incidents, 'critical'))
  on conflict do nothing;
  return null;
end $function$;
CREATE TRIGGER notify_of_raised_incidents AFTER UPDATE ON incidents REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION notify_of_raised_incidents();
grant select, insert, update, delete on incidents to oversight_service;

-- What came of the events that a key sent in an hour. Each process adds up in memory and writes every five seconds; kept for 31 days.
create table key_hours (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  key_id text not null, -- The key (api_keys.id).
  hour timestamp(3) with time zone not null, -- The beginning of the hour (UTC).
  requests bigint not null default 0, -- How many requests to send events it made.
  rate_limited bigint not null default 0, -- How many of them were refused because there were too many.
  accepted bigint not null default 0, -- How many events were stored.
  duplicates bigint not null default 0, -- How many events were stored before.
  conflicts bigint not null default 0, -- How many events had an id that is stored with other content.
  rejected bigint not null default 0, -- How many events were not valid.
  least_left integer, -- The fewest requests that its rate limit had left; null while nothing is limited.
  PRIMARY KEY (org_id, environment, key_id, hour)
) with (fillfactor=50);
CREATE INDEX key_hours_by_time ON key_hours USING btree (hour);
grant select, insert, update, delete on key_hours to oversight_service;

-- Why events of a key were rejected in an hour; kept for 31 days.
create table key_rejections (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  key_id text not null, -- The key (api_keys.id).
  hour timestamp(3) with time zone not null, -- The beginning of the hour (UTC).
  code text not null, -- What was wrong: the code of the first fault of the event.
  path text not null, -- Where in the event it was wrong, without names and positions that the sender chose.
  events bigint not null, -- How many events.
  PRIMARY KEY (org_id, environment, key_id, hour, code, path)
) with (fillfactor=50);
CREATE INDEX key_rejections_by_time ON key_rejections USING btree (hour);
grant select, insert, update, delete on key_rejections to oversight_service;

-- What people taught by dismissing and resolving alerts on conduct. A row goes when all that taught it is taken back, or is forgotten.
create table lessons (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The lesson, as `lsn_…`.
  detector text not null, -- The detector that raised the alerts.
  agent_id text not null, -- The agent that they were about (agents.id); empty: whichever agent.
  owner_id text not null, -- Its owner, whose other agents learn from it too (owners.id); empty: nobody's do.
  aspect text not null, -- What they had alike: `payee:` and its id, or `hours:` and a part of the day in UTC such as `06-12`.
  dismissals integer not null, -- How many were dismissed.
  resolutions integer not null, -- How many were resolved.
  last_at timestamp(3) with time zone not null, -- When the latest of them was closed.
  PRIMARY KEY (org_id, environment, id),
  UNIQUE (org_id, environment, agent_id, detector, aspect),
  CHECK (dismissals >= 0),
  CHECK (resolutions >= 0)
);
CREATE INDEX lessons_by_detector ON lessons USING btree (org_id, environment, detector, last_at, id);
CREATE INDEX lessons_by_owner_time ON lessons USING btree (org_id, environment, owner_id, last_at DESC, id DESC);
grant select, insert, update, delete on lessons to oversight_service;

-- Files in the storage that hold a stretch of a log each. A row says that the file was read again and found whole.
create table log_archives (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  to_seq bigint not null, -- The chain_seq of its last event.
  from_seq bigint not null, -- The chain_seq of its first event.
  file text not null, -- Its name in the storage.
  sha256 text not null, -- The SHA-256 of the file, in hex.
  size_bytes bigint not null, -- The size of the file.
  leaves_digest bytea not null, -- SHA-256 over the leaf hashes of its events, one after the other.
  runs bigint not null, -- How many verification runs it holds.
  evaluations bigint not null, -- How many evaluations by mandates it holds.
  evidence_values bigint not null, -- How many values of evidence it holds; the others were erased before.
  erasures bigint not null, -- How many statements of erasure there were of its events when it was made.
  checkpoint_size bigint not null, -- The checkpoint that its proofs lead to (log_checkpoints.size).
  root_hash bytea not null, -- The root hash that this checkpoint has.
  statement text not null, -- Of which events it is, with which SHA-256: a JWS (RFC 7515) by a key of the log.
  created_at timestamp(3) with time zone not null, -- When it was made.
  PRIMARY KEY (org_id, environment, to_seq),
  CHECK (from_seq >= 1 AND from_seq <= to_seq)
);
grant select, insert on log_archives to oversight_service;

-- A statement of how many events a log had and what its root hash was, signed.
create table log_checkpoints (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  size bigint not null, -- How many events the tree had.
  root_hash bytea not null, -- The root hash of the tree.
  note text not null, -- The signed statement (C2SP note), as it is published.
  kid text not null, -- The key that signed it (log_signing_keys.kid).
  created_at timestamp(3) with time zone not null, -- When it was made.
  PRIMARY KEY (org_id, environment, size)
);
grant select, insert on log_checkpoints to oversight_service;

-- Keys of the deployment that sign checkpoints and packs. One is current; the others are kept for what they signed.
create table log_signing_keys (
  kid text not null, -- RFC 7638 thumbprint of the public key.
  x text not null, -- The public key as in its JWK (RFC 8037).
  sealed_private_key bytea, -- The private key, encrypted with SECRET_KEY; null if it is that of LOG_SIGNING_KEY.
  endorsement bytea not null, -- HMAC of the key by SECRET_KEY: a key that somebody else put here is not believed.
  created_at timestamp(3) with time zone not null, -- When it was made.
  retired_at timestamp(3) with time zone, -- When another key took its place; null for the current key.
  PRIMARY KEY (kid)
);
CREATE UNIQUE INDEX log_signing_keys_current ON log_signing_keys USING btree ((true)) WHERE retired_at IS NULL;
grant select, insert, update (sealed_private_key, endorsement, retired_at) on log_signing_keys to oversight_service;

-- Full tiles of the Merkle tree (C2SP tlog-tiles, height 8). A tile is written once.
create table log_tiles (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  level smallint not null, -- On level 0 are the hashes of events; on every other are those of the tiles below.
  tile_index bigint not null, -- Which tile of its level it is, counted from 0.
  hashes bytea storage external not null, -- Its 256 hashes of 32 bytes, one after the other.
  PRIMARY KEY (org_id, environment, level, tile_index),
  CHECK (octet_length(hashes) = 8192)
);
grant select, insert on log_tiles to oversight_service;

-- One row a log: how far its Merkle tree has grown. Whoever holds the row lock lets it grow and signs it.
create table log_trees (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  origin text not null, -- The name of the log in its checkpoints, which never changes.
  size bigint not null default 0, -- How many events are in the tree.
  edge bytea storage external not null default '\x'::bytea, -- On each level the tile that is not full yet, one after the other.
  checkpoint_size bigint not null default 0, -- The size of the tree at its latest checkpoint.
  next_at timestamp(3) with time zone not null default '-infinity'::timestamp with time zone, -- When reconcile may ask for a checkpoint again.
  PRIMARY KEY (org_id, environment)
) with (fillfactor=50);
grant select, insert, update (size, edge, checkpoint_size, next_at) on log_trees to oversight_service;

-- The latest verification of a log that was asked for over the API.
create table log_verifications (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  at timestamp(3) with time zone not null, -- When it was asked for.
  by text not null, -- Who asked: `usr_…` or `key_…`.
  from_seq bigint not null, -- The first event that was verified.
  to_seq bigint not null, -- The last one.
  ok boolean not null, -- Whether the log is intact.
  PRIMARY KEY (org_id, environment)
) with (fillfactor=50);
grant select, insert, update, delete on log_verifications to oversight_service;

-- How far the witness has been told of the checkpoints of a log.
create table log_witnesses (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  size bigint not null default 0, -- The size of the tree at the latest checkpoint that it was told of.
  next_at timestamp(3) with time zone not null default '-infinity'::timestamp with time zone, -- When it may be told again; whoever tells it moves this on.
  PRIMARY KEY (org_id, environment)
) with (fillfactor=50);
grant select, insert, update on log_witnesses to oversight_service;

-- An event held against a mandate. A further row is written only when the result changes; the latest is what holds.
create table mandate_evaluations (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  chain_seq bigint not null, -- The position of the event in the log (events.chain_seq).
  mandate_id text not null, -- The mandate (mandates.id).
  number integer not null, -- Orders the evaluations of an event under a mandate.
  version integer not null, -- The version of the mandate that it was held against.
  position_at timestamp(3) with time zone not null, -- When the payment was first paid, which is where it stands in the budgets.
  position_seq bigint not null, -- The chain_seq of the event by which it was first paid.
  result text not null, -- Whether the payment keeps to the mandate.
  constraints text not null, -- What was observed and what is allowed, constraint by constraint, as JSON.
  at timestamp(3) with time zone not null, -- When it happened.
  PRIMARY KEY (org_id, environment, chain_seq, mandate_id, number),
  CHECK (result = ANY (ARRAY['compliant'::text, 'breach'::text, 'unresolved'::text]))
);
CREATE INDEX mandate_evaluations_along ON mandate_evaluations USING btree (org_id, environment, mandate_id, result, chain_seq);
CREATE INDEX mandate_evaluations_breaches ON mandate_evaluations USING btree (org_id, environment, mandate_id, position_at, chain_seq) WHERE result = 'breach'::text;
CREATE INDEX mandate_evaluations_in_order ON mandate_evaluations USING btree (org_id, environment, mandate_id, position_at, chain_seq);
CREATE INDEX mandate_evaluations_unrated ON mandate_evaluations USING btree (org_id, environment, mandate_id, position_at, chain_seq) WHERE result = 'unresolved'::text AND constraints ~~ '%currency_mismatch%'::text;
grant select, insert on mandate_evaluations to oversight_service;

-- What each payment under a mandate comes to, added up from the events that were held against the mandate.
create table mandate_payments (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  mandate_id text not null, -- The mandate (mandates.id).
  payment_id text not null, -- The payment, as its events name it.
  paid_at timestamp(3) with time zone, -- When it first counted as paid; null while it never has.
  paid_seq bigint, -- The chain_seq of the event by which it first counted.
  moved boolean not null, -- Whether it stood later before: its evaluations may give a later position_at.
  latest_at timestamp(3) with time zone not null, -- When its latest event occurred.
  latest_seq bigint not null, -- The chain_seq of its latest event.
  undone boolean not null, -- Whether its latest event says that it failed or was canceled.
  counted_at timestamp(3) with time zone, -- When the event occurred that says what it costs; null while none does.
  counted_seq bigint, -- The chain_seq of that event.
  denomination text not null, -- The currency or asset of value.
  value numeric(78,0) not null, -- What it costs, in the smallest unit of its denomination.
  usd_micro numeric(90,0), -- What it costs in millionths of a US dollar; null if it could not be priced.
  refunded_in text, -- The denomination of all refunds; `mixed` if they differ, null while there is none.
  refunded_value numeric(90,0) not null, -- What was refunded, in the smallest unit of refunded_in.
  refunded_usd_micro numeric(90,0) not null, -- What was refunded, in millionths of a US dollar.
  alike boolean not null default false, -- Whether all its events that count say the same amount; false where that is not known, as of payments from before it was noted.
  PRIMARY KEY (org_id, environment, payment_id, mandate_id)
) with (fillfactor=80);
CREATE INDEX mandate_payments_in_order ON mandate_payments USING btree (org_id, environment, mandate_id, paid_at) WHERE paid_at IS NOT NULL;
CREATE INDEX mandate_payments_moved ON mandate_payments USING btree (org_id, environment, mandate_id, paid_at) WHERE moved;
grant select, insert, update, delete on mandate_payments to oversight_service;

-- Every version of every mandate. An evaluation names the version it was made by.
create table mandate_versions (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  mandate_id text not null, -- The mandate (mandates.id).
  version integer not null, -- Which version it is, counted from 1.
  name text not null, -- What people called it.
  state text not null, -- Whether it allowed anything.
  valid_from timestamp(3) with time zone, -- From when on it allowed payments.
  valid_until timestamp(3) with time zone, -- Until when it allowed payments.
  human_presence text not null, -- Whether a person had to be present at the payment.
  constraints jsonb not null, -- The conditions of a payment, as JSON.
  external_ref text, -- What the organization's own systems called it.
  created_at timestamp(3) with time zone not null, -- When it was made.
  created_by text, -- Who made it: `usr_…`, `key_…`, or null for the operator and the service itself.
  PRIMARY KEY (org_id, environment, mandate_id, version)
);
grant select, insert on mandate_versions to oversight_service;

-- What an agent may spend, as it stands now. That it has expired is not written: it follows from valid_until.
create table mandates (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The mandate, as `mnd_…`.
  agent_id text not null, -- The agent that it allows to pay (agents.id).
  owner_id text not null, -- On whose behalf (owners.id).
  name text not null, -- What people call it.
  state text not null, -- Whether it allows anything at present.
  version integer not null, -- The number of its current version (mandate_versions.version).
  valid_from timestamp(3) with time zone, -- From when on it allows payments; null: from its creation on.
  valid_until timestamp(3) with time zone, -- Until when it allows payments; null: without end.
  human_presence text not null, -- Whether a person has to be present at the payment.
  constraints jsonb not null, -- The conditions of a payment, as JSON.
  external_ref text, -- What the organization's own systems, or the evidence that it was found in, call it.
  source text not null, -- `native` if it was made here, `ap2` if it was found in evidence.
  created_at timestamp(3) with time zone not null, -- When it was made.
  created_by text, -- Who made it: `usr_…`, `key_…`, or null for the operator and the service itself.
  book_version integer not null default 0, -- Moves when payments under it are changed by anything other than the consumer of the log.
  signed_constraints jsonb, -- The conditions as they were signed, of a mandate that was found in evidence.
  PRIMARY KEY (org_id, environment, id),
  CHECK (human_presence = ANY (ARRAY['required'::text, 'not_required'::text])),
  CHECK (source = ANY (ARRAY['native'::text, 'ap2'::text])),
  CHECK (state = ANY (ARRAY['active'::text, 'paused'::text, 'revoked'::text, 'exhausted'::text]))
);
CREATE INDEX mandates_by_agent ON mandates USING btree (org_id, environment, agent_id, id);
CREATE INDEX mandates_by_expiry ON mandates USING btree (org_id, environment, state, COALESCE(valid_until, 'infinity'::timestamp with time zone), id);
CREATE INDEX mandates_by_name ON mandates USING btree (org_id, environment, state, "left"(lower(NORMALIZE(name, NFKD) COLLATE "und-x-icu"), 60) COLLATE "C", id);
CREATE INDEX mandates_by_owner ON mandates USING btree (org_id, environment, owner_id, id);
CREATE INDEX mandates_by_state ON mandates USING btree (org_id, environment, state, id);
CREATE INDEX mandates_by_words ON mandates USING gin (lower(((name || ' '::text) || COALESCE(external_ref, ''::text)) COLLATE "und-x-icu") gin_trgm_ops);
CREATE UNIQUE INDEX mandates_imported ON mandates USING btree (org_id, environment, agent_id, external_ref) WHERE source = 'ap2'::text;
grant select, insert, update, delete on mandates to oversight_service;

-- Who may act for an organization, in which role.
create table members (
  org_id text not null, -- The organization (organizations.id).
  user_id text not null, -- The person (users.id).
  role text not null, -- What the member may do.
  created_at timestamp(3) with time zone not null, -- When it was made.
  created_by text, -- Who made it: `usr_…`, `key_…`, or null for the operator and the service itself.
  last_seen_at timestamp(3) with time zone, -- When the member was last here; null before they first sign in.
  PRIMARY KEY (org_id, user_id),
  CHECK (role = ANY (ARRAY['developer'::text, 'admin'::text, 'owner'::text]))
);
CREATE INDEX members_by_arrival ON members USING btree (org_id, created_at, user_id);
CREATE INDEX members_by_user ON members USING btree (user_id, org_id);
grant select, insert, update, delete on members to oversight_service;

-- The migrations that have run. node-pg-migrate keeps this table.
create table migrations (
  id integer not null default nextval('migrations_id_seq'::regclass), -- In which order they ran.
  name character varying(255) not null, -- The file of the migration.
  run_on timestamp without time zone not null, -- When it ran.
  PRIMARY KEY (id)
);
grant select, insert, update, delete on migrations to oversight_service;

-- What a member is mailed about. Without a row: critical incidents, assignments, and mentions.
create table notification_settings (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  user_id text not null, -- The member (users.id).
  incidents text not null, -- From which severity on incidents are mailed; `off`: none.
  assignments boolean not null, -- Whether cases and incidents that others assign to them are mailed.
  mentions boolean not null, -- Whether comments that name them are mailed.
  digest boolean not null default false, -- Whether they get a summary each day.
  digest_at timestamp(3) with time zone, -- When the next summary is due; null without one.
  time_zone text not null default 'UTC'::text, -- The time zone of quiet hours and of the summary, by its IANA name.
  quiet_from text, -- When quiet hours begin, as `22:00`; null without them.
  quiet_to text, -- When they end.
  webhook_host text, -- The host of the incoming webhook that they are told by; null: by mail.
  sealed_webhook bytea, -- Its URL, sealed: whoever has it can write there.
  PRIMARY KEY (org_id, environment, user_id),
  CHECK (incidents = ANY (ARRAY['off'::text, 'low'::text, 'medium'::text, 'high'::text, 'critical'::text]))
);
CREATE INDEX notification_settings_digest ON notification_settings USING btree (digest_at) WHERE digest_at IS NOT NULL;
grant select, insert, update, delete on notification_settings to oversight_service;

-- What members are to be mailed about, written with what makes it necessary. Those of a member that wait go out as one mail.
create table notifications (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  user_id text not null, -- The member (users.id).
  kind text not null, -- What it tells of.
  subject_id text not null, -- The incident (incidents.id) or the case (cases.id).
  entry_id text not null default ''::text, -- The entry of the timeline (case_timeline.id) that it is about; when an incident was assigned; else empty.
  severity text, -- Of an incident, how severe it was.
  state text not null default 'pending'::text, -- Whether it was mailed; `skipped`: its reader is no member any more.
  attempts smallint not null default 0, -- How often it was tried.
  created_at timestamp(3) with time zone not null default now(), -- When it was made.
  next_at timestamp(3) with time zone not null default (now() + '00:00:05'::interval), -- When it is to be mailed: some seconds are waited, so that what comes together is one mail.
  claimed_until timestamp(3) with time zone, -- Until when a process has it in hand; null while none has.
  sent_at timestamp(3) with time zone, -- When the mail server took it; null while it has not.
  held_until timestamp(3) with time zone, -- Until when quiet hours hold it back; null where they do not.
  PRIMARY KEY (org_id, environment, user_id, kind, subject_id, entry_id),
  CHECK (kind = ANY (ARRAY['incident'::text, 'assignment'::text, 'mention'::text, 'digest'::text])),
  CHECK (state = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text, 'skipped'::text]))
) with (fillfactor=70);
CREATE INDEX notifications_by_time ON notifications USING btree (created_at) WHERE state <> 'pending'::text;
CREATE INDEX notifications_due ON notifications USING btree (next_at) WHERE state = 'pending'::text;
grant select, insert, update, delete on notifications to oversight_service;

-- What came of an operator's act.
create table operator_act_outcomes (
  act_id text not null, -- The act (operator_acts.id).
  at timestamp(3) with time zone not null, -- When it happened.
  status smallint not null, -- The HTTP status of the answer.
  PRIMARY KEY (act_id),
  FOREIGN KEY (act_id) REFERENCES operator_acts(id)
);
grant select, insert on operator_act_outcomes to oversight_service;

-- What an operator does at /ops, written before it is done. An act without an outcome was cut off.
create table operator_acts (
  id text not null, -- The act, as `opa_…`.
  at timestamp(3) with time zone not null, -- When it happened.
  operator text not null, -- Who does it.
  act text not null, -- What is done.
  queue text, -- The queue that it is done to; null if to none.
  job_ids text[] not null default '{}'::text[], -- The jobs it was meant for, as they were known before it.
  request_id text not null, -- The request by which it is done.
  ip text not null, -- The address that the request came from.
  PRIMARY KEY (id)
);
grant select, insert on operator_acts to oversight_service;

-- What all agents of an organization did in one hour.
create table organization_hours (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  hour timestamp(3) with time zone not null, -- The beginning of the hour (UTC).
  events bigint not null, -- How many events occurred in it.
  payments bigint not null, -- How many payments began in it.
  spend_usd_micro numeric(90,0) not null, -- What was paid in it, in millionths of a US dollar.
  PRIMARY KEY (org_id, environment, hour)
) with (fillfactor=50);
grant select, insert, update, delete on organization_hours to oversight_service;

-- An organization whose agents are overseen. Every other table of a tenant names it in org_id.
create table organizations (
  id text not null, -- The organization, as `org_…`.
  name text not null, -- What it is called; no two organizations have one name.
  created_at timestamp(3) with time zone not null, -- When it was made.
  PRIMARY KEY (id),
  UNIQUE (name)
);
grant select, insert, update, delete on organizations to oversight_service;

-- How much an owner's agents have done in all, kept by detection.
create table owner_totals (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  owner_id text not null, -- The owner (owners.id).
  agent_count bigint not null, -- How many agents pay on its behalf.
  last_seen_at timestamp(3) with time zone, -- When its latest event was received; null while only its agents were seen, in events of other owners.
  PRIMARY KEY (org_id, environment, owner_id)
) with (fillfactor=70);
grant select, insert, update, delete on owner_totals to oversight_service;

-- On whose behalf agents pay. A row is written when the owner is first named in an event.
create table owners (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The owner, as `own_…`.
  external_id text, -- What the organization's own systems call it.
  name text, -- Its name, as reported.
  country text, -- Its country (ISO 3166-1 alpha-2), as reported.
  first_seen_at timestamp(3) with time zone not null, -- When it was first named in an event.
  PRIMARY KEY (org_id, environment, id),
  UNIQUE (org_id, environment, external_id)
);
CREATE INDEX owners_by_arrival ON owners USING btree (org_id, environment, first_seen_at, id);
CREATE INDEX owners_by_name ON owners USING btree (org_id, environment, "left"(lower(NORMALIZE(COALESCE(name, external_id, id), NFKD) COLLATE "und-x-icu"), 60) COLLATE "C", id);
CREATE INDEX owners_by_words ON owners USING gin (lower(((COALESCE(name, ''::text) || ' '::text) || COALESCE(external_id, ''::text)) COLLATE "und-x-icu") gin_trgm_ops);
grant select, insert, update, delete on owners to oversight_service;

-- Which events a pack holds, fixed when it is requested. The row is gone when the pack is built.
create table pack_events (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  pack_id text not null, -- The pack (packs.id).
  chain_seqs bigint[] not null, -- The positions of the events in the log.
  PRIMARY KEY (org_id, environment, pack_id)
);
grant select, insert, update, delete on pack_events to oversight_service;

-- Finds the organization of a link to a pack, before anything else is known of the visitor.
create table pack_share_directory (
  token_hash bytea not null, -- SHA-256 of the token in the link.
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  share_id text not null, -- The link to a pack (pack_shares.id).
  PRIMARY KEY (token_hash)
);
grant select, insert, update, delete on pack_share_directory to oversight_service;

-- Who followed a link to a pack.
create table pack_share_visits (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  share_id text not null, -- The link to a pack (pack_shares.id).
  id text not null, -- The visit.
  what text not null, -- Whether the page was looked at or the pack downloaded.
  at timestamp(3) with time zone not null, -- When it happened.
  ip text, -- The address of the visitor.
  user_agent text, -- The browser of the visitor.
  PRIMARY KEY (org_id, environment, share_id, id),
  CHECK (what = ANY (ARRAY['page'::text, 'download'::text]))
);
grant select, insert on pack_share_visits to oversight_service;

-- A link to a pack for people without an account.
create table pack_shares (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The link, as `shr_…`.
  pack_id text not null, -- The pack (packs.id).
  token_hash bytea not null, -- SHA-256 of the token in the link.
  created_at timestamp(3) with time zone not null, -- When it was made.
  created_by text, -- Who made it: `usr_…`, `key_…`, or null for the operator and the service itself.
  expires_at timestamp(3) with time zone not null, -- Until when it leads anywhere.
  revoked_at timestamp(3) with time zone, -- When it was revoked; null while it was not.
  PRIMARY KEY (org_id, environment, id)
);
CREATE INDEX pack_shares_by_pack ON pack_shares USING btree (org_id, environment, pack_id, id);
grant select, insert, update on pack_shares to oversight_service;

-- An evidence pack or report that somebody asked for. Its file is in the storage.
create table packs (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The pack, as `pck_…`.
  kind text not null, -- What its report dwells on.
  title text, -- What it is called.
  scope jsonb not null, -- Which events it is about, as JSON.
  redact text[] not null, -- Kinds of evidence whose values are left out.
  state text not null default 'queued'::text, -- How it stands.
  progress real not null default 0, -- How much is built, from 0 to 1.
  event_count integer not null, -- How many events it holds.
  log_size bigint not null, -- The size of the log when the pack was requested: what came later is not in it.
  checkpoint_size bigint, -- The checkpoint that its proofs lead to, chosen when it is first built and kept.
  created_at timestamp(3) with time zone not null, -- When it was made.
  created_by text, -- Who made it: `usr_…`, `key_…`, or null for the operator and the service itself.
  ready_at timestamp(3) with time zone, -- When it was ready.
  expires_at timestamp(3) with time zone, -- Until when it is kept; null while it is not ready.
  size_bytes bigint, -- The size of the ZIP.
  sha256 text, -- SHA-256 of the ZIP, as hex.
  error text, -- Why it could not be built; null if it could.
  attempts integer not null default 0, -- How often it was begun; a worker that was killed never ended its own attempt.
  failures integer not null default 0, -- How many attempts failed.
  built_in integer, -- The attempt whose files are the pack. Each attempt has files of its own, so that none can overwrite another's.
  stored boolean not null default false, -- Whether the storage may hold files of it.
  next_at timestamp(3) with time zone, -- When somebody has to look at it again, since its job may be lost, its worker silent or its time over; null: never.
  PRIMARY KEY (org_id, environment, id),
  CHECK (state = ANY (ARRAY['queued'::text, 'building'::text, 'ready'::text, 'failed'::text, 'expired'::text]))
) with (fillfactor=50);
CREATE INDEX packs_by_kind ON packs USING btree (org_id, environment, kind, id);
CREATE INDEX packs_by_state ON packs USING btree (org_id, environment, state, id);
CREATE INDEX packs_due ON packs USING btree (next_at) WHERE next_at IS NOT NULL;
grant select, insert, update on packs to oversight_service;

-- A challenge that a browser is to sign with a passkey.
create table passkey_challenges (
  session_id text not null, -- The session (sessions.id).
  purpose text not null, -- Whether a passkey is being enrolled or shown.
  challenge text not null, -- The challenge, as base64url.
  expires_at timestamp(3) with time zone not null, -- Until when it is valid.
  PRIMARY KEY (session_id, purpose),
  CHECK (purpose = ANY (ARRAY['enroll'::text, 'show'::text]))
);
grant select, insert, update, delete on passkey_challenges to oversight_service;

-- What a payee goes by that another one could be mistaken for. A row is written once, when the payee is first paid under it.
create table payee_identities (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  identity text not null, -- `name:` or `domain:` with the key of an event, or `wallet:` with the first and last four characters of the address.
  payee_id text not null, -- The payee (payees.id).
  first_seen_at timestamp(3) with time zone not null, -- When that first payment occurred.
  first_seq bigint not null, -- The chain_seq of the event that reported it.
  PRIMARY KEY (org_id, environment, identity, payee_id)
);
CREATE INDEX payee_identities_by_payee ON payee_identities USING btree (org_id, environment, payee_id);
grant select, insert, update, delete on payee_identities to oversight_service;

-- What agents paid each payee at most, for the first of them.
create table payee_payers (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  payee_id text not null, -- The payee (payees.id).
  payers jsonb not null, -- At most 16 agents (agents.id), each with its largest payment in dollars: `[[agent_id, usd]]`.
  currencies jsonb, -- At most 16 agents (agents.id), each with the currency (ISO 4217) in which it paid the payee and in how many payments, up to 3: `[[agent_id, currency, payments]]`. The currency is empty once there were several. Null before any was noted.
  PRIMARY KEY (org_id, environment, payee_id)
);
grant select, insert, update, delete on payee_payers to oversight_service;

-- What the latest screening of each payee came to, and when it is to be screened again.
create table payee_screenings (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  payee_id text not null, -- The payee (payees.id).
  state text not null default 'pending'::text, -- What its latest screening came to. A payee that matched keeps that until it has been screened anew.
  score numeric(5,4), -- The score of the best match in its latest screening, from 0 to 1.
  match text, -- The name of the best match in its latest screening.
  screening_id text, -- Its latest screening (screenings.id).
  first_seen_at timestamp(3) with time zone not null, -- When the payee was first named in an event (payees.first_seen_at), by which lists of one state are ordered.
  due_at timestamp(3) with time zone, -- When it is to be screened; null: not before it or a list changes.
  attempts smallint not null default 0, -- How many screenings in a row could not be made.
  PRIMARY KEY (org_id, environment, payee_id)
);
CREATE INDEX payee_screenings_by_state ON payee_screenings USING btree (org_id, environment, state, first_seen_at, payee_id);
CREATE INDEX payee_screenings_due ON payee_screenings USING btree (org_id, environment, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX payee_screenings_flagged ON payee_screenings USING btree (org_id, environment, payee_id) WHERE state = ANY (ARRAY['potential_match'::text, 'confirmed_match'::text]);
grant select, insert, update, delete on payee_screenings to oversight_service;

-- How much a payee was paid in all, kept by detection.
create table payee_totals (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  payee_id text not null, -- The payee (payees.id).
  event_count bigint not null, -- How many events name it.
  agent_count bigint not null, -- How many agents have paid it.
  last_seen_at timestamp(3) with time zone not null, -- When its latest event was received.
  PRIMARY KEY (org_id, environment, payee_id)
) with (fillfactor=70);
grant select, insert, update, delete on payee_totals to oversight_service;

-- Who is paid. A row is written when the payee is first named in an event.
create table payees (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The payee, as `pye_…`.
  key text not null, -- What identifies it, such as `domain:shop.example.com` or `eip155:8453:0x…`.
  type text, -- What kind of payee it is, as reported.
  name text, -- Its name, as reported.
  country text, -- Its country (ISO 3166-1 alpha-2), as reported.
  aliases text[] not null default '{}'::text[], -- Names that it had before, as reported.
  folded text not null, -- Its key and names in lower case and without accents, which searches look in.
  first_seen_at timestamp(3) with time zone not null, -- When it was first named in an event.
  number bigint not null, -- What stands for it in the rows of days_of_agents.
  PRIMARY KEY (org_id, environment, id),
  UNIQUE (org_id, environment, key)
);
CREATE INDEX payees_by_arrival ON payees USING btree (org_id, environment, first_seen_at, id);
CREATE INDEX payees_by_country ON payees USING btree (org_id, environment, country, first_seen_at, id);
CREATE INDEX payees_by_name ON payees USING btree (org_id, environment, "left"(lower(NORMALIZE(COALESCE(name, key), NFKD) COLLATE "und-x-icu"), 60) COLLATE "C", id);
CREATE UNIQUE INDEX payees_by_number ON payees USING btree (number);
CREATE INDEX payees_by_text ON payees USING gin (folded gin_trgm_ops);
CREATE INDEX payees_by_type ON payees USING btree (org_id, environment, type, first_seen_at, id);
grant select, insert, update, delete on payees to oversight_service;

-- A TOTP secret that was shown to a person and not yet confirmed by a code.
create table pending_totp (
  session_id text not null, -- The session (sessions.id).
  sealed_secret bytea not null, -- The secret, encrypted with SECRET_KEY.
  expires_at timestamp(3) with time zone not null, -- Until when it can be confirmed.
  PRIMARY KEY (session_id)
);
grant select, insert, update, delete on pending_totp to oversight_service;

-- That exchange rates have changed, in one row.
create table rate_changes (
  one boolean not null default true, -- There is one row.
  version bigint not null default 1, -- Counts the changes: a process reads the rates again when it has moved.
  looks smallint not null default 0, -- How often it was looked, since the last change, for events that can be priced now: processes may go on with the rates from before for a minute.
  next_at timestamp(3) with time zone not null default '-infinity'::timestamp with time zone, -- When to look next.
  PRIMARY KEY (one),
  CHECK (one)
);
grant select, insert, update, delete on rate_changes to oversight_service;

-- When the rates that RATES names are fetched next. Where from is a setting.
create table rate_sources (
  id text not null, -- SHA-256 of where they are fetched from.
  next_at timestamp(3) with time zone not null, -- When they are fetched next; a claim moves it ahead as a lease.
  attempts integer not null default 0, -- How often in a row they could not be fetched.
  fetched_at timestamp(3) with time zone, -- When they were last fetched, or found as they were.
  validators jsonb not null default '{}'::jsonb, -- ETag and Last-Modified of the file that was fetched last.
  error text, -- Why they could not be fetched; null if they could.
  PRIMARY KEY (id)
);
grant select, insert, update, delete on rate_sources to oversight_service;

-- Events to be assessed again, because something became known after they were.
create table rechecks (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The recheck, as `rck_…`.
  kind text not null, -- Which events: `keys` those without a clear verification, `mandate` those of the agent of a new mandate, `evidence` those that came with any.
  mandate_id text, -- The new mandate; null for the other kinds.
  from_at timestamp(3) with time zone, -- Only events that occurred from this time on; null: all.
  after_seq bigint not null default 0, -- Events up to this chain_seq have been done.
  to_seq bigint not null, -- The last event to be done.
  next_at timestamp(3) with time zone not null, -- When somebody has to look at it; whoever works on it moves this on.
  requested_at timestamp(3) with time zone not null default now(), -- When it was requested.
  PRIMARY KEY (org_id, environment, id),
  CHECK (kind = ANY (ARRAY['keys'::text, 'mandate'::text, 'evidence'::text]))
);
CREATE INDEX rechecks_by_age ON rechecks USING btree (requested_at);
CREATE INDEX rechecks_due ON rechecks USING btree (next_at);
grant select, insert, update, delete on rechecks to oversight_service;

-- Codes that stand in for a lost second factor, each good once.
create table recovery_codes (
  user_id text not null, -- The person (users.id).
  hash bytea not null, -- SHA-256 of the code.
  used_at timestamp(3) with time zone, -- When it was used; null while it was not.
  PRIMARY KEY (user_id, hash)
);
grant select, insert, update, delete on recovery_codes to oversight_service;

-- Payments under a mandate that are to be evaluated again, because an earlier one was reported late.
create table reevaluations (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  mandate_id text not null, -- The mandate (mandates.id).
  from_at timestamp(3) with time zone not null, -- The beginning of the time in which they were paid.
  until_at timestamp(3) with time zone not null, -- The end of that time.
  after_at timestamp(3) with time zone, -- The time of the last payment that was evaluated again; null before the first.
  after_seq bigint, -- The chain_seq of the last payment that was evaluated again; null before the first.
  next_at timestamp(3) with time zone not null, -- When somebody has to look at it; whoever works on it moves this on.
  requested_at timestamp(3) with time zone not null default now(), -- When it became necessary.
  PRIMARY KEY (org_id, environment, mandate_id)
);
CREATE INDEX reevaluations_by_age ON reevaluations USING btree (requested_at);
CREATE INDEX reevaluations_due ON reevaluations USING btree (next_at);
grant select, insert, update, delete on reevaluations to oversight_service;

-- What the webhooks of a source told of the refunds of a charge.
create table refunds_told (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  source_id text not null, -- The source they came from (sources.id).
  charge_id text not null, -- The charge, as the payment service calls it.
  told jsonb not null default '[]'::jsonb, -- Each notice once: `[{name, amount, up_to, counted, event_id}]`, where `counted` is how much of it no other had told.
  told_at timestamp(3) with time zone not null, -- When the last of it was told.
  PRIMARY KEY (org_id, environment, source_id, charge_id)
);
CREATE INDEX refunds_told_by_age ON refunds_told USING btree (told_at);
grant select, insert, update, delete on refunds_told to oversight_service;

-- Which of an agent's latest authorizations over a rail were reported on in time.
create table report_habits (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  agent_id text not null, -- The agent (agents.id).
  rail text not null, -- The rail.
  seen smallint not null, -- How many authorizations are remembered, at most 20.
  outcomes integer not null, -- One bit for each of the latest 20, the lowest is the last; set: it was reported on in time.
  PRIMARY KEY (org_id, environment, agent_id, rail)
);
grant select, insert, update, delete on report_habits to oversight_service;

-- How far logs with events that have no price have been gone through for some that can be priced now.
create table repricings (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  rate_version bigint not null, -- The rates by which that is done (rate_changes.version); by others it begins again.
  after_seq bigint not null default 0, -- By these rates the events up to this chain_seq have been done.
  next_at timestamp(3) with time zone, -- When somebody has to look at it; whoever works on it moves this on. Null while all is done.
  requested_at timestamp(3) with time zone, -- When it was requested; null while all is done.
  PRIMARY KEY (org_id, environment)
);
CREATE INDEX repricings_by_age ON repricings USING btree (requested_at);
CREATE INDEX repricings_due ON repricings USING btree (next_at);
grant select, insert, update, delete on repricings to oversight_service;

-- How long records of a kind are kept, and how far removing older ones has got. No row: as long as the service keeps them by itself.
create table retention (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  kind text not null, -- What records, such as `deliveries`.
  days integer, -- For how many days they are kept; null: forever.
  next_at timestamp(3) with time zone, -- When to go on, or to begin the next run; null: never.
  run_before timestamp(3) with time zone, -- The run under way removes what is older than this; null between two runs.
  run_began_at timestamp(3) with time zone, -- When the run under way began, or the last one.
  run_after text not null default ''::text, -- How far the run under way has got: the key of the last record that it looked at.
  run_resume text, -- Where the run under way first had to leave a record; null while it left none.
  run_removed bigint not null default 0, -- How many records the run under way has removed.
  run_held bigint not null default 0, -- How many it left, because they are still needed or a case holds them.
  reached_at timestamp(3) with time zone, -- The time of the last record that was looked at.
  finished_at timestamp(3) with time zone, -- When a run last ended.
  last_removed bigint not null default 0, -- How many records that run removed.
  last_held bigint not null default 0, -- How many it left.
  removed_total bigint not null default 0, -- How many records were ever removed.
  resume_after text not null default ''::text, -- Where the next run begins, of a kind whose records stay and are only emptied.
  file text, -- The archive of events that is being made: its name in the storage; null: none. What came to nothing is removed by it.
  problem text, -- Why the last run removed nothing that it should have; null: nothing kept it from that.
  PRIMARY KEY (org_id, environment, kind),
  CHECK (days >= 1 AND days <= 36500)
);
CREATE INDEX retention_due ON retention USING btree (next_at) WHERE next_at IS NOT NULL;
grant select, insert, update, delete on retention to oversight_service;

-- A list of the dashboard as a member has filtered it, for all members of the organization.
create table saved_views (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The view, as `viw_…`.
  page text not null, -- The page of the dashboard, as `/events`.
  name text not null, -- What it is called; once on a page.
  query text not null, -- The query of the address: filters and sort order.
  created_at timestamp(3) with time zone not null, -- When it was saved.
  created_by text not null, -- Who saved it: `usr_…`.
  PRIMARY KEY (org_id, environment, id)
);
CREATE UNIQUE INDEX saved_views_by_name ON saved_views USING btree (org_id, environment, page, name);
grant select, insert, update, delete on saved_views to oversight_service;

-- Backups taken by schedule: those that are kept, and attempts since the oldest of them.
create table scheduled_backups (
  slot timestamp(3) with time zone not null, -- The time that it was due, a multiple of BACKUP_EVERY.
  name text not null, -- The name of its file.
  place text not null, -- Where the file is, without what may hold a key.
  state text not null, -- `running`, `done` or `failed`.
  started_at timestamp(3) with time zone not null, -- When the last attempt began.
  next_at timestamp(3) with time zone not null, -- When another process may try: renewed while one is at it.
  finished_at timestamp(3) with time zone, -- When it was whole and in its place.
  size_bytes bigint, -- How large the file is.
  sha256 text, -- The SHA-256 of the file, in hex.
  error text, -- Why the last attempt failed.
  left_names text[] not null default '{}'::text[], -- The files of attempts before, which may be there.
  PRIMARY KEY (slot),
  CHECK (state = ANY (ARRAY['running'::text, 'done'::text, 'failed'::text]))
);
grant select, insert, update, delete on scheduled_backups to oversight_service;

-- Every entry a list ever had, as it last was.
create table screening_list_entries (
  org_id text not null, -- The organization (organizations.id).
  list text not null, -- The list (screening_lists.name).
  entry_id text not null, -- The publisher's own id of the entry.
  action text not null, -- Whether the list denies or allows whom it names.
  digest bytea not null, -- SHA-256 of the RFC 8785 text of entry.
  names_digest bytea not null, -- SHA-256 of the names in entry alone.
  entry text not null, -- The entry, as JSON.
  changed_in integer not null, -- The version in which it was last added, changed or removed.
  removed boolean not null default false, -- Whether the current version is without it.
  PRIMARY KEY (org_id, list, entry_id),
  CHECK (action = ANY (ARRAY['deny'::text, 'allow'::text]))
);
CREATE INDEX screening_list_entries_changed ON screening_list_entries USING btree (org_id, list, changed_in, entry_id);
grant select, insert, update, delete on screening_list_entries to oversight_service;

-- When each list that the deployment fetches by itself is fetched next. What there is to fetch is a setting.
create table screening_list_sources (
  name text not null, -- The list.
  next_at timestamp(3) with time zone not null, -- When it is fetched next; a claim moves it ahead as a lease.
  attempts integer not null default 0, -- How often in a row it could not be fetched.
  fetched_at timestamp(3) with time zone, -- When it was last fetched.
  validators jsonb not null default '{}'::jsonb, -- ETag and Last-Modified by URL, of the files that have this sha256.
  sha256 text, -- SHA-256 of the files that were fetched last.
  error text, -- Why it could not be fetched; null if it could.
  PRIMARY KEY (name)
);
grant select, insert, update, delete on screening_list_sources to oversight_service;

-- A version on its way in. Rows live within the transaction that loads it.
create table screening_list_staging (
  org_id text not null, -- The organization (organizations.id).
  list text not null, -- The list (screening_lists.name).
  load_id text not null, -- Which load it belongs to.
  entry_id text not null, -- The publisher's own id of the entry.
  action text not null, -- Whether the list denies or allows whom it names.
  digest bytea not null, -- SHA-256 of the RFC 8785 text of entry.
  names_digest bytea not null, -- SHA-256 of the names in entry alone.
  entry text not null, -- The entry, as JSON.
  PRIMARY KEY (org_id, list, load_id, entry_id)
);
grant select, insert, update, delete on screening_list_staging to oversight_service;

-- Every version of every list: what was loaded when.
create table screening_list_versions (
  org_id text not null, -- The organization (organizations.id).
  name text not null, -- The list.
  version integer not null, -- Which version it is, counted from 1.
  format text not null, -- The publisher's format it was read in.
  sha256 text not null, -- SHA-256 of its files.
  entries integer not null, -- How many entries it had.
  added integer not null, -- How many entries were new.
  removed integer not null, -- How many entries were gone.
  changed integer not null, -- How many entries were different.
  skipped integer not null, -- How many records of its files could not be read as entries.
  loaded_at timestamp(3) with time zone not null, -- When it was loaded.
  loaded_by text not null, -- Whether an operator loaded it or the service fetched it.
  account jsonb, -- How many names, identifiers, dates and countries were read by kind, how many items were of no use, and what was not understood, with examples. Null where nothing was read: the list was removed, or loaded before this was kept.
  PRIMARY KEY (org_id, name, version),
  CHECK (loaded_by = ANY (ARRAY['operator'::text, 'schedule'::text]))
);
grant select, insert on screening_list_versions to oversight_service;

-- A list that payees are screened against, as it stands now. A list of everybody has an empty org_id.
create table screening_lists (
  org_id text not null, -- The organization (organizations.id).
  name text not null, -- What the list is called.
  format text not null, -- The publisher's format it was read in.
  version integer not null, -- Its current version.
  sha256 text not null, -- SHA-256 of its files.
  entries integer not null, -- How many entries it has.
  loaded_at timestamp(3) with time zone not null, -- When it was last loaded, or found unchanged at its publisher: it grows stale from then on.
  removed_at timestamp(3) with time zone, -- When the operator removed it: nobody is screened by it from then on. Null while it is in use.
  PRIMARY KEY (org_id, name)
);
grant select, insert, update, delete on screening_lists to oversight_service;

-- An entry of a list that a screened payee or name may be.
create table screening_matches (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  screening_id text not null, -- The screening (screenings.id).
  list_org text not null, -- The organization that the list belongs to; empty for a list of everybody.
  list text not null, -- The list (screening_lists.name).
  entry_id text not null, -- The publisher's own id of the entry.
  id text not null, -- The match, as `mtc_…`.
  "position" smallint not null, -- Its place among the matches of the screening, the best first.
  name text not null, -- The main name of the entry.
  matched_name text not null, -- Which of its names matched.
  score numeric(5,4) not null, -- How alike they are, from 0 to 1; 1 for an exact identifier.
  match_type text not null, -- What matched.
  features jsonb not null, -- Why it scores as it does, as JSON.
  programs text[] not null, -- The sanctions programs of the entry.
  countries text[] not null, -- The countries of the entry (ISO 3166-1 alpha-2).
  entry_names text not null, -- Digest of the names the entry had, as hex.
  decision text, -- What a person decided on it; null while nobody has.
  PRIMARY KEY (org_id, environment, screening_id, list_org, list, entry_id),
  CHECK (decision = ANY (ARRAY['true_match'::text, 'false_positive'::text]))
);
grant select, insert, update, delete on screening_matches to oversight_service;

-- What people decided of a payee and an entry, remembered for as long as the names they saw are the same.
create table screening_pairs (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  payee_id text not null, -- The payee (payees.id).
  list_org text not null, -- The organization that the list belongs to; empty for a list of everybody.
  list text not null, -- The list (screening_lists.name).
  entry_id text not null, -- The publisher's own id of the entry.
  decision text not null, -- What was decided.
  exact boolean not null, -- Whether the match was one of an identifier.
  score numeric(5,4) not null, -- The score of the match that was decided on.
  payee_names text not null, -- Digest of the names the payee had, as hex.
  entry_names text not null, -- Digest of the names the entry had, as hex.
  screening_id text not null, -- The screening that was decided on (screenings.id).
  decided_at timestamp(3) with time zone not null, -- When it was decided.
  decided_by text, -- Who decided it: `usr_…`, `key_…`, or null for the operator.
  PRIMARY KEY (org_id, environment, payee_id, list_org, list, entry_id),
  CHECK (decision = ANY (ARRAY['true_match'::text, 'false_positive'::text]))
);
grant select, insert, update, delete on screening_pairs to oversight_service;

-- How far the payees of a log have been held against what changed in a list. The row is gone when all of them have.
create table screening_rescreens (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  list_org text not null, -- The organization that the list belongs to; empty for a list of everybody.
  list text not null, -- The list (screening_lists.name); empty: all lists, because of a setting.
  from_version integer not null, -- The version that payees were screened against before.
  to_version integer not null, -- The version that they are held against now.
  in_full boolean not null, -- Whether they are held against every entry and not only against what changed.
  after_id text not null default ''::text, -- The last payee that has been looked at; empty before the first.
  next_at timestamp(3) with time zone not null, -- When somebody has to look at it; whoever works on it moves this on.
  PRIMARY KEY (org_id, environment, list_org, list)
) with (fillfactor=50);
CREATE INDEX screening_rescreens_due ON screening_rescreens USING btree (next_at);
grant select, insert, update, delete on screening_rescreens to oversight_service;

-- How an organization screens; without a row the default holds.
create table screening_settings (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  threshold numeric(5,4) not null, -- From which score on a match counts, from 0 to 1.
  updated_at timestamp(3) with time zone not null, -- When it was last changed.
  PRIMARY KEY (org_id, environment),
  CHECK (threshold >= 0::numeric AND threshold <= 1::numeric)
);
grant select, insert, update, delete on screening_settings to oversight_service;

-- A payee, or a name, held against the lists.
create table screenings (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The screening, as `scr_…`.
  payee_id text, -- The payee (payees.id); null if it was about nobody who is registered.
  query jsonb not null, -- What was looked for, as JSON.
  state text not null, -- What it came to.
  score numeric(5,4) not null, -- The score of the best match; 0 without one.
  threshold numeric(5,4) not null, -- From which score on a match counted.
  allowed_by jsonb, -- The entry of an allow list that it was found to be, as JSON; null if none.
  lists jsonb not null, -- The versions of the lists it was made with, as JSON.
  error text, -- Why it could not be made; null if it could.
  created_at timestamp(3) with time zone not null, -- When it was made.
  created_by text, -- Who asked for it: `usr_…`, `key_…`, or null for the service itself.
  updated_at timestamp(3) with time zone not null, -- When a later look at the payee last changed it.
  reviewed_at timestamp(3) with time zone, -- When a person decided on it; null while nobody has.
  reviewed_by text, -- Who decided on it: `usr_…`, `key_…`, or null for the operator.
  decision text, -- What the person decided.
  reason text, -- Why the person decided so.
  PRIMARY KEY (org_id, environment, id),
  CHECK (decision = ANY (ARRAY['true_match'::text, 'false_positive'::text])),
  CHECK (state = ANY (ARRAY['clear'::text, 'potential_match'::text, 'confirmed_match'::text, 'false_positive'::text, 'error'::text]))
);
CREATE INDEX screenings_by_change ON screenings USING btree (org_id, environment, updated_at, id);
CREATE INDEX screenings_by_payee ON screenings USING btree (org_id, environment, payee_id, id) WHERE payee_id IS NOT NULL;
CREATE INDEX screenings_by_score ON screenings USING btree (org_id, environment, score, id) WHERE state = 'potential_match'::text;
CREATE INDEX screenings_by_state ON screenings USING btree (org_id, environment, state, id);
grant select, insert, update on screenings to oversight_service;

-- A factor that a person shows besides the mailbox: TOTP, of which each has at most one, or a passkey.
create table second_factors (
  user_id text not null, -- The person (users.id).
  id text not null, -- `totp`, or the passkey as `psk_…`.
  kind text not null, -- Which kind of factor it is.
  name text, -- What the person calls a passkey.
  sealed_secret bytea, -- The TOTP secret, encrypted with SECRET_KEY.
  last_step bigint, -- The time step of the last TOTP code, which cannot be used again.
  credential_id bytea, -- The credential id of a passkey (WebAuthn).
  public_key bytea, -- The public key of a passkey (COSE).
  sign_count bigint, -- The signature counter of a passkey.
  transports text[], -- How a passkey can be reached, as its browser said.
  created_at timestamp(3) with time zone not null, -- When it was made.
  last_used_at timestamp(3) with time zone, -- When it was last shown.
  PRIMARY KEY (user_id, id),
  UNIQUE (credential_id),
  CHECK ((kind = 'totp'::text) = (id = 'totp'::text)),
  CHECK (kind = ANY (ARRAY['totp'::text, 'passkey'::text]))
);
grant select, insert, update, delete on second_factors to oversight_service;

-- The SECRET_KEYs that something may be sealed with: a process that cannot open each of them does not start.
create table secret_key_canaries (
  id text not null, -- What names the key without telling it: the beginning of a key derived from it.
  sealed bytea not null, -- The id, encrypted with the key.
  created_at timestamp(3) with time zone not null, -- When the key was first used.
  PRIMARY KEY (id)
);
grant select, insert, delete on secret_key_canaries to oversight_service;

-- A signed-in person's browser. The cookie is 256 random bits.
create table sessions (
  hash bytea not null, -- SHA-256 of the cookie.
  id text not null, -- The session, as `ses_…`.
  user_id text not null, -- The person (users.id).
  org_id text not null, -- The organization that the session acts in.
  created_at timestamp(3) with time zone not null, -- When it was made.
  last_seen_at timestamp(3) with time zone not null, -- When it was last used.
  second_factor_at timestamp(3) with time zone, -- When a second factor was shown in it; null if none was.
  user_agent text, -- The browser, as it calls itself.
  PRIMARY KEY (hash),
  UNIQUE (id)
);
CREATE INDEX sessions_by_user ON sessions USING btree (user_id, id);
grant select, insert, update, delete on sessions to oversight_service;

-- The link that makes the first organization and its owner: at most one, and worth nothing once there is an organization.
create table setup_links (
  token_hash bytea not null, -- SHA-256 of the token in the address, which is 256 random bits.
  created_at timestamp(3) with time zone not null, -- When it was made.
  expires_at timestamp(3) with time zone not null, -- Until when it works.
  PRIMARY KEY (token_hash)
);
grant select, insert, update, delete on setup_links to oversight_service;

-- What would have been an alert, of a detector in shadow or below its severity floor. One row a day for each detector, agent and subject.
create table shadow_findings (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The finding.
  detector text not null, -- The detector that found it.
  dedup_agent_id text not null, -- The agent that it is told apart by; empty: one finding a subject, whichever agent.
  subject text not null, -- What it is about, within detector and agent.
  day date not null, -- The day (UTC).
  reason text not null, -- Why it raised no alert.
  agent_id text not null, -- The agent (agents.id).
  event_id text not null, -- The event that it was first found at.
  severity text not null, -- How severe it is.
  score numeric(4,1) not null, -- How bad it is, from 0 to 100.
  title text not null, -- What was found, in a few words.
  explanation text not null, -- What was found, with the numbers.
  hits bigint not null, -- How often it was found on that day.
  created_at timestamp(3) with time zone not null, -- When it was made.
  last_at timestamp(3) with time zone not null, -- When it was last found.
  PRIMARY KEY (org_id, environment, id),
  CHECK (reason = ANY (ARRAY['shadow'::text, 'below_floor'::text, 'cooldown'::text]))
);
CREATE UNIQUE INDEX shadow_findings_a_day ON shadow_findings USING btree (org_id, environment, detector, dedup_agent_id, subject, reason, day);
CREATE INDEX shadow_findings_by_detector ON shadow_findings USING btree (org_id, environment, detector, id);
grant select, insert, update, delete on shadow_findings to oversight_service;

-- A link in a mail by which a person signs in. The token in it is 256 random bits.
create table sign_in_links (
  token_hash bytea not null, -- SHA-256 of the token.
  binding_hash bytea, -- SHA-256 of the cookie of the browser that asked; null: the operator made the link, for any browser.
  code_hash bytea, -- HMAC of the code that can be typed instead of following the link; null: there is none.
  user_id text, -- The person (users.id); null: requested for an address that nobody has, and worth nothing.
  wrong_codes smallint not null default 0, -- How many wrong codes were typed.
  created_at timestamp(3) with time zone not null, -- When it was made.
  expires_at timestamp(3) with time zone not null, -- Until when it can be used.
  used_at timestamp(3) with time zone, -- When it was used; null while it was not.
  PRIMARY KEY (token_hash)
);
CREATE INDEX sign_in_links_by_age ON sign_in_links USING btree (expires_at);
CREATE INDEX sign_in_links_by_binding ON sign_in_links USING btree (binding_hash) WHERE binding_hash IS NOT NULL;
grant select, insert, update, delete on sign_in_links to oversight_service;

-- What the signature of a signed event covers.
create table signed_inputs (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  event_id text not null, -- The event (events.id).
  input text not null, -- RFC 8785 text of the event as it was sent, without the signature.
  PRIMARY KEY (org_id, environment, event_id)
);
grant select, insert on signed_inputs to oversight_service;

-- Nonces, closed mandates, receipts and token ids: each belongs to the payment that used it first.
create table single_use_facts (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  scope text not null, -- What kind of fact it is, such as `x402_receipt`.
  digest bytea not null, -- SHA-256 of the fact.
  agent_id text not null, -- The agent (agents.id).
  payment_id text not null, -- The payment, as its events name it.
  chain_seq bigint not null, -- The event that used it first.
  PRIMARY KEY (org_id, environment, scope, digest)
);
grant select, insert on single_use_facts to oversight_service;

-- Finds the organization of a source that a webhook names, before anything else is known of its sender.
create table source_directory (
  id text not null, -- The source (sources.id).
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  PRIMARY KEY (id)
);
grant select, insert, update, delete on source_directory to oversight_service;

-- At what pace the events of a source arrive, by which its silence is noticed.
create table source_rhythms (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  source_id text not null, -- The source (sources.id).
  last_seq bigint not null, -- The chain_seq of its latest event.
  rhythm jsonb not null, -- What is known of the intervals between its events, as JSON.
  told boolean not null default false, -- Whether its silence since last_seq has been reported.
  look_at timestamp(3) with time zone, -- When to see whether it has fallen silent; null: not before its next event.
  PRIMARY KEY (org_id, environment, source_id)
) with (fillfactor=50);
CREATE INDEX source_rhythms_due ON source_rhythms USING btree (look_at) WHERE look_at IS NOT NULL;
grant select, insert, update, delete on source_rhythms to oversight_service;

-- A system that sends events, and what its signatures are verified with.
create table sources (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The source, as `src_…`.
  name text not null, -- What people call it.
  kind text not null, -- What it is: `sdk`, `psp_webhook`, `facilitator`, `mcp_proxy`, `import` or `other`.
  description text, -- What people wrote about it.
  public_key jsonb, -- The public key that verifies its signed events, as a JWK (RFC 7517).
  key_thumbprint text, -- RFC 7638 thumbprint of public_key.
  psp_scheme text, -- How its payment service signs webhooks: `stripe`, `standard_webhooks`, `adyen` or `generic`; null if it is none.
  psp_config jsonb, -- How a `generic` scheme signs.
  sealed_secret bytea, -- The secret that verifies webhooks of its payment service, encrypted with SECRET_KEY.
  state text not null default 'active'::text, -- Events of a `disabled` source are refused.
  created_at timestamp(3) with time zone not null, -- When it was made.
  last_event_at timestamp(3) with time zone, -- When its latest event arrived.
  PRIMARY KEY (org_id, environment, id),
  CHECK (state = ANY (ARRAY['active'::text, 'disabled'::text]))
);
grant select, insert, update, delete on sources to oversight_service;

-- How far a log has been looked through for what has become overdue.
create table sweep_cursors (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  kind text not null, -- What is looked for, such as `settlement_missing:card`.
  seq bigint not null, -- What was authorized up to this chain_seq has been judged.
  next_at timestamp(3) with time zone not null, -- Nothing becomes overdue before this time.
  settings_at timestamp(3) with time zone, -- The updated_at of the settings by which next_at was computed.
  PRIMARY KEY (org_id, environment, kind)
);
grant select, insert, update, delete on sweep_cursors to oversight_service;

-- A public key or root certificate whose signatures count as evidence.
create table trusted_keys (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The trusted key, as `tky_…`.
  kid text not null, -- The key id by which signatures name it.
  use text not null, -- What its signatures are believed for.
  issuer text, -- Whose key it is, where evidence has to name its issuer.
  kind text not null, -- `jwk` for a public key, `x5c_root` for a root certificate.
  jwk jsonb not null, -- The public key, of a root certificate too.
  certificate text, -- The root certificate as PEM; null for a public key.
  thumbprint text not null, -- RFC 7638 thumbprint of the public key.
  not_before timestamp(3) with time zone, -- Signatures before this time are not believed; null: without a beginning.
  not_after timestamp(3) with time zone, -- Signatures after this time are not believed; null: without an end.
  created_at timestamp(3) with time zone not null, -- When it was made.
  created_by text, -- Who made it: `usr_…`, `key_…`, or null for the operator and the service itself.
  revoked_at timestamp(3) with time zone, -- When it was revoked; null while it is believed.
  PRIMARY KEY (org_id, environment, id),
  CHECK (kind = ANY (ARRAY['jwk'::text, 'x5c_root'::text])),
  CHECK (use = ANY (ARRAY['ap2_issuer'::text, 'agent'::text, 'source'::text, 'kyapay'::text, 'receipt'::text, 'any'::text]))
);
CREATE INDEX trusted_keys_by_kid ON trusted_keys USING btree (org_id, environment, kid, id);
CREATE INDEX trusted_keys_by_thumbprint ON trusted_keys USING btree (org_id, environment, thumbprint);
CREATE UNIQUE INDEX trusted_keys_in_use ON trusted_keys USING btree (org_id, environment, kid) WHERE revoked_at IS NULL;
grant select, insert, update, delete on trusted_keys to oversight_service;

-- A webhook of a payment service that was signed rightly, and could not be made events of.
create table unread_webhooks (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  source_id text not null, -- The source it came from (sources.id).
  id text not null, -- The webhook, as `unr_…`.
  body_hash bytea not null, -- SHA-256 of the body: one that comes again is kept once.
  received_at timestamp(3) with time zone not null, -- When it came.
  sent_at timestamp(3) with time zone, -- When its sender signed it, where the signature says so.
  notice text, -- What its sender signed as its id, where the signature covers one.
  headers jsonb not null, -- Those of its headers that its signature is verified by.
  body text, -- The body as it came; null where it was too large to keep, or held a full card number.
  body_bytes integer not null, -- The size of the body.
  problems jsonb not null, -- What kept it from being read: `[{item, code, message, path}]`.
  tried_at timestamp(3) with time zone not null, -- When it was last tried to read it.
  PRIMARY KEY (org_id, environment, source_id, id),
  UNIQUE (org_id, environment, source_id, body_hash)
);
CREATE INDEX unread_webhooks_by_age ON unread_webhooks USING btree (received_at);
CREATE INDEX unread_webhooks_by_trial ON unread_webhooks USING btree (org_id, environment, source_id, tried_at, id);
grant select, insert, update, delete on unread_webhooks to oversight_service;

-- A person who can sign in. A person may be a member of several organizations.
create table users (
  id text not null, -- The person, as `usr_…`.
  email text not null, -- The address that sign-in links are mailed to, in lower case.
  name text, -- What the person is called.
  created_at timestamp(3) with time zone not null, -- When it was made.
  last_org_id text, -- The organization that a new session acts in.
  PRIMARY KEY (id),
  UNIQUE (email),
  CHECK (email = lower(email))
);
grant select, insert, update, delete on users to oversight_service;

-- A piece of evidence verified, with an outcome it had not had before; the latest run of a piece is what holds.
create table verification_runs (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  chain_seq bigint not null, -- The position of the event in the log (events.chain_seq).
  id text not null, -- The run.
  number integer not null, -- Orders the runs of an event, since the clocks of two processes differ.
  kind text not null, -- What was verified.
  evidence_id text, -- The piece of evidence (evidence.id); null: the signature of the event itself.
  result text not null, -- What it came to.
  checks jsonb not null, -- Every step with what it found, as JSON.
  verifier_version text not null, -- The version of the verifier.
  at timestamp(3) with time zone not null, -- When it happened.
  PRIMARY KEY (org_id, environment, chain_seq, id),
  CHECK (result = ANY (ARRAY['verified'::text, 'failed'::text, 'inconclusive'::text]))
);
CREATE INDEX verification_runs_inconclusive ON verification_runs USING btree (org_id, environment, chain_seq) WHERE result = 'inconclusive'::text;
grant select, insert on verification_runs to oversight_service;

-- Counters that move when something changes, of which ETags are made.
create table versions (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  topic text not null, -- What can change, such as `alerts`.
  version bigint not null, -- How often it has changed.
  PRIMARY KEY (org_id, environment, topic)
) with (fillfactor=10);
grant select, insert, update, delete on versions to oversight_service;

-- One attempt to send a webhook.
create table webhook_attempts (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  delivery_id text not null, -- The delivery (webhook_deliveries.id).
  generation integer not null, -- The generation of the delivery that it belongs to.
  number smallint not null, -- Which attempt of that generation it was, counted from 1.
  at timestamp(3) with time zone not null, -- When it happened.
  outcome text not null, -- What became of it.
  status smallint, -- The HTTP status of the answer; null if there was none.
  error text, -- Why there was no answer; null if there was one.
  response text, -- The beginning of the answer.
  ms integer not null, -- How long it took, in milliseconds.
  PRIMARY KEY (org_id, environment, delivery_id, generation, number)
);
grant select, insert, delete on webhook_attempts to oversight_service;

-- One webhook for one endpoint. The row is the record; the queue only says when to look at it.
create table webhook_deliveries (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The delivery, as `whd_…`.
  endpoint_id text not null, -- The endpoint (webhook_endpoints.id).
  type text not null, -- What it tells of, such as `alert.created`.
  body text not null, -- What is sent, byte for byte.
  state text not null default 'pending'::text, -- What became of it.
  attempt_count smallint not null default 0, -- How many attempts were made in this generation.
  generation integer not null default 0, -- How often it was replayed; every replay has all attempts again.
  created_at timestamp(3) with time zone not null, -- When it was made.
  not_before timestamp(3) with time zone not null, -- When the next attempt may start: the end of the last one and its wait.
  next_at timestamp(3) with time zone not null, -- When reconcile looks for a pending row whose job may be lost; a claim moves it ahead as a lease.
  finished_at timestamp(3) with time zone, -- When its last attempt ended; null while it is pending.
  claimed_by text, -- The process that claimed it last for a backlog, by the name under which it takes jobs.
  PRIMARY KEY (org_id, environment, id),
  CHECK (state = ANY (ARRAY['pending'::text, 'delivered'::text, 'refused'::text, 'failed'::text, 'canceled'::text]))
) with (autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX webhook_deliveries_answered ON webhook_deliveries USING btree (org_id, environment, endpoint_id, finished_at) WHERE attempt_count > 0 AND finished_at IS NOT NULL;
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries USING btree (org_id, environment, endpoint_id, id);
CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries USING btree (org_id, environment, state, id);
CREATE INDEX webhook_deliveries_by_type ON webhook_deliveries USING btree (org_id, environment, type, id);
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries USING btree (org_id, environment, endpoint_id, id) WHERE state = 'failed'::text;
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries USING btree (org_id, environment, endpoint_id, next_at) WHERE state = 'pending'::text;
CREATE INDEX webhook_deliveries_tried ON webhook_deliveries USING btree (org_id, environment, endpoint_id, next_at) WHERE state = 'pending'::text AND attempt_count > 0;
grant select, insert, update, delete on webhook_deliveries to oversight_service;

-- Where webhooks of an organization go.
create table webhook_endpoints (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  id text not null, -- The endpoint, as `whe_…`.
  url text not null, -- The address they are posted to.
  state text not null default 'active'::text, -- Nothing is sent to a `disabled` endpoint.
  sealed_secret bytea not null, -- The secret they are signed with, encrypted with SECRET_KEY.
  generated boolean not null, -- Whether the service made the secret, as `whsec_` and base64, and not the operator.
  previous_sealed_secret bytea, -- The secret before it, with which they are signed as well until previous_expires_at.
  previous_generated boolean, -- Whether the service made that one.
  previous_expires_at timestamp(3) with time zone, -- Until when the secret before it is used.
  created_at timestamp(3) with time zone not null, -- When it was made.
  PRIMARY KEY (org_id, environment, id),
  CHECK (state = ANY (ARRAY['active'::text, 'disabled'::text]))
);
grant select, insert, update, delete on webhook_endpoints to oversight_service;

-- The failed deliveries of an endpoint that are being sent again, one after the other. The row goes when the last one has been sent.
create table webhook_replays (
  org_id text not null, -- The organization (organizations.id).
  environment text not null, -- `sandbox` or `production`, which never meet.
  endpoint_id text not null, -- The endpoint (webhook_endpoints.id).
  current_id text not null, -- The delivery that is being sent (webhook_deliveries.id); empty before the first.
  last_id text not null, -- The last delivery that is sent again; what fails later is not.
  began_at timestamp(3) with time zone not null, -- When the current delivery was put in line.
  next_at timestamp(3) with time zone not null, -- When reconcile looks whether the current delivery has ended without the next being put in line.
  PRIMARY KEY (org_id, environment, endpoint_id)
);
grant select, insert, update, delete on webhook_replays to oversight_service;

-- How the work of the last three hours went, by kind and minute, over all processes. Each process adds up in memory and writes every ten seconds.
create table work_samples (
  kind text not null, -- The kind of job.
  minute timestamp(3) with time zone not null, -- The beginning of the minute (UTC).
  jobs integer not null default 0, -- How many jobs ended in it, whatever came of them.
  failed integer not null default 0, -- How many of them failed for good.
  waited_ms bigint not null default 0, -- How long they waited for a worker, in all, in milliseconds.
  ran_ms bigint not null default 0, -- How long they ran, in all, in milliseconds.
  oldest_ms bigint not null default 0, -- The longest that the oldest row had waited when it was measured in that minute, in milliseconds.
  PRIMARY KEY (kind, minute)
) with (fillfactor=50);
CREATE INDEX work_samples_by_time ON work_samples USING btree (minute);
grant select, insert, update, delete on work_samples to oversight_service;

-- Which worker processes are there. A row is moved on while its process lives and removed when that stops.
create table worker_presence (
  process_id text not null, -- The process, by a random id.
  type text not null, -- What it works as, such as `detect`; a process may have several.
  host text not null, -- The machine that it runs on.
  pid integer not null, -- Its process number there.
  version text not null, -- The release of the service that it runs.
  started_at timestamp(3) with time zone not null, -- When it started.
  seen_at timestamp(3) with time zone not null, -- When it last said that it is there.
  left_at timestamp(3) with time zone, -- When it stopped and said so; null while it has not.
  PRIMARY KEY (process_id, type)
) with (fillfactor=50);
grant select, insert, update, delete on worker_presence to oversight_service;
