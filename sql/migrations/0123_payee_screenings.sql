-- What the latest screening of a payee came to is written again and again, and the payee itself hardly ever: apart from each other, a screening
-- does not write to the indexes of the payees, that of their names above all.
lock table payees in access exclusive mode;

create table payee_screenings (
  org_id text not null,
  environment text not null,
  payee_id text not null,
  state text not null default 'pending',
  score numeric(5,4),
  match text,
  screening_id text,
  first_seen_at timestamptz(3) not null,
  due_at timestamptz(3),
  attempts smallint not null default 0,
  primary key (org_id, environment, payee_id)
);
comment on table payee_screenings is 'What the latest screening of each payee came to, and when it is to be screened again.';
comment on column payee_screenings.org_id is 'The organization (organizations.id).';
comment on column payee_screenings.environment is '`sandbox` or `production`, which never meet.';
comment on column payee_screenings.payee_id is 'The payee (payees.id).';
comment on column payee_screenings.state is 'What its latest screening came to. A payee that matched keeps that until it has been screened anew.';
comment on column payee_screenings.score is 'The score of the best match in its latest screening, from 0 to 1.';
comment on column payee_screenings.match is 'The name of the best match in its latest screening.';
comment on column payee_screenings.screening_id is 'Its latest screening (screenings.id).';
comment on column payee_screenings.first_seen_at is 'When the payee was first named in an event (payees.first_seen_at), by which lists of one state are ordered.';
comment on column payee_screenings.due_at is 'When it is to be screened; null: not before it or a list changes.';
comment on column payee_screenings.attempts is 'How many screenings in a row could not be made.';

insert into payee_screenings (org_id, environment, payee_id, state, score, match, screening_id, first_seen_at, due_at, attempts)
select org_id, environment, id, screening_state, screening_score, screening_match, screening_id, first_seen_at, screening_due_at, screening_attempts
from payees;

create index payee_screenings_by_state on payee_screenings (org_id, environment, state, first_seen_at, payee_id);
create index payee_screenings_due on payee_screenings (org_id, environment, due_at) where due_at is not null;
create index payee_screenings_flagged on payee_screenings (org_id, environment, payee_id) where state in ('potential_match', 'confirmed_match');
grant select, insert, update, delete on payee_screenings to oversight_service;

drop index payees_by_screening_state, payees_flagged, payees_to_screen;
alter table payees drop column screening_state, drop column screening_score, drop column screening_match, drop column screening_id,
  drop column screening_due_at, drop column screening_attempts;
