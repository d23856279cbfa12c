-- An alert that grows by a payment at a time need not look up the events of all that it counted before.

alter table alerts add column counted_until bigint, add column counted_mark bigint;
comment on column alerts.counted_until is
  'The last place in the log among the events of counted_mark. Null: its words name no newest events of payments, or gather, or are from before this was noted.';
comment on column alerts.counted_mark is
  'A fingerprint of the score and of the events that the words count: the newest of each payment when they were written.';
