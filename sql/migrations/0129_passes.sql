-- A past is judged pass by pass: what comes while one is under way is of the next, and each rests longer than the one before it.
alter table backfills
  alter column from_at drop not null,
  alter column until_at drop not null,
  alter column began_at drop not null,
  add column pass jsonb,
  add column passes integer not null default 0,
  add column rests_until timestamptz(3);
comment on column backfills.events is 'How many such events came since the latest pass began; a few are judged as they come, and nothing again.';
comment on column backfills.from_at is 'When the earliest of them occurred; null if none came.';
comment on column backfills.until_at is 'When the latest of them occurred.';
comment on column backfills.began_at is 'When the first of them was received.';
comment on column backfills.noted_at is 'When the first of them was analyzed.';
comment on column backfills.due_at is 'When a pass is to begin: a while after the latest of them, and soon enough after the first. Of a few, when they are forgotten.';
comment on column backfills.pass is 'What is being judged, part by part: `{from_at, after_seq, until_at, began_at, upto_seq}`, times in milliseconds. What occurred at from_at is judged up to the place after_seq; what lies beyond upto_seq in the log came later. Null: nothing.';
comment on column backfills.passes is 'How many passes there were since nothing came for an hour.';
comment on column backfills.rests_until is 'No pass begins before this; null if there was none.';
