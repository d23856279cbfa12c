-- Between which amounts the events of each stretch of a log are: a list of some amounts looks only where they may be.
alter table event_blocks add column smallest numeric, add column largest numeric;
comment on table event_blocks is 'Between which times the events of a stretch of a log occurred, and between which amounts they are.';
comment on column event_blocks.smallest is 'Their smallest amount in millionths of a US dollar; infinity where none is priced, and null where it is not known yet.';
comment on column event_blocks.largest is 'Their largest amount; minus infinity where none is priced, and null where it is not known yet.';

-- What is not known stays so, also when events are added: `sql/fill_blocks.ts` looks at all of them.
create or replace function note_event_blocks() returns trigger language plpgsql as $$
begin
  insert into event_blocks as b
  select a.org_id, a.environment, a.chain_seq / 2048, min(a.occurred_at), max(a.occurred_at),
    coalesce(min(a.amount_usd_micro), 'infinity'), coalesce(max(a.amount_usd_micro), '-infinity') from added a
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
$$;

create or replace function price_events(of_org text, of_environment text, seqs bigint[], micros numeric[], minors numeric[], rates jsonb[])
returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update events e set amount_usd_micro = p.micro, amount_usd_minor = p.minor, usd_rate = p.rate
  from unnest(seqs, micros, minors, rates) as p (seq, micro, minor, rate)
  where e.org_id = of_org and e.environment = of_environment and e.chain_seq = p.seq and e.amount_usd_micro is null
    and e.amount_usd_minor is null and p.micro >= 0 and p.minor >= 0 and (e.input::jsonb #>> '{payment,amount,currency}') <> 'USD';
  update event_blocks b set smallest = least(b.smallest, p.smallest), largest = greatest(b.largest, p.largest)
  from (
    select seq / 2048 as block, min(micro) as smallest, max(micro) as largest from unnest(seqs, micros) as p (seq, micro)
    where micro >= 0 group by 1) p
  where b.org_id = of_org and b.environment = of_environment and b.block = p.block
    and (b.smallest > p.smallest or b.largest < p.largest);
end
$$;
