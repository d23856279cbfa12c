-- Payee screening: lists with what changed from version to version, screenings with their matches, and what people decided of them.

-- Lists --------------------------------------------------------------------------------------------------------------------

-- A list of everybody has the empty org_id; no other organization's is ''.
create table screening_lists (
  org_id text not null,
  name text not null,
  format text not null,
  version integer not null,
  sha256 text not null,
  entries integer not null,
  loaded_at timestamptz(3) not null,
  primary key (org_id, name)
);
comment on column screening_lists.loaded_at is 'when it was last loaded, or found unchanged at its publisher: it grows stale from then on';

create table screening_list_versions (
  org_id text not null,
  name text not null,
  version integer not null,
  format text not null,
  sha256 text not null,
  entries integer not null,
  added integer not null,
  removed integer not null,
  changed integer not null,
  skipped integer not null,
  loaded_at timestamptz(3) not null,
  loaded_by text not null check (loaded_by in ('operator', 'schedule')),
  primary key (org_id, name, version)
);
revoke update, delete on screening_list_versions from oversight_service;

-- Every entry there ever was, as it last was. What changed since a version is what has a later one.
create table screening_list_entries (
  org_id text not null,
  list text not null,
  entry_id text not null,
  action text not null check (action in ('deny', 'allow')),
  digest bytea not null,
  names_digest bytea not null,
  entry text not null,
  changed_in integer not null,
  removed boolean not null default false,
  primary key (org_id, list, entry_id)
);
comment on column screening_list_entries.entry is 'JSON; digest is the SHA-256 of its RFC 8785 text, names_digest that of its names alone';
comment on column screening_list_entries.changed_in is 'the version in which it was added, changed or removed last';
create index screening_list_entries_changed on screening_list_entries (org_id, list, changed_in, entry_id);

-- A version on its way in. Rows live within the transaction that loads it.
create table screening_list_staging (
  org_id text not null,
  list text not null,
  load_id text not null,
  entry_id text not null,
  action text not null,
  digest bytea not null,
  names_digest bytea not null,
  entry text not null,
  primary key (org_id, list, load_id, entry_id)
);

-- When each list that the deployment fetches by itself is fetched next. What there is to fetch is a setting.
create table screening_list_sources (
  name text primary key,
  next_at timestamptz(3) not null,
  attempts integer not null default 0,
  fetched_at timestamptz(3),
  validators jsonb not null default '{}',
  sha256 text,
  error text
);
comment on column screening_list_sources.validators is 'ETag and Last-Modified by URL, of the files that have this sha256';
comment on column screening_list_sources.next_at is 'a claim moves it ahead as a lease';

-- Screenings ---------------------------------------------------------------------------------------------------------------

create table screening_settings (
  org_id text not null,
  environment text not null,
  threshold numeric(5, 4) not null check (threshold between 0 and 1),
  updated_at timestamptz(3) not null,
  primary key (org_id, environment)
);

create table screenings (
  org_id text not null,
  environment text not null,
  id text not null,
  payee_id text,
  query jsonb not null,
  state text not null check (state in ('clear', 'potential_match', 'confirmed_match', 'false_positive', 'error')),
  score numeric(5, 4) not null,
  threshold numeric(5, 4) not null,
  allowed_by jsonb,
  lists jsonb not null,
  error text,
  created_at timestamptz(3) not null,
  created_by text,
  updated_at timestamptz(3) not null,
  reviewed_at timestamptz(3),
  reviewed_by text,
  decision text check (decision in ('true_match', 'false_positive')),
  reason text,
  primary key (org_id, environment, id)
);
comment on column screenings.lists is 'the versions it was made with, as they were then';
comment on column screenings.created_by is 'usr_…, key_…, or null: the system';
create index screenings_by_state on screenings (org_id, environment, state, id);
create index screenings_by_payee on screenings (org_id, environment, payee_id, id) where payee_id is not null;
revoke delete on screenings from oversight_service;

create table screening_matches (
  org_id text not null,
  environment text not null,
  screening_id text not null,
  list_org text not null,
  list text not null,
  entry_id text not null,
  id text not null,
  position smallint not null,
  name text not null,
  matched_name text not null,
  score numeric(5, 4) not null,
  match_type text not null,
  features jsonb not null,
  programs text[] not null,
  countries text[] not null,
  entry_names text not null,
  decision text check (decision in ('true_match', 'false_positive')),
  primary key (org_id, environment, screening_id, list_org, list, entry_id)
);
comment on column screening_matches.entry_names is 'digest of the names the entry had, as hex';
comment on column screening_matches.decision is 'null while nobody has decided on it';

-- What people decided of a payee and an entry, to be remembered for as long as the names they saw are the same.
create table screening_pairs (
  org_id text not null,
  environment text not null,
  payee_id text not null,
  list_org text not null,
  list text not null,
  entry_id text not null,
  decision text not null check (decision in ('true_match', 'false_positive')),
  exact boolean not null,
  score numeric(5, 4) not null,
  payee_names text not null,
  entry_names text not null,
  screening_id text not null,
  decided_at timestamptz(3) not null,
  decided_by text,
  primary key (org_id, environment, payee_id, list_org, list, entry_id)
);
comment on column screening_pairs.payee_names is 'digest of the names the payee had, as hex; likewise of the entry';
comment on column screening_pairs.exact is 'the match was one of an identifier';

-- How far the payees of a log have been held against what changed in a list. Gone when all of them have.
create table screening_rescreens (
  org_id text not null,
  environment text not null,
  list_org text not null,
  list text not null,
  from_version integer not null,
  to_version integer not null,
  in_full boolean not null,
  after_id text not null default '',
  next_at timestamptz(3) not null,
  primary key (org_id, environment, list_org, list)
) with (fillfactor = 50);
comment on column screening_rescreens.next_at is 'when somebody is to look at it: whoever is at it moves this on';
comment on column screening_rescreens.in_full is 'against all of every list and not only what changed; with an empty list: because of a setting';
create index screening_rescreens_due on screening_rescreens (next_at);

-- Payees -------------------------------------------------------------------------------------------------------------------

alter table payees
  add column screening_id text,
  add column screening_due_at timestamptz(3),
  add column screening_attempts smallint not null default 0;
comment on column payees.screening_id is 'its latest screening';
comment on column payees.screening_due_at is 'when it is to be screened; null: not before it or a list changes';
comment on column payees.screening_state is 'what its latest screening came to; a payee that matched keeps that until it has been screened anew';
update payees set screening_due_at = first_seen_at where screening_state = 'pending';
create index payees_to_screen on payees (org_id, environment, screening_due_at) where screening_due_at is not null;
