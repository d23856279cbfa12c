import type { FragmentSqlToken } from 'slonik';
import { lowered, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { SearchQuery } from './query.ts';
import { MOST, noEvent } from './found.ts';

/** Agents by id, external id or part of a name, newest first. */
export const findAgents = (query: SearchQuery, tenant: Tenant): FragmentSqlToken | null =>
  party(query, tenant, {
    kind: 'agent',
    prefix: 'agt',
    columns: sql.fragment`coalesce(name, external_id, id) as title, external_id as detail, null as state`,
    table: 'agents',
    external: 'external_id',
    holds: ({ folded }) => sql.fragment`folded like ${folded}`,
  });

/** Payees by id, key or part of a key or name, newest first. */
export const findPayees = (query: SearchQuery, tenant: Tenant): FragmentSqlToken | null =>
  party(query, tenant, {
    kind: 'payee',
    prefix: 'pye',
    columns: sql.fragment`coalesce(name, key) as title, key as detail, (
      select s.state from payee_screenings s
      where s.org_id = payees.org_id and s.environment = payees.environment and s.payee_id = payees.id) as state`,
    table: 'payees',
    external: 'key',
    holds: ({ folded }) => sql.fragment`folded like ${folded}`,
  });

/** Owners by id, external id or part of a name, newest first. */
export const findOwners = (query: SearchQuery, tenant: Tenant): FragmentSqlToken | null =>
  party(query, tenant, {
    kind: 'owner',
    prefix: 'own',
    columns: sql.fragment`coalesce(name, external_id, id) as title, external_id as detail, null as state`,
    table: 'owners',
    external: 'external_id',
    holds: ({ lower }) =>
      sql.fragment`${lowered(sql.fragment`coalesce(name, '') || ' ' || coalesce(external_id, '')`)} like ${lower}`,
  });

type Party = {
  kind: string;
  prefix: string;
  table: string;
  /** The unique column, beside the id, that people may know the party by. */
  external: string;
  columns: FragmentSqlToken;
  holds: (pattern: NonNullable<SearchQuery['pattern']>) => FragmentSqlToken;
};

/** An exact match uses a unique index; a partial one the trigram index, or the newest rows when many names match. */
function party(query: SearchQuery, tenant: Tenant, { kind, prefix, table, external, columns, holds }: Party) {
  const { id, text, pattern } = query;
  if (id !== null && id.prefix !== prefix) return null;
  const from = sql.fragment`
    from ${sql.identifier([table])} where org_id = ${tenant.org_id} and environment = ${tenant.environment}`;
  const row = sql.fragment`select ${kind} as kind, id, ${columns}, ${noEvent}, first_seen_at as at ${from}`;
  if (id !== null) return sql.fragment`${row} and id = ${id.value}`;
  const exact = sql.fragment`(${row} and ${sql.identifier([external])} = ${text})`;
  if (pattern === null) return exact;
  return sql.fragment`
    ${exact} union (${row} and ${holds(pattern)} order by first_seen_at desc, id desc limit ${MOST})`;
}
