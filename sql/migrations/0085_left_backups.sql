-- An attempt at a backup that was cut off may have left a file, under a name that the next attempt replaces.

alter table scheduled_backups add column left_names text[] not null default '{}';
comment on column scheduled_backups.left_names is 'The files of attempts before, which may be there.';
