-- An incident's history tells who had it.

alter table incidents add column assignments jsonb;
comment on column incidents.assignments is 'Its latest 50 assignments, newest first, each `{actor_id, from, to, at}`; null before the first.';
