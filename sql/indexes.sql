-- Indexes of tables that may be long. They are built and dropped beside readers and writers, one statement at a time, after the migrations;
-- what was interrupted is begun again. What is dropped is dropped once its successors were there before, since a version before this one may
-- still look by it when they are built. `shared/events/log/holding.ts` has the condition that they serve.
create index concurrently events_key_agent on events (event_key(org_id, environment, agent_id), chain_seq);
create index concurrently events_key_owner on events (event_key(org_id, environment, owner_id), chain_seq);
create index concurrently events_key_payee on events (event_key(org_id, environment, payee_id), chain_seq);
create index concurrently events_key_payment on events (event_key(org_id, environment, payment_id), chain_seq);
-- Of rail and status a filter names one or both: it looks in each of the combinations, which are few.
create index concurrently events_key_rail_status on events (event_key(org_id, environment, rail || ' ' || status), chain_seq);
create index concurrently alert_events_key_event on alert_events (event_key(org_id, environment, event_id));
drop index concurrently events_of_agent;
drop index concurrently events_of_owner;
drop index concurrently events_of_payee;
drop index concurrently events_by_payment;
drop index concurrently events_by_rail;
drop index concurrently events_by_status;
drop index concurrently events_by_time;
drop index concurrently events_key_rail;
drop index concurrently events_key_status;
drop index concurrently alert_events_by_event;
-- `shared/events/ranges/unpriced.ts` looks by it; it holds only what was paid in money and has no price.
create index concurrently events_unpriced on events (org_id, environment, chain_seq) where amount_usd_micro is null and (input::jsonb #>> '{payment,amount,currency}') is not null;
-- `shared/reassessment/rate_arrivals.ts` looks by it; it holds only what could not be held against a mandate for want of a rate.
create index concurrently mandate_evaluations_unrated on mandate_evaluations (org_id, environment, mandate_id, position_at, chain_seq) where result = 'unresolved' and constraints like '%currency_mismatch%';
-- `shared/search` looks by these: amounts, cards and orders in the order of the log, and owners by part of a name.
create index concurrently events_key_price on events (event_key(org_id, environment, encode(price_key, 'hex')), chain_seq);
create index concurrently events_key_card on events (event_key(org_id, environment, input::jsonb #>> '{instrument,last4}'), chain_seq) where strpos(input, '"last4":') > 0;
create index concurrently events_key_instrument on events (event_key(org_id, environment, input::jsonb #>> '{instrument,id}'), chain_seq) where strpos(input, '"instrument":') > 0;
create index concurrently events_key_order on events (event_key(org_id, environment, coalesce(input::jsonb #>> '{metadata,order_id}', input::jsonb #>> '{metadata,order}', input::jsonb #>> '{metadata,order_number}')), chain_seq) where strpos(input, '"order') > 0;
create index concurrently owners_by_words on owners using gin (lower((coalesce(name, '') || ' ' || coalesce(external_id, '')) collate "und-x-icu") gin_trgm_ops);
drop index concurrently owners_by_text;
create index concurrently mandates_by_words on mandates using gin (lower((name || ' ' || coalesce(external_ref, '')) collate "und-x-icu") gin_trgm_ops);
-- `shared/events/log/event_search.ts` looks by these: the events of a mandate in the order of the log, and those that break one.
create index concurrently mandate_evaluations_along on mandate_evaluations (org_id, environment, mandate_id, result, chain_seq);
create index concurrently event_verdicts_by_mandate on event_verdicts (org_id, environment, mandate_result, chain_seq) where mandate_result in ('breach', 'unresolved');
-- Incidents that somebody snoozed, which are few.
create index concurrently incidents_snoozed on incidents (org_id, environment, id) where snoozed_until is not null;
-- Incidents that are assigned: those that are not cost nothing here.
create index concurrently incidents_by_assignee on incidents (org_id, environment, assignee_id, id) where assignee_id is not null;
-- Screenings to review, the best match first.
create index concurrently screenings_by_score on screenings (org_id, environment, score, id) where state = 'potential_match';

-- Deliveries that were tried go on before others of their endpoint begin.
create index concurrently webhook_deliveries_tried on webhook_deliveries (org_id, environment, endpoint_id, next_at)
  where state = 'pending' and attempt_count > 0;
-- Exports by the hour look by these.
create index concurrently screenings_by_change on screenings (org_id, environment, updated_at, id);
create index concurrently audit_log_by_time on audit_log (org_id, environment, at, id);
-- Alerts and incidents in the orders that lists offer, state by state.
create index concurrently alerts_ranked on alerts (org_id, environment, state, severity_rank(severity), id);
create index concurrently alerts_scored on alerts (org_id, environment, state, score, id);
drop index concurrently alerts_live_by_severity;
drop index concurrently alerts_live_by_score;
create index concurrently incidents_ranked on incidents (org_id, environment, state, severity_rank(severity), id) where merged_into is null;
create index concurrently incidents_by_amount on incidents (org_id, environment, state, coalesce(div(amount_usd_micro + 5000, 10000), -1), id) where merged_into is null;
create index concurrently incidents_by_urgency on incidents (org_id, environment, state, incident_urgency(severity, amount_usd_micro, created_at), id) where merged_into is null;
create index concurrently incidents_by_activity on incidents (org_id, environment, state, last_at, id) where merged_into is null;
drop index concurrently incidents_open_by_rank;
drop index concurrently incidents_open_by_amount;
drop index concurrently incidents_open_by_urgency;
-- `shared/events/parties/party_order.ts` lists by these, and so do mandates: names whatever their case.
create index concurrently agents_by_name on agents (org_id, environment, left(lower(normalize(coalesce(name, external_id, id), nfkd) collate "und-x-icu"), 60) collate "C", id);
create index concurrently owners_by_name on owners (org_id, environment, left(lower(normalize(coalesce(name, external_id, id), nfkd) collate "und-x-icu"), 60) collate "C", id);
create index concurrently payees_by_name on payees (org_id, environment, left(lower(normalize(coalesce(name, key), nfkd) collate "und-x-icu"), 60) collate "C", id);
create index concurrently mandates_by_name on mandates (org_id, environment, state, left(lower(normalize(name, nfkd) collate "und-x-icu"), 60) collate "C", id);
create index concurrently mandates_by_expiry on mandates (org_id, environment, state, coalesce(valid_until, 'infinity'), id);
-- The alerts on an agent's conduct that people resolved: their payments are no part of its record.
create index concurrently alerts_justified on alerts (org_id, environment, agent_id, id) where state = 'resolved' and lesson_id is not null;
