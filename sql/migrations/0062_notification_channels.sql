-- Members may be told by an incoming webhook such as Slack's, are left alone in quiet hours, and may ask for a daily summary.

alter table notification_settings
  add column digest boolean not null default false,
  add column digest_at timestamptz(3),
  add column time_zone text not null default 'UTC',
  add column quiet_from text,
  add column quiet_to text,
  add column webhook_host text,
  add column sealed_webhook bytea;
create index notification_settings_digest on notification_settings (digest_at) where digest_at is not null;
comment on column notification_settings.digest is 'Whether they get a summary each day.';
comment on column notification_settings.digest_at is 'When the next summary is due; null without one.';
comment on column notification_settings.time_zone is 'The time zone of quiet hours and of the summary, by its IANA name.';
comment on column notification_settings.quiet_from is 'When quiet hours begin, as `22:00`; null without them.';
comment on column notification_settings.quiet_to is 'When they end.';
comment on column notification_settings.webhook_host is 'The host of the incoming webhook that they are told by; null: by mail.';
comment on column notification_settings.sealed_webhook is 'Its URL, sealed: whoever has it can write there.';

alter table notifications
  add column held_until timestamptz(3),
  drop constraint notifications_kind_check,
  add constraint notifications_kind_check check (kind in ('incident', 'assignment', 'mention', 'digest'));
comment on column notifications.held_until is 'Until when quiet hours hold it back; null where they do not.';
