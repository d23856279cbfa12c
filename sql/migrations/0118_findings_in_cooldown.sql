-- What is found during a cooldown raises no alert, and is kept with the other findings that raise none.
alter table shadow_findings drop constraint shadow_findings_reason_check;
alter table shadow_findings add constraint shadow_findings_reason_check check (reason in ('shadow', 'below_floor', 'cooldown'));
