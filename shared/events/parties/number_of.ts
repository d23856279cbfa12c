import type { FragmentSqlToken } from 'slonik';
import { sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/**
 * The `number` of an agent or a payee of the tenant by its id, as a row for a lateral join, for statements with a row for
 * each event. A lateral of one row keeps the planner to the primary key.
 */
export const numberOf = (
  table: 'agents' | 'payees',
  { org_id, environment }: Tenant,
  id: FragmentSqlToken,
): FragmentSqlToken => sql.fragment`(
  select number from ${sql.identifier([table])} where org_id = ${org_id} and environment = ${environment} and id = ${id} limit 1)`;
