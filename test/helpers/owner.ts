import type { ExecutionContext } from 'ava';
import pg from 'pg';
import type { Database } from '#shared/running/open_database.ts';

/** Does as the owner of the database what the service may not: with `$1` and so on in the statement. Answers with the number of rows. */
export async function ownerOf(t: ExecutionContext, { owner_url }: Database) {
  const client = new pg.Client({ connectionString: owner_url });
  await client.connect();
  t.teardown(() => client.end());
  // What Citus wants before a trigger of a table that it spreads is changed.
  await client.query('set citus.enable_unsafe_triggers = on');
  return async (statement: string, values: unknown[] = []): Promise<number> =>
    (await client.query(statement, values)).rowCount ?? 0;
}
