import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openEmbeddedPostgres } from '#shared/embedded_postgres/open.ts';
import { migrate } from '#sql/migrate.ts';
import { describeGrants, grantsFile } from '#sql/grants.ts';
import { describeSchema } from '#sql/schema.ts';

// Writes sql/schema.sql and sql/grants.sql from a database that has just been migrated, so that a change of the schema shows in the diff.
const data_dir = await mkdtemp(join(tmpdir(), 'oversight-schema-'));
// Run as root, PostgreSQL is started as another user, who has to get there.
await chmod(data_dir, 0o711);
const postgres = await openEmbeddedPostgres({ data_dir });
try {
  await migrate(postgres.owner_url);
  writeFileSync(new URL('../sql/schema.sql', import.meta.url), await describeSchema(postgres.owner_url));
  const client = new pg.Client({ connectionString: postgres.owner_url });
  await client.connect();
  writeFileSync(new URL('../sql/grants.sql', import.meta.url), grantsFile(await describeGrants(client)));
  await client.end();
} finally {
  await postgres.close();
  await rm(data_dir, { recursive: true, force: true });
}
