-- An archived event says when it was analyzed, as it did before: the ranges left, and the next one that stayed answered for them.

alter table archived_events add column analyzed_at timestamptz(3);
comment on column archived_events.analyzed_at is 'When it was analyzed; null where only its range (analyzed_ranges) says so.';

create or replace function remove_archived_events(of_org text, of_environment text)
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
  insert into archived_events (
    org_id, environment, chain_seq, id, agent_id, owner_id, payee_id, payment_id, occurred_at, received_at, event_digest, analyzed_at)
  select of_org, of_environment, e.chain_seq, e.id, e.agent_id, e.owner_id, e.payee_id, e.payment_id, e.occurred_at, e.received_at,
    e.event_digest, (
      select r.analyzed_at from analyzed_ranges r
      where r.org_id = of_org and r.environment = of_environment and r.to_seq >= e.chain_seq order by r.to_seq limit 1)
  from events e
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
  -- Those of earlier archives stay: nothing else may say when their events were analyzed.
  delete from analyzed_ranges where org_id = of_org and environment = of_environment and from_seq >= archive.from_seq and to_seq <= archive.to_seq;
  -- One that waits for a chain to be read would be looked up for an event that is not there, and hold up the next archives. Some at a time: of
  -- earlier archives they may all be there still.
  delete from chain_lookups l where l.org_id = of_org and l.environment = of_environment and l.chain_seq in (
    select a.chain_seq from chain_lookups a where a.org_id = of_org and a.environment = of_environment and a.chain_seq <= archive.to_seq
    order by a.chain_seq limit 10000);
  delete from events where org_id = of_org and environment = of_environment and chain_seq >= archive.from_seq and chain_seq <= archive.to_seq;
  update event_logs set archived_seq = archive.to_seq where org_id = of_org and environment = of_environment;
  return archive.to_seq - begun;
end
$$;
