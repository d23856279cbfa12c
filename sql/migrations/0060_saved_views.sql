-- Members keep the filters and sort order of a list under a name; cases are listed by priority.

create table saved_views (
  org_id text not null,
  environment text not null,
  id text not null,
  page text not null,
  name text not null,
  query text not null,
  created_at timestamptz(3) not null,
  created_by text not null,
  primary key (org_id, environment, id)
);
create unique index saved_views_by_name on saved_views (org_id, environment, page, name);
comment on table saved_views is 'A list of the dashboard as a member has filtered it, for all members of the organization.';
comment on column saved_views.org_id is 'The organization (organizations.id).';
comment on column saved_views.environment is '`sandbox` or `production`, which never meet.';
comment on column saved_views.id is 'The view, as `viw_…`.';
comment on column saved_views.page is 'The page of the dashboard, as `/events`.';
comment on column saved_views.name is 'What it is called; once on a page.';
comment on column saved_views.query is 'The query of the address: filters and sort order.';
comment on column saved_views.created_at is 'When it was saved.';
comment on column saved_views.created_by is 'Who saved it: `usr_…`.';

create index cases_by_rank on cases (org_id, environment, severity_rank(priority), id);
