-- Where the tables are spread over several nodes, every row says whose it is. On one node these two go without: a null takes no room.
alter table hours_of_agents add column org_id text;
comment on column hours_of_agents.org_id is 'The organization (organizations.id), where the tables are spread over several nodes; else null.';
alter table days_of_agents add column org_id text;
comment on column days_of_agents.org_id is 'The organization (organizations.id), where the tables are spread over several nodes; else null.';
