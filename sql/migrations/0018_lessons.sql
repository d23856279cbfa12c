-- What people make of alerts on conduct is set beside the alert budget, and teaches the judge: the like weighs less or more the next time.

alter table alerts add column conduct_at timestamptz(3), add column lesson_id text;
comment on column alerts.conduct_at is
  'When what is rare for the agent occurred; null: it was raised by a rule, or before this was noted.';
comment on column alerts.lesson_id is 'What closing it taught (lessons.id); null: nothing. The lesson may have been forgotten since.';
create index alerts_of_conduct on alerts (org_id, environment, conduct_at) where conduct_at is not null;

create table lessons (
  org_id text not null,
  environment text not null,
  id text not null,
  detector text not null,
  agent_id text not null,
  owner_id text not null,
  aspect text not null,
  dismissals integer not null check (dismissals >= 0),
  resolutions integer not null check (resolutions >= 0),
  last_at timestamptz(3) not null,
  primary key (org_id, environment, id),
  unique (org_id, environment, agent_id, detector, aspect)
);
create index lessons_by_owner on lessons (org_id, environment, owner_id);
create index lessons_by_detector on lessons (org_id, environment, detector, last_at, id);

comment on table lessons is 'What people taught by dismissing and resolving alerts on conduct. A row goes when all that taught it is taken back, or is forgotten.';
comment on column lessons.org_id is 'The organization (organizations.id).';
comment on column lessons.environment is '`sandbox` or `production`, which never meet.';
comment on column lessons.id is 'The lesson, as `lsn_…`.';
comment on column lessons.detector is 'The detector that raised the alerts.';
comment on column lessons.agent_id is 'The agent that they were about (agents.id); empty: whichever agent.';
comment on column lessons.owner_id is 'Its owner, whose other agents learn from it too (owners.id); empty: nobody''s do.';
comment on column lessons.aspect is 'What they had alike: `payee:` and its id, or `hours:` and a part of the day in UTC such as `06-12`.';
comment on column lessons.dismissals is 'How many were dismissed.';
comment on column lessons.resolutions is 'How many were resolved.';
comment on column lessons.last_at is 'When the latest of them was closed.';

comment on column alert_budgets.org_id is 'The organization (organizations.id).';
comment on column alert_budgets.environment is '`sandbox` or `production`, which never meet.';

alter table alerts add column conduct_until timestamptz(3);
comment on column alerts.conduct_until is 'The end of the hour in which the latest of the conduct that it tells of occurred; null as `conduct_at` is.';
