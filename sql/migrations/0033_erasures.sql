-- A person's data can be erased, and the log still says what is erased and what was tampered with.

create table erasures (
  org_id text not null,
  environment text not null,
  id text not null,
  subject_kind text not null check (subject_kind in ('payment', 'agent', 'owner', 'payee', 'evidence')),
  subject_id text not null,
  ground text not null,
  requested_at timestamptz(3) not null,
  requested_by text,
  state text not null default 'running' check (state in ('running', 'done')),
  stage text not null default 'events',
  after text not null default '',
  events bigint not null default 0,
  evidence_values bigint not null default 0,
  names bigint not null default 0,
  packs bigint not null default 0,
  finished_at timestamptz(3),
  next_at timestamptz(3),
  primary key (org_id, environment, id)
);
create index erasures_due on erasures (next_at) where next_at is not null;
revoke update, delete on erasures from oversight_service;
grant update (state, stage, after, events, evidence_values, names, packs, finished_at, next_at) on erasures to oversight_service;

comment on table erasures is 'Whose data was erased, by whom and on what ground. What was asked for never changes, and no row is removed.';
comment on column erasures.org_id is 'The organization (organizations.id).';
comment on column erasures.environment is '`sandbox` or `production`, which never meet.';
comment on column erasures.id is 'The erasure, as `ers_…`.';
comment on column erasures.subject_kind is 'What is erased: a payment, a piece of evidence, or what is known of an agent, an owner or a payee.';
comment on column erasures.subject_id is 'Which one, by its id.';
comment on column erasures.ground is 'On what ground, as written by the person who asked for it.';
comment on column erasures.requested_at is 'When it was asked for.';
comment on column erasures.requested_by is 'Who asked for it: `usr_…`, or null for the operator.';
comment on column erasures.state is 'How it stands.';
comment on column erasures.stage is 'What is being gone through: the events of the log, then the records of the parties, then what repeats their names, then files.';
comment on column erasures.after is 'How far that has been gone through.';
comment on column erasures.events is 'How many events were emptied.';
comment on column erasures.evidence_values is 'How many values of evidence were removed.';
comment on column erasures.names is 'How many agents, owners and payees lost their names.';
comment on column erasures.packs is 'How many packs and exports were removed.';
comment on column erasures.finished_at is 'When it was done; null while it is not.';
comment on column erasures.next_at is 'When somebody has to look at it again, since its job may be lost; null once it is done.';

create table erased_events (
  org_id text not null,
  environment text not null,
  chain_seq bigint not null,
  number integer not null,
  erasure_id text not null,
  statement text not null,
  primary key (org_id, environment, chain_seq, number)
);
create index erased_events_by_erasure on erased_events (org_id, environment, erasure_id, chain_seq);
revoke update, delete on erased_events from oversight_service;

comment on table erased_events is 'That an event was emptied, signed with a key of the log: only then is one sound that is not what its digest says.';
comment on column erased_events.org_id is 'The organization (organizations.id).';
comment on column erased_events.environment is '`sandbox` or `production`, which never meet.';
comment on column erased_events.chain_seq is 'The position of the event in the log (events.chain_seq).';
comment on column erased_events.number is 'Orders the erasures of an event; the latest is what holds.';
comment on column erased_events.erasure_id is 'The erasure (erasures.id).';
comment on column erased_events.statement is 'The digest of the event as it was, the SHA-256 of what is left of it, who asked for it, when and the hash of the ground, as a JWS (RFC 7515).';

create function need_erasure(of_org text, of_environment text, of_erasure text) returns void language plpgsql security invoker as $$
begin
  perform from erasures where org_id = of_org and environment = of_environment and id = of_erasure and state = 'running';
  if not found then raise exception 'there is no erasure % under way', of_erasure using errcode = '55000'; end if;
end
$$;

