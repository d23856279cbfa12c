-- Who did how much: totals that detection keeps beside the log, so that reading an agent costs the same however much it did; and labels.

-- Detection alone writes these, once a range, so that it and the registration of agents, owners and payees never wait for each other.

create table agent_totals (
  org_id text not null,
  environment text not null,
  agent_id text not null,
  event_count bigint not null,
  last_seen_at timestamptz(3) not null,
  primary key (org_id, environment, agent_id)
) with (fillfactor = 70);

create table owner_totals (
  org_id text not null,
  environment text not null,
  owner_id text not null,
  agent_count bigint not null,
  last_seen_at timestamptz(3),
  primary key (org_id, environment, owner_id)
) with (fillfactor = 70);
comment on column owner_totals.last_seen_at is 'null while only its agents were seen, in events of other owners';

create table payee_totals (
  org_id text not null,
  environment text not null,
  payee_id text not null,
  event_count bigint not null,
  agent_count bigint not null,
  last_seen_at timestamptz(3) not null,
  primary key (org_id, environment, payee_id)
) with (fillfactor = 70);

-- What an agent did on a day (UTC) by one rail to one payee. A payment counts on the day it started, its cost on the day it was
-- first paid, both under the rail and the payee of its latest event; an event counts on its own day, under its own.
create table agent_days (
  org_id text not null,
  environment text not null,
  agent_id text not null,
  day date not null,
  rail text not null,
  payee_id text not null,
  events bigint not null,
  payments bigint not null,
  spend_usd_micro numeric(90, 0) not null,
  primary key (org_id, environment, agent_id, day, rail, payee_id)
) with (fillfactor = 70);

create table organization_hours (
  org_id text not null,
  environment text not null,
  hour timestamptz(3) not null,
  events bigint not null,
  payments bigint not null,
  spend_usd_micro numeric(90, 0) not null,
  primary key (org_id, environment, hour)
) with (fillfactor = 50);

-- A payment's rail is part of what detection reads back.
drop index events_by_agent_time;
create index events_by_agent_time on events (org_id, environment, agent_id, occurred_at, chain_seq)
  include (payment_id, payee_id, rail, type, amount_usd_micro, price_key, resource_key, tool_key, tool_call_key, attempt);

-- Labels and lists ---------------------------------------------------------------------------------------------------------

alter table agents add column labels text[] not null default '{}';
create index agents_by_arrival on agents (org_id, environment, first_seen_at, id);
create index agents_by_owner on agents (org_id, environment, owner_id, first_seen_at, id);
-- Labels are given by people, so the agents that have any are few; and unlike an index of the labels, this one knows the tenant.
create index agents_labelled on agents (org_id, environment, first_seen_at, id) where cardinality(labels) > 0;
create index owners_by_arrival on owners (org_id, environment, first_seen_at, id);
create index payees_by_arrival on payees (org_id, environment, first_seen_at, id);
create index payees_by_screening_state on payees (org_id, environment, screening_state, first_seen_at, id);
create index payees_by_type on payees (org_id, environment, type, first_seen_at, id);
create index payees_by_country on payees (org_id, environment, country, first_seen_at, id);
create index alerts_live_by_agent on alerts (org_id, environment, agent_id) where state in ('open', 'acknowledged', 'escalated');
create index alerts_by_time on alerts (org_id, environment, created_at) include (detector);
create index webhook_deliveries_by_type on webhook_deliveries (org_id, environment, type, id);

-- What was analysed before ----------------------------------------------------------------------------------------------------

insert into agent_totals
select e.org_id, e.environment, e.agent_id, count(*), max(e.received_at)
from events e join detection_cursors c on c.org_id = e.org_id and c.environment = e.environment and e.chain_seq <= c.seq
group by e.org_id, e.environment, e.agent_id;

insert into owner_totals
select org_id, environment, owner_id, sum(agents), max(last_seen_at)
from (
  select a.org_id, a.environment, a.owner_id, count(*) as agents, null::timestamptz as last_seen_at
  from agent_totals t join agents a on a.org_id = t.org_id and a.environment = t.environment and a.id = t.agent_id
  group by a.org_id, a.environment, a.owner_id
  union all
  select e.org_id, e.environment, e.owner_id, 0, max(e.received_at)
  from events e join detection_cursors c on c.org_id = e.org_id and c.environment = e.environment and e.chain_seq <= c.seq
  group by e.org_id, e.environment, e.owner_id
) seen
group by org_id, environment, owner_id;

