-- What needs a person first: open incidents in an order that weighs severity, money and how long they have waited.

create function incident_urgency(severity text, amount_usd_micro numeric, created_at timestamptz) returns int
  language sql immutable parallel safe
  return 200 * severity_rank(severity)
    + 100 * case when amount_usd_micro >= 995000 then least(length(div(div(amount_usd_micro + 5000, 10000), 100)::text), 6) else 0 end
    - floor(extract(epoch from created_at - timestamptz '2020-01-01 00:00:00+00') / 3600)::int;
create index incidents_open_by_urgency on incidents (org_id, environment, incident_urgency(severity, amount_usd_micro, created_at), id)
  where state = 'open';
