-- Agents are listed by when they were seen last. An index on that time moved with every payment: on its hour it hardly ever does.
create function hour_rank(at timestamptz) returns int language sql immutable parallel safe
return floor(extract(epoch from at - timestamptz '2020-01-01 00:00:00+00') / 3600)::int;
comment on function hour_rank(timestamptz) is 'The hour of a time, counted from the beginning of 2020.';

alter table agent_totals add column seen_hour int not null generated always as (hour_rank(last_seen_at)) stored;
comment on column agent_totals.seen_hour is 'Its hour_rank: what the agents are listed by, and then by when they were seen last.';
