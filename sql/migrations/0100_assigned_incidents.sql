-- An incident can be assigned to a member.

alter table incidents add column assignee_id text;
comment on column incidents.assignee_id is 'Who looks into it (users.id); null if nobody.';
comment on column notifications.entry_id is 'The entry of the timeline (case_timeline.id) that it is about; when an incident was assigned; else empty.';
comment on column notification_settings.assignments is 'Whether cases and incidents that others assign to them are mailed.';
