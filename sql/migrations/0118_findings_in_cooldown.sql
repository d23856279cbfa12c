-- What is found during a cooldown raises no alert, and is kept with the other findings that raise none.
alter table shadow_findings drop constraint shadow_findings_reason_check;
alter table shadow_findings add constraint shadow_findings_reason_check check (reason in ('shadow', 'below_floor', 'cooldown'));
-- Budgets tell of each period once, and need no cooldown; what somebody chose stays.
update detector_settings set cooldown_s = 0 where detector = 'budget_threshold' and cooldown_s = 86400;
