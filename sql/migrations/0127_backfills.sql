-- Agents whose past is being filled in: what they did is judged once it is known, in the order in which it happened.
create table backfills (
  org_id text not null,
  environment text not null,
  agent_id text not null,
  events bigint not null,
  from_at timestamptz(3) not null,
  until_at timestamptz(3) not null,
  began_at timestamptz(3) not null,
  noted_at timestamptz(3) not null,
  due_at timestamptz(3) not null,
  next_at timestamptz(3) not null,
  primary key (org_id, environment, agent_id)
);
create index backfills_due on backfills (next_at);
comment on table backfills is 'Agents of which events were reported long after later ones, and whose conduct is to be judged again in the order in which it happened.';
comment on column backfills.org_id is 'The organization (organizations.id).';
comment on column backfills.environment is '`sandbox` or `production`, which never meet.';
comment on column backfills.agent_id is 'The agent (agents.id).';
comment on column backfills.events is 'How many such events came so far; a few are judged as they come, and nothing again.';
comment on column backfills.from_at is 'When the earliest of them occurred that has not been judged again.';
comment on column backfills.until_at is 'When the latest of them occurred.';
comment on column backfills.began_at is 'When the first of them was received.';
comment on column backfills.noted_at is 'When the first of them was analyzed.';
comment on column backfills.due_at is 'When the agent is to be judged: a while after the latest of them, and soon enough after the first.';
comment on column backfills.next_at is 'When somebody has to look at it; whoever works on it moves this on.';
grant select, insert, update, delete on backfills to oversight_service;
