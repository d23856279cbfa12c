-- When the events of each stretch of a log occurred: a list of some days begins where they are, however much came in since.
create table event_blocks (
  org_id text not null,
  environment text not null,
  block bigint not null,
  earliest timestamptz(3) not null,
  latest timestamptz(3) not null,
  primary key (org_id, environment, block)
) with (fillfactor = 80);
comment on table event_blocks is 'Between which times the events of a stretch of a log occurred.';
comment on column event_blocks.org_id is 'The organization (organizations.id).';
comment on column event_blocks.environment is '`sandbox` or `production`, which never meet.';
comment on column event_blocks.block is 'The stretch: events.chain_seq divided by 2,048.';
comment on column event_blocks.earliest is 'When the earliest of them occurred.';
comment on column event_blocks.latest is 'When the latest of them occurred.';
grant select, insert, update on event_blocks to oversight_service;

-- By the table itself, so that no writer can forget it: a version that does not know of blocks may still be at work during an upgrade.
create function note_event_blocks() returns trigger language plpgsql as $$
begin
  insert into event_blocks as b
  select org_id, environment, chain_seq / 2048, min(occurred_at), max(occurred_at) from added group by 1, 2, 3
  on conflict (org_id, environment, block) do update
  set earliest = least(b.earliest, excluded.earliest), latest = greatest(b.latest, excluded.latest)
  where excluded.earliest < b.earliest or excluded.latest > b.latest;
  return null;
end
$$;
create trigger note_event_blocks after insert on events referencing new table as added
  for each statement execute function note_event_blocks();

insert into event_blocks
select org_id, environment, chain_seq / 2048, min(occurred_at), max(occurred_at) from events group by 1, 2, 3;

-- An agent, an owner and a payee are one organization's: what begins with them need not begin with it. A third smaller, and written faster.
create index events_of_agent on events (agent_id, chain_seq);
create index events_of_owner on events (owner_id, chain_seq);
create index events_of_payee on events (payee_id, chain_seq);
drop index events_by_agent;
drop index events_by_owner;
drop index events_by_payee;
