import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Database } from '#shared/running/services.ts';

/** A database of this test's own, cloned from the migrated template (about 20 ms) or another one, and dropped in the end. */
export async function testDatabase(
  teardown: (end: () => Promise<void>) => void,
  template = 'oversight_template',
): Promise<Database> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const owner = new URL(required('TEST_OWNER_URL'));
  await asOwner(owner.href, `create database ${name} template ${template} strategy file_copy`);
  teardown(() => asOwner(owner.href, `drop database ${name} with (force)`));
  const service = new URL(required('TEST_SERVICE_URL'));
  const [owner_url, service_url] = [owner, service].map(
    url => Object.assign(new URL(url), { pathname: `/${name}` }).href,
  );
  if (!owner_url || !service_url) throw new Error('unreachable');
  return { owner_url, service_url, role: undefined, embedded: undefined };
}

let clerk: pg.Pool | undefined;

/** Over one connection for all databases of this process, which does not keep it from ending. */
async function asOwner(url: string, statement: string) {
  clerk ??= new pg.Pool({ connectionString: url, max: 1, allowExitOnIdle: true });
  await clerk.query(statement);
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error('Run the tests with `npm test` (or `npm test -- test/api/events.test.ts` for one file).');
  return value;
}
