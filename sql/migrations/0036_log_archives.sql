-- Old parts of a log leave the database for files that were verified before.

alter table event_logs add column archived_seq bigint not null default 0;
comment on column event_logs.archived_seq is 'Up to here events have left the database (log_archives).';

create table log_archives (
  org_id text not null,
  environment text not null,
  to_seq bigint not null,
  from_seq bigint not null,
  file text not null,
  sha256 text not null,
  size_bytes bigint not null,
  leaves_digest bytea not null,
  runs bigint not null,
  evaluations bigint not null,
  evidence_values bigint not null,
  erasures bigint not null,
  checkpoint_size bigint not null,
  root_hash bytea not null,
  statement text not null,
  created_at timestamptz(3) not null,
  primary key (org_id, environment, to_seq),
  check (from_seq between 1 and to_seq)
);
revoke update, delete on log_archives from oversight_service;
comment on table log_archives is 'Files in the storage that hold a stretch of a log each. A row says that the file was read again and found whole.';
comment on column log_archives.org_id is 'The organization (organizations.id).';
comment on column log_archives.environment is '`sandbox` or `production`, which never meet.';
comment on column log_archives.to_seq is 'The chain_seq of its last event.';
comment on column log_archives.from_seq is 'The chain_seq of its first event.';
comment on column log_archives.file is 'Its name in the storage.';
comment on column log_archives.sha256 is 'The SHA-256 of the file, in hex.';
comment on column log_archives.size_bytes is 'The size of the file.';
comment on column log_archives.leaves_digest is 'SHA-256 over the leaf hashes of its events, one after the other.';
comment on column log_archives.runs is 'How many verification runs it holds.';
comment on column log_archives.evaluations is 'How many evaluations by mandates it holds.';
comment on column log_archives.evidence_values is 'How many values of evidence it holds; the others were erased before.';
comment on column log_archives.erasures is 'How many statements of erasure there were of its events when it was made.';
comment on column log_archives.checkpoint_size is 'The checkpoint that its proofs lead to (log_checkpoints.size).';
comment on column log_archives.root_hash is 'The root hash that this checkpoint has.';
comment on column log_archives.statement is 'Of which events it is, with which SHA-256: a JWS (RFC 7515) by a key of the log.';
comment on column log_archives.created_at is 'When it was made.';

create table archived_events (
  org_id text not null,
  environment text not null,
  chain_seq bigint not null,
  id text not null,
  agent_id text not null,
  owner_id text not null,
  payee_id text not null,
  payment_id text not null,
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  event_digest bytea not null,
  primary key (org_id, environment, chain_seq),
  unique (org_id, environment, id)
);
create index archived_events_by_agent on archived_events (org_id, environment, agent_id, occurred_at, chain_seq);
create index archived_events_by_owner on archived_events (org_id, environment, owner_id);
create index archived_events_by_payee on archived_events (org_id, environment, payee_id);
create index archived_events_by_payment on archived_events (org_id, environment, payment_id);
revoke insert, update, delete on archived_events from oversight_service;
comment on table archived_events is 'What archived events are found by. The events stand in the files of log_archives.';
comment on column archived_events.org_id is 'The organization (organizations.id).';
comment on column archived_events.environment is '`sandbox` or `production`, which never meet.';
comment on column archived_events.chain_seq is 'Its position in the log.';
comment on column archived_events.id is 'The event, as `evt_…`.';
comment on column archived_events.agent_id is 'The agent (agents.id).';
comment on column archived_events.owner_id is 'The owner (owners.id).';
comment on column archived_events.payee_id is 'The payee (payees.id).';
comment on column archived_events.payment_id is 'The payment that it is about, as the sender calls it.';
comment on column archived_events.occurred_at is 'When it happened, as reported.';
comment on column archived_events.received_at is 'When it arrived, which its leaf has.';
comment on column archived_events.event_digest is 'Its digest, which its leaf has.';

-- The one way in which events leave the log: in order from its beginning, one archive at once, which holds events with their leaves under the
-- root of a checkpoint, that are analyzed, and as old as the law wants them kept. Returns how many; 0 where no archive is left.
create function remove_archived_events(of_org text, of_environment text)
returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  begun bigint;
  archive log_archives;
