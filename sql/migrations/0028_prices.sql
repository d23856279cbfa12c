-- Money other than dollars counts from the first minute: by rates that come with the service where the operator has none, and what was
-- stored without a price is priced once there is a rate.
alter table fx_rates add column source text not null default 'operator' check (source in ('operator', 'fetched'));
comment on table fx_rates is 'What a unit of a currency was worth on a day, as the operator loaded it or as it was fetched. Beside them stand the rates that come with the service.';
comment on column fx_rates.source is '`operator` if it was loaded, which wins; `fetched` if RATES named where from.';

alter table events add column usd_rate jsonb;
comment on column events.usd_rate is 'The rate that priced it: `{usd_per_unit, date, source}`. Null for dollars and tokens, where there is no price, and of events before rates were noted.';
comment on table events is 'The log: reports that something happened to a payment. The service can add rows and neither change nor remove any, but that it can give a price to one that has none (price_events).';

-- The one change that an event can see: its price is no part of what its hash covers, and one that is there stays.
create function price_events(of_org text, of_environment text, seqs bigint[], micros numeric[], minors numeric[], rates jsonb[])
returns void language sql security definer set search_path = public, pg_temp as $$
  update events e set amount_usd_micro = p.micro, amount_usd_minor = p.minor, usd_rate = p.rate
  from unnest(seqs, micros, minors, rates) as p (seq, micro, minor, rate)
  where e.org_id = of_org and e.environment = of_environment and e.chain_seq = p.seq and e.amount_usd_micro is null
    and e.amount_usd_minor is null and p.micro >= 0 and p.minor >= 0 and (e.input::jsonb #>> '{payment,amount,currency}') <> 'USD'
$$;
revoke all on function price_events(text, text, bigint[], numeric[], numeric[], jsonb[]) from public;
grant execute on function price_events(text, text, bigint[], numeric[], numeric[], jsonb[]) to oversight_service;

-- What a process keeps of a log between two ranges is as it was before its events were priced. One of a version before this does not know, and
-- would count them twice: after a pricing it cannot move the cursor until one that knows has. Then it finds the cursor elsewhere, and reads again.
alter table detection_cursors add column repriced bigint not null default 0;
alter table detection_cursors add column repriced_known bigint not null default 0;
comment on column detection_cursors.repriced is 'How often analyzed events were priced later: what a process keeps of the log is read again when this has moved.';
comment on column detection_cursors.repriced_known is '`repriced` as the process that moved the cursor last knew it.';

create function refuse_former_version() returns trigger language plpgsql as $$
begin
  raise exception 'events of this log were priced, which this version of the service does not know: one that does goes on' using errcode = '55000';
end
$$;
create trigger refuse_former_version before update of seq on detection_cursors
for each row when (new.seq <> old.seq and new.repriced_known <> new.repriced) execute function refuse_former_version();

create table rate_changes (
  one boolean primary key default true check (one),
  version bigint not null default 1,
  looks smallint not null default 0,
  next_at timestamptz(3) not null default '-infinity'
);
insert into rate_changes default values;
comment on table rate_changes is 'That exchange rates have changed, in one row.';
comment on column rate_changes.one is 'There is one row.';
comment on column rate_changes.version is 'Counts the changes: a process reads the rates again when it has moved.';
comment on column rate_changes.looks is 'How often it was looked, since the last change, for events that can be priced now: processes may go on with the rates from before for a minute.';
comment on column rate_changes.next_at is 'When to look next.';

create function note_rate_change() returns trigger language plpgsql as $$
begin
  update rate_changes set version = version + 1, looks = 0, next_at = '-infinity';
  return null;
end
$$;
create trigger note_rate_change after insert or update or delete or truncate on fx_rates
for each statement execute function note_rate_change();

create table repricings (
  org_id text not null,
  environment text not null,
  rate_version bigint not null,
  after_seq bigint not null default 0,
  next_at timestamptz(3),
  requested_at timestamptz(3),
  primary key (org_id, environment)
);
create index repricings_due on repricings (next_at);
create index repricings_by_age on repricings (requested_at);
comment on table repricings is 'How far logs with events that have no price have been gone through for some that can be priced now.';
comment on column repricings.org_id is 'The organization (organizations.id).';
comment on column repricings.environment is '`sandbox` or `production`, which never meet.';
comment on column repricings.rate_version is 'The rates by which that is done (rate_changes.version); by others it begins again.';
comment on column repricings.after_seq is 'By these rates the events up to this chain_seq have been done.';
comment on column repricings.next_at is 'When somebody has to look at it; whoever works on it moves this on. Null while all is done.';
comment on column repricings.requested_at is 'When it was requested; null while all is done.';

create table rate_sources (
  id text primary key,
  next_at timestamptz(3) not null,
  attempts integer not null default 0,
  fetched_at timestamptz(3),
  validators jsonb not null default '{}',
  error text
);
comment on table rate_sources is 'When the rates that RATES names are fetched next. Where from is a setting.';
comment on column rate_sources.id is 'SHA-256 of where they are fetched from.';
comment on column rate_sources.next_at is 'When they are fetched next; a claim moves it ahead as a lease.';
comment on column rate_sources.attempts is 'How often in a row they could not be fetched.';
comment on column rate_sources.fetched_at is 'When they were last fetched, or found as they were.';
comment on column rate_sources.validators is 'ETag and Last-Modified of the file that was fetched last.';
comment on column rate_sources.error is 'Why they could not be fetched; null if they could.';
