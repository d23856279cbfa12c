-- What does not happen: payments that are authorized and not heard of again, and sources that fall silent.

-- How far a log has been looked through for what has become overdue, by what is looked for. Its row lock is held after that of the
-- detection cursor.
create table sweep_cursors (
  org_id text not null,
  environment text not null,
  kind text not null,
  seq bigint not null,
  next_at timestamptz(3) not null,
  settings_at timestamptz(3),
  primary key (org_id, environment, kind)
);
comment on column sweep_cursors.seq is 'what was authorized up to here has been judged';
comment on column sweep_cursors.next_at is 'nothing becomes overdue before';
comment on column sweep_cursors.settings_at is 'updated_at of the settings by which next_at was computed';

-- What was overdue before this version is not told of.
insert into sweep_cursors (org_id, environment, kind, seq, next_at)
select l.org_id, l.environment, 'settlement_missing:' || k.rail, coalesce(e.chain_seq, 0), now()
from event_logs l
cross join (values ('x402', interval '15 minutes'), ('card', interval '8 days')) k (rail, wait)
left join lateral (
  select chain_seq from events
  where org_id = l.org_id and environment = l.environment and received_at < now() - k.wait
  order by chain_seq desc limit 1) e on true
where l.size > 0;

-- Which of an agent's latest authorizations over a rail were reported on in time.
create table report_habits (
  org_id text not null,
  environment text not null,
  agent_id text not null,
  rail text not null,
  seen smallint not null,
  outcomes integer not null,
  primary key (org_id, environment, agent_id, rail)
);
comment on column report_habits.outcomes is 'one bit for each of the latest 20, the lowest is the last; set: it was reported on in time';

-- At what pace the events of a source arrive.
create table source_rhythms (
  org_id text not null,
  environment text not null,
  source_id text not null,
  last_seq bigint not null,
  rhythm jsonb not null,
  told boolean not null default false,
  look_at timestamptz(3),
  primary key (org_id, environment, source_id)
) with (fillfactor = 50);
comment on column source_rhythms.told is 'its silence since last_seq was told of';
comment on column source_rhythms.look_at is 'when to see whether it has fallen silent; null: not before its next event';
-- The column changes far less often than the row, so that most updates leave the index alone.
create index source_rhythms_due on source_rhythms (look_at) where look_at is not null;
