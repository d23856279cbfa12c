-- Conduct is weighed against an alert budget, by what is usual for the agent and for the organization's agents.

alter table detection_cursors add column spreads jsonb;
comment on column detection_cursors.spreads is
  'What the log has taught about its agents as a whole: by how much what they do exceeds what is usual for them. Of a size that does not grow; null: nothing yet.';

create table alert_budgets (
  org_id text not null,
  environment text not null,
  per_agent_month numeric(6, 3) not null check (per_agent_month between 0.01 and 10),
  updated_at timestamptz(3) not null,
  updated_by text not null,
  primary key (org_id, environment)
);
comment on table alert_budgets is 'How many false alarms an organization is willing to have. Without a row the default holds.';
comment on column alert_budgets.org_id is 'The organization (organizations.id).';
comment on column alert_budgets.environment is '`sandbox` or `production`, which never meet.';
comment on column alert_budgets.per_agent_month is 'Expected false alarms an agent and month, over all behavioral detectors together.';
comment on column alert_budgets.updated_at is 'When it was set.';
comment on column alert_budgets.updated_by is 'Who set it.';

alter table backtests add column by_parameters boolean not null default true;
comment on column backtests.by_parameters is
  'Somebody has set parameters: they are kept to. Else a behavioral detector judges by rarity, and they are floors.';
