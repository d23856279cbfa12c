-- An invitation is pending until the member has signed in; and a member who has not been seen for long may be removed.

alter table members add column last_seen_at timestamptz(3);
comment on column members.last_seen_at is 'When the member was last here; null before they first sign in.';

update members m set last_seen_at = (
  select max(s.last_seen_at) from sessions s where s.user_id = m.user_id and s.org_id = m.org_id
);
