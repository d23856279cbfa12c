-- What /ops draws: how much work was done lately, how fast, and which processes have left.

create table work_samples (
  kind text not null,
  minute timestamptz(3) not null,
  jobs integer not null default 0,
  failed integer not null default 0,
  waited_ms bigint not null default 0,
  ran_ms bigint not null default 0,
  oldest_ms bigint not null default 0,
  primary key (kind, minute)
) with (fillfactor = 50);
comment on table work_samples is 'How the work of the last three hours went, by kind and minute, over all processes. Each process adds up in memory and writes every ten seconds.';
comment on column work_samples.kind is 'The kind of job.';
comment on column work_samples.minute is 'The beginning of the minute (UTC).';
comment on column work_samples.jobs is 'How many jobs ended in it, whatever came of them.';
comment on column work_samples.failed is 'How many of them failed for good.';
comment on column work_samples.waited_ms is 'How long they waited for a worker, in all, in milliseconds.';
comment on column work_samples.ran_ms is 'How long they ran, in all, in milliseconds.';
comment on column work_samples.oldest_ms is 'The longest that the oldest row had waited when it was measured in that minute, in milliseconds.';
create index work_samples_by_time on work_samples (minute);

alter table worker_presence add column left_at timestamptz(3);
comment on column worker_presence.left_at is 'When it stopped and said so; null while it has not.';
