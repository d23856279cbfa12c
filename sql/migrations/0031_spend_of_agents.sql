-- Agents are listed by what they spent in the last 30 days: that is kept beside their totals, by whoever adds to them, and gone over once a day.
alter table agent_totals add column spend_usd_micro numeric not null default 0;
comment on column agent_totals.spend_usd_micro is 'What it spent in the 30 days (UTC) that end with detection_cursors.spend_day, in micro-USD. What a version before this counts is added on the next day.';
create index agent_totals_by_spend on agent_totals (org_id, environment, spend_usd_micro, agent_id) where spend_usd_micro > 0;

alter table detection_cursors add column spend_day date;
alter table detection_cursors add column spend_after text;
comment on column detection_cursors.spend_day is 'The last of the 30 days that agent_totals.spend_usd_micro is of, for the agents up to spend_after; null: of none yet.';
comment on column detection_cursors.spend_after is 'How far the agents have been gone over for that day, by agent_id; null: all of them.';
