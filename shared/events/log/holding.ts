import type { FragmentSqlToken, IdentifierSqlToken } from 'slonik';
import { sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** Columns of events that have an index by `event_key`, see `sql/indexes.sql`. */
type KeyedColumn = 'agent_id' | 'owner_id' | 'payee_id' | 'payment_id';

/** A value, or what an outer query has. */
type Value = string | FragmentSqlToken | IdentifierSqlToken;

/**
 * The condition that an event `e` is the tenant's and has this value in a column, such that its index is used, which
 * goes on in the order of the log. The column is compared within a `coalesce`, of which the planner makes nothing: as a condition beside that of
 * the key it would count twice, and a long walk would seem short.
 */
export const holding = (column: KeyedColumn, { org_id, environment }: Tenant, value: Value): FragmentSqlToken => {
  const name = sql.identifier(['e', column]);
  return sql.fragment`event_key(e.org_id, e.environment, ${name}) = event_key(${org_id}, ${environment}, ${value})
    and e.org_id = ${org_id} and e.environment = ${environment} and coalesce(${name} = ${value}, false)`;
};

/** The same for the amount, by its key (`shared/values/amount_keys.ts`). */
export const holdingPrice = ({ org_id, environment }: Tenant, key: Value): FragmentSqlToken => sql.fragment`
  event_key(e.org_id, e.environment, encode(e.price_key, 'hex')) = event_key(${org_id}, ${environment}, ${key})
    and e.org_id = ${org_id} and e.environment = ${environment} and coalesce(encode(e.price_key, 'hex') = ${key}, false)`;

/** What rail and status share an index by. */
const railStatus = sql.fragment`e.rail || ' ' || e.status`;

/** The same for a rail and a status, with a space between them. */
export const holdingRailStatus = ({ org_id, environment }: Tenant, value: Value): FragmentSqlToken => sql.fragment`
  event_key(e.org_id, e.environment, ${railStatus}) = event_key(${org_id}, ${environment}, ${value})
    and e.org_id = ${org_id} and e.environment = ${environment} and coalesce(${railStatus} = ${value}, false)`;

/**
 * The same for any of these, beside a condition that has an index of its own: the planner knows how many each would leave, and takes the shorter
 * way. Of no use alone, since it says nothing of an order.
 */
export const holdingAnyRailStatus = ({ org_id, environment }: Tenant, values: readonly string[]): FragmentSqlToken => {
  // Slonik joins no empty list: no event has none of them.
  if (values.length === 0) return sql.fragment`false`;
  const keys = values.map(value => sql.fragment`event_key(${org_id}, ${environment}, ${value})`);
  return sql.fragment`event_key(e.org_id, e.environment, ${railStatus}) = any(array[${sql.join(keys, sql.fragment`, `)}]::bigint[])
    and coalesce(${railStatus} = any(${sql.array([...values], 'text')}), false)`;
};

/** The same for any of these values. */
export const holdingAny = (
  column: KeyedColumn,
  { org_id, environment }: Tenant,
  values: readonly string[],
): FragmentSqlToken => {
  const name = sql.identifier(['e', column]);
  const array = sql.array([...values], 'text');
  return sql.fragment`event_key(e.org_id, e.environment, ${name}) = any(array(
      select event_key(${org_id}, ${environment}, v) from unnest(${array}) v))
    and e.org_id = ${org_id} and e.environment = ${environment} and coalesce(${name} = any(${array}), false)`;
};

/** The condition that a row `n` of `alert_events` is the tenant's and links an alert to this event, such that its index is used. */
export const linking = ({ org_id, environment }: Tenant, event_id: Value): FragmentSqlToken => sql.fragment`
  event_key(n.org_id, n.environment, n.event_id) = event_key(${org_id}, ${environment}, ${event_id})
    and n.org_id = ${org_id} and n.environment = ${environment} and n.event_id = ${event_id}`;
