-- An incident begins with the first event that its alerts are linked to, which may be long before the one that raised them.

alter table incidents add column evidence_from timestamptz(3);
comment on column incidents.evidence_from is 'When the first of the events occurred that its alerts are linked to; null where it was counted before that was noted.';
