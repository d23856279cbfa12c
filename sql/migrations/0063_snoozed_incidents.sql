-- An incident can be snoozed: it leaves the queue until a time, or until it has another alert.

alter table incidents
  add column snoozed_until timestamptz(3),
  add column snoozed_alerts int;
comment on column incidents.snoozed_until is 'Until when it is not listed among those that wait; null where nobody snoozed it.';
comment on column incidents.snoozed_alerts is 'How many alerts it had when it was snoozed: with another one it is listed again.';