begin
  select archived_seq into begun from event_logs where org_id = of_org and environment = of_environment for update;
  select * into archive from log_archives a
  where a.org_id = of_org and a.environment = of_environment and a.to_seq > begun order by a.to_seq limit 1;
  if archive is null then return 0; end if;
  if begun <> archive.from_seq - 1 then
    raise exception 'the archive begins at %, and not after %', archive.from_seq, begun using errcode = '55000';
  end if;
  if not exists (
    select from log_checkpoints c
    where c.org_id = of_org and c.environment = of_environment and c.size = archive.checkpoint_size and c.size >= archive.to_seq
      and c.root_hash = archive.root_hash)
  then raise exception 'the archive up to % is under no checkpoint', archive.to_seq using errcode = '55000'; end if;
  if archive.leaves_digest is distinct from (
    select sha256(string_agg(e.leaf_hash, ''::bytea order by e.chain_seq)) from events e
    where e.org_id = of_org and e.environment = of_environment and e.chain_seq between archive.from_seq and archive.to_seq)
  then raise exception 'the archive up to % holds other events', archive.to_seq using errcode = '55000'; end if;
  if archive.runs <> (
    select count(*) from verification_runs r
    where r.org_id = of_org and r.environment = of_environment and r.chain_seq between archive.from_seq and archive.to_seq)
    or archive.evaluations <> (
    select count(*) from mandate_evaluations m
    where m.org_id = of_org and m.environment = of_environment and m.chain_seq between archive.from_seq and archive.to_seq)
    or archive.evidence_values <> (
    select count(v.value) from events e
    join evidence v on v.org_id = e.org_id and v.environment = e.environment and v.event_id = e.id
    where e.org_id = of_org and e.environment = of_environment and e.chain_seq between archive.from_seq and archive.to_seq)
    or archive.erasures <> (
    select count(*) from erased_events x
    where x.org_id = of_org and x.environment = of_environment and x.chain_seq between archive.from_seq and archive.to_seq)
    or exists (select from erasures r where r.org_id = of_org and r.environment = of_environment and r.state = 'running')
  then raise exception 'events up to % have changed since they were archived', archive.to_seq using errcode = '55000'; end if;
  if archive.to_seq > coalesce((select seq from detection_cursors where org_id = of_org and environment = of_environment), 0)
    or not is_past_law(of_environment, (
      select received_at from events where org_id = of_org and environment = of_environment and chain_seq = archive.to_seq))
  then raise exception 'events up to % are not to leave the log yet', archive.to_seq using errcode = '55000'; end if;
  insert into archived_events (org_id, environment, chain_seq, id, agent_id, owner_id, payee_id, payment_id, occurred_at, received_at, event_digest)
  select e.org_id, e.environment, e.chain_seq, e.id, e.agent_id, e.owner_id, e.payee_id, e.payment_id, e.occurred_at, e.received_at,
    e.event_digest from events e
  where e.org_id = of_org and e.environment = of_environment and e.chain_seq >= archive.from_seq and e.chain_seq <= archive.to_seq;
  delete from evidence v using archived_events a
  where a.org_id = of_org and a.environment = of_environment and a.chain_seq >= archive.from_seq and a.chain_seq <= archive.to_seq
    and v.org_id = of_org and v.environment = of_environment and v.event_id = a.id;
  delete from signed_inputs i using archived_events a
  where a.org_id = of_org and a.environment = of_environment and a.chain_seq >= archive.from_seq and a.chain_seq <= archive.to_seq
    and i.org_id = of_org and i.environment = of_environment and i.event_id = a.id;
  delete from verification_runs where org_id = of_org and environment = of_environment and chain_seq >= archive.from_seq and chain_seq <= archive.to_seq;
  delete from mandate_evaluations where org_id = of_org and environment = of_environment and chain_seq >= archive.from_seq and chain_seq <= archive.to_seq;
  delete from event_verdicts where org_id = of_org and environment = of_environment and chain_seq >= archive.from_seq and chain_seq <= archive.to_seq;
  delete from event_blocks where org_id = of_org and environment = of_environment and (block + 1) * 2048 - 1 <= archive.to_seq;
  delete from events where org_id = of_org and environment = of_environment and chain_seq >= archive.from_seq and chain_seq <= archive.to_seq;
  update event_logs set archived_seq = archive.to_seq where org_id = of_org and environment = of_environment;
  return archive.to_seq - begun;
end
$$;
revoke all on function remove_archived_events(text, text) from public;
grant execute on function remove_archived_events(text, text) to oversight_service;
comment on table events is 'The log: reports that something happened to a payment. The service can add rows and neither change nor remove any, but that it can give a price to one that has none (price_events), and that old ones leave it once an archive holds them (remove_archived_events).';

-- What is put back to be read for a moment changes nothing about when the others occurred, and keeps nobody from adding to the log.
create or replace function note_event_blocks() returns trigger language plpgsql as $$
begin
  insert into event_blocks as b
  select a.org_id, a.environment, a.chain_seq / 2048, min(a.occurred_at), max(a.occurred_at) from added a
  where a.chain_seq > coalesce((
    select l.archived_seq from event_logs l where l.org_id = a.org_id and l.environment = a.environment), 0)
  group by 1, 2, 3
  on conflict (org_id, environment, block) do update
  set earliest = least(b.earliest, excluded.earliest), latest = greatest(b.latest, excluded.latest)
  where excluded.earliest < b.earliest or excluded.latest > b.latest;
  return null;
end
$$;
