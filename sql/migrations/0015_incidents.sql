-- Incidents: alerts that belong together are one line to look at, one page to read and one decision to take.

create table incidents (
  org_id text not null,
  environment text not null,
  id text not null,
  agent_id text,
  state text not null default 'open' check (state in ('open', 'closed')),
  acknowledged boolean not null default false,
  severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
  lead_title text not null,
  lead_score numeric(4, 1) not null,
  lead_key text not null default '',
  detectors text[] not null,
  storm_detectors text[] not null default '{}',
  alert_count bigint not null,
  agent_count bigint not null,
  event_count bigint not null default 0,
  amount_usd_micro numeric,
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  episode_from timestamptz(3) not null,
  created_at timestamptz(3) not null,
  merged_into text,
  primary key (org_id, environment, id)
) with (fillfactor = 80);
create index incidents_by_state on incidents (org_id, environment, state, id) where merged_into is null;
create index incidents_by_severity on incidents (org_id, environment, severity, id) where merged_into is null;
create index incidents_open_by_severity on incidents (org_id, environment, severity, id) where state = 'open';
-- Without a time: whenever an alert grows its incident is written, and that leaves the indexes alone.
create index incidents_open_by_agent on incidents (org_id, environment, agent_id, id) where state = 'open';

create table incident_agents (
  org_id text not null,
  environment text not null,
  agent_id text not null,
  incident_id text not null,
  primary key (org_id, environment, agent_id, incident_id)
);
create index incident_agents_by_incident on incident_agents (org_id, environment, incident_id);

create table incident_events (
  org_id text not null,
  environment text not null,
  incident_id text not null,
  agent_id text not null,
  payment_id text not null,
  chain_seq bigint not null,
  amount_usd_micro numeric(90, 0),
  primary key (org_id, environment, incident_id, agent_id, payment_id, chain_seq)
);

-- The alerts there are get an incident each: which of them belonged together was never written down.
alter table alerts add column incident_id text;
update alerts set incident_id = 'inc_' || substr(id, 5);
alter table alerts alter column incident_id set not null;
create index alerts_by_incident on alerts (org_id, environment, incident_id, id);
create index alerts_live_by_incident on alerts (org_id, environment, incident_id, id) where state in ('open', 'acknowledged', 'escalated');

insert into incident_events (org_id, environment, incident_id, agent_id, payment_id, chain_seq, amount_usd_micro)
select n.org_id, n.environment, 'inc_' || substr(n.alert_id, 5), e.agent_id, e.payment_id, e.chain_seq, e.amount_usd_micro
from alert_events n
join events e on e.org_id = n.org_id and e.environment = n.environment and e.chain_seq = n.chain_seq;

insert into incident_agents (org_id, environment, agent_id, incident_id)
select org_id, environment, agent_id, incident_id from alerts;

with payments as (
  select n.org_id, n.environment, n.incident_id, n.agent_id, n.payment_id,
    count(*) as events, max(n.amount_usd_micro) as amount, min(e.occurred_at) as first_at, max(e.occurred_at) as last_at
  from incident_events n
  join events e on e.org_id = n.org_id and e.environment = n.environment and e.chain_seq = n.chain_seq
  group by 1, 2, 3, 4, 5
), sums as (
  select org_id, environment, incident_id, sum(events)::bigint as events, sum(amount) as amount,
    min(first_at) as first_at, max(last_at) as last_at
  from payments group by 1, 2, 3
)
insert into incidents (org_id, environment, id, agent_id, state, acknowledged, severity, lead_title, lead_score, lead_key, detectors, alert_count,
  agent_count, event_count, amount_usd_micro, first_at, last_at, episode_from, created_at)
select a.org_id, a.environment, a.incident_id, a.agent_id,
  case when a.state in ('resolved', 'dismissed') then 'closed' else 'open' end, a.state <> 'open',
  a.severity, a.title, a.score, concat_ws(' ', a.detector, a.agent_id, a.subject), array[a.detector], 1, 1, coalesce(s.events, 0), s.amount,
  coalesce(s.first_at, a.created_at), coalesce(s.last_at, a.created_at), coalesce(s.last_at, a.created_at), a.created_at
from alerts a
left join sums s on s.org_id = a.org_id and s.environment = a.environment and s.incident_id = a.incident_id;

comment on table incidents is 'Alerts that belong together: those of an agent within one episode, or those of a storm over many agents.';
comment on column incidents.org_id is 'The organization (organizations.id).';
comment on column incidents.environment is '`sandbox` or `production`, which never meet.';
comment on column incidents.id is 'The incident, as `inc_…`.';
comment on column incidents.agent_id is 'The agent (agents.id) that it is about; null for a storm over many.';
comment on column incidents.state is '`open` while one of its alerts is open, acknowledged or escalated.';
comment on column incidents.acknowledged is 'Whether none of its alerts is `open`: somebody has seen to each of them.';
comment on column incidents.severity is 'The worst severity of its alerts.';
comment on column incidents.lead_title is 'The title of the alert with the highest score.';
comment on column incidents.lead_score is 'The score of that alert.';
comment on column incidents.lead_key is 'Which alert that is: its detector, agent and subject.';
comment on column incidents.detectors is 'The detectors that raised its alerts.';
comment on column incidents.storm_detectors is 'The detectors by which it is a storm: what they find within an hour of it belongs to it, whichever agent it is about.';
comment on column incidents.alert_count is 'How many alerts it has.';
comment on column incidents.agent_count is 'How many agents its alerts are about.';
comment on column incidents.event_count is 'How many distinct events its alerts are linked to.';
comment on column incidents.amount_usd_micro is 'The sum of the distinct payments of those events, each at the highest amount they report, in millionths of a US dollar; null while none could be priced.';
comment on column incidents.first_at is 'When the first of the conduct occurred that raised its alerts.';
comment on column incidents.last_at is 'When the last of that conduct occurred.';
comment on column incidents.episode_from is 'From when on it has gone on until last_at without a break that would have ended an episode.';
comment on column incidents.created_at is 'When it was made.';
comment on column incidents.merged_into is 'The storm (incidents.id) that its alerts were found to belong to; null while it has them itself.';

comment on table incident_agents is 'The agents that the alerts of an incident are about.';
comment on column incident_agents.org_id is 'The organization (organizations.id).';
comment on column incident_agents.environment is '`sandbox` or `production`, which never meet.';
comment on column incident_agents.agent_id is 'The agent (agents.id).';
comment on column incident_agents.incident_id is 'The incident (incidents.id).';

comment on table incident_events is 'The events that the alerts of an incident are linked to, each once.';
comment on column incident_events.org_id is 'The organization (organizations.id).';
comment on column incident_events.environment is '`sandbox` or `production`, which never meet.';
comment on column incident_events.incident_id is 'The incident (incidents.id).';
comment on column incident_events.agent_id is 'The agent (agents.id).';
comment on column incident_events.payment_id is 'The payment, as its events name it.';
comment on column incident_events.chain_seq is 'The position of the event in the log (events.chain_seq).';
comment on column incident_events.amount_usd_micro is 'The amount that the event reports, in millionths of a US dollar; null if it could not be priced.';

comment on column alerts.incident_id is 'The incident (incidents.id) that it belongs to.';
