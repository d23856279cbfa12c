-- The events of an incident are those that its alerts are linked to: they are not written twice.
drop table incident_events;
