import type { ExecutionContext } from 'ava';
import pg from 'pg';
import type { Database } from '#shared/running/open_database.ts';

/** Does as the owner of the database what the service may not: with `$1` and so on in the statement. Answers with the number of rows. */
export async function ownerOf(t: ExecutionContext, database: Database) {
  const client = await connect(database);
  t.teardown(() => client.end());
  return async (statement: string, values: unknown[] = []): Promise<number> =>
    (await client.query(statement, values)).rowCount ?? 0;
}

/** Runs statements one by one as the owner of the database, over a connection of their own. */
export async function asOwnerOf(database: Database, ...statements: string[]): Promise<void> {
  const client = await connect(database);
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function connect({ owner_url }: Database): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: owner_url });
  await client.connect();
  // What Citus wants before a trigger of a table that it spreads is changed.
  await client.query('set citus.enable_unsafe_triggers = on');
  return client;
}
