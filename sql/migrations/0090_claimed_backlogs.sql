-- What a process had claimed of a backlog is free as soon as it has ended.

alter table webhook_deliveries add column claimed_by text;
comment on column webhook_deliveries.claimed_by is 'The process that claimed it last for a backlog, by the name under which it takes jobs.';
