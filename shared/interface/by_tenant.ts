import type { Tenant } from './schemas.ts';

/** How many organizations are worked on at once: each takes a connection, and waits for its commit. */
const AT_ONCE = 4;

/**
 * Does something for each organization and environment that rows are of, with these rows, a few at once, and answers with all that came of it.
 * What is due is found over all organizations by a plain read, and taken in hand one organization at a time: on a cluster each such statement goes
 * to one node. An organization that fails holds up no others, whose rows are claimed by now; what it threw is thrown where nothing else came.
 */
export async function byTenant<Row extends Tenant, Result>(
  rows: readonly Row[],
  work: (tenant: Tenant, rows: readonly Row[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  const errors: unknown[] = [];
  const groups = Map.groupBy(rows, ({ org_id, environment }) => `${org_id} ${environment}`).values();
  const workOff = async () => {
    for (const own of groups) {
      const [first] = own;
      if (!first) continue;
      try {
        results.push(...(await work({ org_id: first.org_id, environment: first.environment }, own)));
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, workOff));
  if (results.length === 0 && errors.length > 0) throw errors[0];
  return results;
}
