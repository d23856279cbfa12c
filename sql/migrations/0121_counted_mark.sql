-- An alert that grows by a payment at a time need not look up the events of all that it counted before.

alter table alerts add column counted_until bigint, add column counted_mark bigint;
comment on column alerts.counted_until is
  'Of each payment that its words are about, the latest event then; this is the last of them in the log. Null: none, or before this was noted.';
comment on column alerts.counted_mark is 'A fingerprint of these events: as long as it is the same, so are they.';
