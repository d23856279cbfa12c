-- What the words of an alert count is told apart from what was added to it since.
alter table alerts add column payments integer not null default 0;
comment on column alerts.payments is 'How many payments its words are about; 0 for what was raised before this was kept.';

alter table alert_events add column counted boolean not null default true;
comment on column alert_events.counted is 'The words of the alert are about the payment of this event, as far as it was reported then.';
