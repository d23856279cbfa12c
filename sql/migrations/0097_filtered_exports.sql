-- An export holds what the filters of a list leave, where somebody asks for that.
alter table exports add column filters jsonb not null default '{}';
comment on column exports.filters is 'What else it is narrowed by: the filters of its list, as they were asked for.';
