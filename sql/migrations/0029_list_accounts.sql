-- What became of each item of a list when a version of it was read.

alter table screening_list_versions add column account jsonb;

comment on column screening_list_versions.account is 'How many names, identifiers, dates and countries were read by kind, how many items were of no use, and what was not understood, with examples. Null where nothing was read: the list was removed, or loaded before this was kept.';
