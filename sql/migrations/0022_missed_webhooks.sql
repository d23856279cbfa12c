-- What an endpoint missed is found, counted and sent again in order; its last answers are found, too.

create index webhook_deliveries_failed on webhook_deliveries (org_id, environment, endpoint_id, id) where state = 'failed';
create index webhook_deliveries_answered on webhook_deliveries (org_id, environment, endpoint_id, finished_at)
  where attempt_count > 0 and finished_at is not null;

create table webhook_replays (
  org_id text not null,
  environment text not null,
  endpoint_id text not null,
  current_id text not null,
  last_id text not null,
  began_at timestamptz(3) not null,
  next_at timestamptz(3) not null,
  primary key (org_id, environment, endpoint_id)
);
comment on table webhook_replays is 'The failed deliveries of an endpoint that are being sent again, one after the other. The row goes when the last one has been sent.';
comment on column webhook_replays.org_id is 'The organization (organizations.id).';
comment on column webhook_replays.environment is '`sandbox` or `production`, which never meet.';
comment on column webhook_replays.endpoint_id is 'The endpoint (webhook_endpoints.id).';
comment on column webhook_replays.current_id is 'The delivery that is being sent (webhook_deliveries.id); empty before the first.';
comment on column webhook_replays.last_id is 'The last delivery that is sent again; what fails later is not.';
comment on column webhook_replays.began_at is 'When the current delivery was put in line.';
comment on column webhook_replays.next_at is 'When reconcile looks whether the current delivery has ended without the next being put in line.';
