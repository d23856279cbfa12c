-- A second report of one settlement has nothing evaluated again: what the payment cost is known to have been the same all the time.
alter table mandate_payments add column alike boolean not null default false;
comment on column mandate_payments.alike is 'Whether all its events that count say the same amount; false where that is not known, as of payments from before it was noted.';
