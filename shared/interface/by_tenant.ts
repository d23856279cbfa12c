import type { Tenant } from './schemas.ts';

/**
 * Does something for each organization and environment that rows are of, with these rows, one after the other, and answers with all that came of
 * it. What is due is found over all organizations by a plain read, and taken in hand one organization at a time: on a cluster each such statement
 * goes to one node.
 */
export async function byTenant<Row extends Tenant, Result>(
  rows: readonly Row[],
  work: (tenant: Tenant, rows: readonly Row[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const own of Map.groupBy(rows, ({ org_id, environment }) => `${org_id} ${environment}`).values()) {
    const [first] = own;
    if (first) results.push(...(await work({ org_id: first.org_id, environment: first.environment }, own)));
  }
  return results;
}
