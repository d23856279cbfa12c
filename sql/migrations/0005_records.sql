-- Records people keep: what a case links to and what happened in it, mandates with every version, keys that are believed.

-- Cases ------------------------------------------------------------------------------------------------------------------

create index cases_by_status on cases (org_id, environment, status, id);
create index cases_by_priority on cases (org_id, environment, priority, id);
create index cases_by_assignee on cases (org_id, environment, assignee_id, id) where assignee_id is not null;

-- What a case was linked to. Rows stay: a closed case keeps what it was about when an alert goes on in another one.
create table case_links (
  org_id text not null,
  environment text not null,
  case_id text not null,
  kind text not null check (kind in ('alert', 'event', 'screening', 'pack')),
  target_id text not null,
  linked_at timestamptz(3) not null,
  primary key (org_id, environment, case_id, kind, target_id)
);
create index case_links_by_time on case_links (org_id, environment, case_id, kind, linked_at, target_id);
revoke update, delete on case_links from oversight_service;

-- The agents a case is about: its own, and those of what it is linked to.
create table case_agents (
  org_id text not null,
  environment text not null,
  agent_id text not null,
  case_id text not null,
  primary key (org_id, environment, agent_id, case_id)
);

create table case_timeline (
  org_id text not null,
  environment text not null,
  case_id text not null,
  id text not null,
  kind text not null,
  actor_id text,
  at timestamptz(3) not null,
  detail jsonb not null,
  primary key (org_id, environment, case_id, id)
);
comment on column case_timeline.detail is 'the members of the entry that its kind has beside these';
revoke update, delete on case_timeline from oversight_service;

-- The cases there are were opened by escalating alerts.
insert into case_links
select org_id, environment, case_id, 'alert', id, created_at from alerts where case_id is not null;

insert into case_agents
select org_id, environment, agent_id, id from cases where agent_id is not null
union
select org_id, environment, agent_id, case_id from alerts where case_id is not null;

insert into case_timeline
select org_id, environment, id, 'act_' || substr(id, 5), 'created', created_by, created_at, '{}' from cases;

insert into case_timeline
select distinct on (a.org_id, a.environment, a.id)
  a.org_id, a.environment, a.case_id, c.id, 'linked', c.actor_id, c.at, jsonb_build_object('alert_ids', jsonb_build_array(a.id))
from alerts a
join alert_actions c on c.org_id = a.org_id and c.environment = a.environment and c.alert_id = a.id and c.action = 'escalate'
where a.case_id is not null
order by a.org_id, a.environment, a.id, c.id desc;

-- Mandates ---------------------------------------------------------------------------------------------------------------

-- What an agent may do now. That it has expired is not written: it follows from valid_until.
create table mandates (
  org_id text not null,
  environment text not null,
  id text not null,
  agent_id text not null,
  owner_id text not null,
  name text not null,
  state text not null check (state in ('active', 'paused', 'revoked', 'exhausted')),
  version integer not null,
  valid_from timestamptz(3),
  valid_until timestamptz(3),
  human_presence text not null check (human_presence in ('required', 'not_required')),
  constraints jsonb not null,
  external_ref text,
  source text not null check (source in ('native', 'ap2')),
  created_at timestamptz(3) not null,
  created_by text,
  primary key (org_id, environment, id)
);
create index mandates_by_agent on mandates (org_id, environment, agent_id, id);
create index mandates_by_owner on mandates (org_id, environment, owner_id, id);
create index mandates_by_state on mandates (org_id, environment, state, id);

-- What it allowed at each time; an evaluation names the version it was made by.
create table mandate_versions (
  org_id text not null,
  environment text not null,
  mandate_id text not null,
  version integer not null,
  name text not null,
  state text not null,
  valid_from timestamptz(3),
  valid_until timestamptz(3),
  human_presence text not null,
  constraints jsonb not null,
  external_ref text,
  created_at timestamptz(3) not null,
  created_by text,
  primary key (org_id, environment, mandate_id, version)
);
revoke update, delete on mandate_versions from oversight_service;

-- Keys that are believed -------------------------------------------------------------------------------------------------

create table trusted_keys (
  org_id text not null,
  environment text not null,
  id text not null,
  kid text not null,
  use text not null check (use in ('ap2_issuer', 'agent', 'source', 'kyapay', 'receipt', 'any')),
  issuer text,
  kind text not null check (kind in ('jwk', 'x5c_root')),
  jwk jsonb not null,
  certificate text,
  thumbprint text not null,
  not_before timestamptz(3),
  not_after timestamptz(3),
  created_at timestamptz(3) not null,
  created_by text,
  revoked_at timestamptz(3),
  primary key (org_id, environment, id)
);
comment on column trusted_keys.jwk is 'the public key, of a root certificate too';
comment on column trusted_keys.certificate is 'PEM of a root certificate';
create unique index trusted_keys_in_use on trusted_keys (org_id, environment, kid) where revoked_at is null;
create index trusted_keys_by_kid on trusted_keys (org_id, environment, kid, id);
create index trusted_keys_by_thumbprint on trusted_keys (org_id, environment, thumbprint);

-- Lists ------------------------------------------------------------------------------------------------------------------

create index api_keys_by_env on api_keys (org_id, env, id);
create index members_by_arrival on members (org_id, created_at, user_id);
create index audit_log_by_action on audit_log (org_id, environment, action, id);
