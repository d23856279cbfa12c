-- Back-tests: what a detector would have found in the past, with other parameters. A row is the record; the queue says when to look.

create table backtests (
  org_id text not null,
  environment text not null,
  id text not null,
  detector text not null,
  from_at timestamptz(3) not null,
  to_at timestamptz(3) not null,
  params jsonb not null,
  cooldown_s integer not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed')),
  attempts integer not null default 0,
  progress real not null default 0,
  events bigint not null default 0,
  findings bigint not null default 0,
  sample jsonb not null default '[]',
  truncated boolean not null default false,
  error text,
  created_at timestamptz(3) not null,
  created_by text,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  next_at timestamptz(3) not null,
  primary key (org_id, environment, id)
) with (fillfactor = 50);
comment on column backtests.params is 'every parameter, as it was when the back-test was asked for';
comment on column backtests.next_at is 'when somebody has to look at it again: while it runs, whoever is at it moves this on';
create index backtests_due on backtests (next_at) where state in ('queued', 'running');
create index backtests_unfinished on backtests (org_id, environment) where state in ('queued', 'running');
create index backtests_finished on backtests (finished_at) where state in ('done', 'failed');

-- Which budgets an event filled is asked of the past.
create index budget_marks_by_event on budget_marks (org_id, environment, chain_seq);