insert into payee_totals
select org_id, environment, payee_id, sum(events), sum(agents), max(last_seen_at)
from (
  select e.org_id, e.environment, e.payee_id, count(*) as events, 0 as agents, max(e.received_at) as last_seen_at
  from events e join detection_cursors c on c.org_id = e.org_id and c.environment = e.environment and e.chain_seq <= c.seq
  group by e.org_id, e.environment, e.payee_id
  union all
  select org_id, environment, payee_id, 0, count(*), null from agent_payees group by org_id, environment, payee_id
) seen
group by org_id, environment, payee_id;

-- Each payment as detection adds it up (payment.ts). Dropped at the end: not every owner may make temporary tables.
create table payment as
select e.org_id, e.environment, e.agent_id,
  min(e.occurred_at) as started_at,
  min(e.occurred_at) filter (where e.type in ('payment.authorized', 'payment.settled', 'payment.disputed')) as paid_at,
  (array_agg(e.type order by e.occurred_at desc, e.chain_seq desc))[1] as latest_type,
  (array_agg(e.rail order by e.occurred_at desc, e.chain_seq desc))[1] as rail,
  (array_agg(e.payee_id order by e.occurred_at desc, e.chain_seq desc))[1] as payee_id,
  coalesce((array_agg(e.micro order by e.occurred_at desc, e.chain_seq desc)
      filter (where e.type in ('payment.authorized', 'payment.settled', 'payment.disputed')))[1], 0)
    - coalesce(sum(e.micro) filter (where e.type = 'payment.refunded'), 0) as spend
from (
  select *, case when amount_usd_micro > 9000000000000000000 then 9000000000000000000 else amount_usd_micro end as micro from events) e
join detection_cursors c on c.org_id = e.org_id and c.environment = e.environment and e.chain_seq <= c.seq
group by e.org_id, e.environment, e.agent_id, e.payment_id;

create table change as
select org_id, environment, agent_id, started_at as at, rail, payee_id, 1 as payments, 0::numeric as spend from payment
union all
select org_id, environment, agent_id, paid_at, rail, payee_id, 0, spend from payment
where paid_at is not null and spend > 0 and latest_type not in ('payment.failed', 'payment.canceled');

-- Hours are added up anew: an amount that was not priced had counted as the most there is, and a payment where its first event to
-- arrive had it.
update agent_hours set payments = 0, spend_usd_micro = 0;
insert into agent_hours
select org_id, environment, agent_id, date_trunc('hour', at, 'UTC'), sum(payments), sum(spend), 0 from change group by 1, 2, 3, 4
on conflict (org_id, environment, agent_id, hour) do update set payments = excluded.payments, spend_usd_micro = excluded.spend_usd_micro;

insert into organization_hours
select org_id, environment, hour, sum(events), sum(payments), sum(spend)
from (
  select e.org_id, e.environment, date_trunc('hour', e.occurred_at, 'UTC') as hour, count(*) as events, 0 as payments, 0 as spend
  from events e join detection_cursors c on c.org_id = e.org_id and c.environment = e.environment and e.chain_seq <= c.seq
  group by 1, 2, 3
  union all
  select org_id, environment, hour, 0, sum(payments), sum(spend_usd_micro) from agent_hours group by 1, 2, 3
) done
group by org_id, environment, hour;

-- Days are read for the last 30.
insert into agent_days
select org_id, environment, agent_id, (at at time zone 'UTC')::date, rail, payee_id, sum(events), sum(payments), sum(spend)
from (
  select e.org_id, e.environment, e.agent_id, e.occurred_at as at, e.rail, e.payee_id, 1 as events, 0 as payments, 0 as spend
  from events e join detection_cursors c on c.org_id = e.org_id and c.environment = e.environment and e.chain_seq <= c.seq
  union all
  select org_id, environment, agent_id, at, rail, payee_id, 0, payments, spend from change
) done
where at >= now() - interval '40 days'
group by 1, 2, 3, 4, 5, 6;

drop table payment, change;
