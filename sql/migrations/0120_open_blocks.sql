-- An event that has no price yet may come to any amount: its block says so from the start, and pricing it changes no block, for whose last one
-- ingest would wait.
create or replace function note_event_blocks() returns trigger language plpgsql as $$
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
$$;

create or replace function price_events(of_org text, of_environment text, seqs bigint[], micros numeric[], minors numeric[], rates jsonb[])
returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update events e set amount_usd_micro = p.micro, amount_usd_minor = p.minor, usd_rate = p.rate
  from unnest(seqs, micros, minors, rates) as p (seq, micro, minor, rate)
  where e.org_id = of_org and e.environment = of_environment and e.chain_seq = p.seq and e.amount_usd_micro is null
    and e.amount_usd_minor is null and p.micro >= 0 and p.minor >= 0 and (e.input::jsonb #>> '{payment,amount,currency}') <> 'USD';
end
$$;

comment on column event_blocks.smallest is 'Their smallest amount in millionths of a US dollar: minus infinity where one may be priced yet, infinity where none can be, and null where it is not known yet.';
comment on column event_blocks.largest is 'Their largest amount, and the other way round.';
-- `sql/fill_blocks.ts` looks at them anew.
update event_blocks set smallest = null, largest = null where smallest is not null;
