-- A number for a value of a tenant, which indexes of long tables begin with: 8 bytes instead of an organization, an environment and an id.
-- Two values may have the same number, so whoever looks by it compares the columns too.
create function event_key(org_id text, environment text, value text) returns bigint
language sql immutable parallel safe
return hashtextextended(org_id || environment || value, 0);