-- What an emptied event may say: nothing that it did not say before, but the ids of its parties in the place of their names, and its columns.
create function is_emptied(e events, input jsonb) returns boolean language sql stable set search_path = public, pg_temp as $$
  select (e.input::jsonb - 'erased') @> (
      case when input #>> '{payment,payee,key}' = 'erased:' || e.payee_id then input #- '{payment,payee,key}' else input end
      - array['erased', 'agent_id', 'owner_id'])
    and coalesce(input ->> 'agent_id' = e.agent_id, true) and coalesce(input ->> 'owner_id' = e.owner_id, true)
    and input -> 'erased' = jsonb_strip_nulls(jsonb_build_object('signed', e.signed, 'columns', jsonb_build_object(
      'resource_key', encode(e.resource_key, 'hex'), 'tool_key', encode(e.tool_key, 'hex'), 'tool_call_key', encode(e.tool_call_key, 'hex'),
      'domain_key', encode(e.domain_key, 'hex'),
      'payee_name_key', case when input #>> '{payment,payee,key}' <> 'erased:' || e.payee_id then encode(e.payee_name_key, 'hex') end)))
$$;

-- The one way by which the service takes something from the log. Each event must have been stated to be erased.
-- Of what a mandate was held against, only what cannot name anybody stays.
create function erase_events(of_org text, of_environment text, of_erasure text, seqs bigint[], inputs text[])
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare emptied bigint;
begin
  perform need_erasure(of_org, of_environment, of_erasure);
  update events e set input = n.input,
    payee_name_key = case when n.input::jsonb #>> '{payment,payee,key}' <> 'erased:' || e.payee_id then e.payee_name_key end
  from unnest(seqs, inputs) as n (chain_seq, input)
  where e.org_id = of_org and e.environment = of_environment and e.chain_seq = n.chain_seq and is_emptied(e, n.input::jsonb)
    and exists (
      select from erased_events x where x.org_id = of_org and x.environment = of_environment and x.chain_seq = e.chain_seq
        and x.erasure_id = of_erasure);
  get diagnostics emptied = row_count;
  if emptied <> cardinality(seqs) then
    raise exception 'an event would say what it did not say before, or was not stated to be erased' using errcode = '55000';
  end if;
  update evidence v set value = null, label = null from events e
  where e.org_id = of_org and e.environment = of_environment and e.chain_seq = any(seqs)
    and v.org_id = of_org and v.environment = of_environment and v.event_id = e.id;
  delete from signed_inputs s using events e
  where e.org_id = of_org and e.environment = of_environment and e.chain_seq = any(seqs)
    and s.org_id = of_org and s.environment = of_environment and s.event_id = e.id;
  update verification_runs r set checks = (
    select coalesce(jsonb_agg(c - 'detail' order by n), '[]') from jsonb_array_elements(r.checks) with ordinality as t (c, n))
  where r.org_id = of_org and r.environment = of_environment and r.chain_seq = any(seqs);
  update mandate_evaluations m set constraints = (
    select coalesce(jsonb_agg(
      case when c ->> 'type' ~ '^payment\.(amount_range|budget|agent_recurrence|velocity|(allowed|blocked)_(categories|countries)|allowed_(rails|currencies|networks|assets)|execution_date|time_of_day|approval_required)$'
      then c else c || '{"observed": null, "limit": null}' end order by n), '[]')
    from jsonb_array_elements(m.constraints::jsonb) with ordinality as t (c, n))::text
  where m.org_id = of_org and m.environment = of_environment and m.chain_seq = any(seqs);
end
$$;

create function erase_evidence(of_org text, of_environment text, of_erasure text, seq bigint, evidence_id text)
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare of_event text;
begin
  perform need_erasure(of_org, of_environment, of_erasure);
  select e.id into of_event from events e join erased_events x using (org_id, environment, chain_seq)
  where e.org_id = of_org and e.environment = of_environment and e.chain_seq = seq and x.erasure_id = of_erasure;
  if not found then raise exception 'the event was not stated to be erased' using errcode = '55000'; end if;
  update evidence v set value = null
  where v.org_id = of_org and v.environment = of_environment and v.event_id = of_event and v.id = evidence_id;
  delete from signed_inputs s where s.org_id = of_org and s.environment = of_environment and s.event_id = of_event;
  update verification_runs r set checks = (
    select coalesce(jsonb_agg(c - 'detail' order by n), '[]') from jsonb_array_elements(r.checks) with ordinality as t (c, n))
  where r.org_id = of_org and r.environment = of_environment and r.chain_seq = seq and r.evidence_id = erase_evidence.evidence_id;
end
$$;

-- Whoever looked a party up before it was erased must look again before an event is stored.
alter table event_logs add column erasures bigint not null default 0;
comment on column event_logs.erasures is 'How often parties of the log have been erased: an event is stored only by whoever looked its parties up since.';
grant update (erasures) on event_logs to oversight_service;

revoke all on function erase_events(text, text, text, bigint[], text[]) from public;
revoke all on function erase_evidence(text, text, text, bigint, text) from public;
grant execute on function erase_events(text, text, text, bigint[], text[]) to oversight_service;
grant execute on function erase_evidence(text, text, text, bigint, text) to oversight_service;
comment on table events is 'The log: reports that something happened to a payment. The service can add rows and neither change nor remove any, but that it can give a price to one that has none (price_events), and empty one that is erased (erase_events).';
