import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Database } from '#shared/running/open_database.ts';

/**
 * A database of this test's own, cloned from the migrated template (about 20 ms) or another one, and dropped in the end; on every node where
 * the tests run on a cluster (see test/suite/server.ts).
 */
export async function testDatabase(
  teardown: (end: () => Promise<void>) => void,
  template = process.env['TEST_TEMPLATE'] ?? 'oversight_template',
): Promise<Database> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const owner = new URL(required('TEST_OWNER_URL'));
  const nodes: string[] = JSON.parse(process.env['TEST_NODES'] ?? JSON.stringify([owner.href]));
  const onNodes = async (statement: string): Promise<void> => {
    await Promise.all(nodes.map(node => asOwner(node, statement)));
  };
  await onNodes(`create database ${name} template ${template} strategy file_copy`);
  // One after the other: what is at work on one node may wait to be let into the next, and for whoever drops that.
  teardown(async () => {
    for (const node of nodes) await drop(node, name);
  });
  const service = new URL(required('TEST_SERVICE_URL'));
  const [owner_url, service_url] = [owner, service].map(
    url => Object.assign(new URL(url), { pathname: `/${name}` }).href,
  );
  if (!owner_url || !service_url) throw new Error('unreachable');
  return { owner_url, service_url, role: undefined, embedded: undefined };
}

/** Tries again where one of Citus' own connections comes in meanwhile. */
async function drop(node: string, name: string, tries = 10): Promise<void> {
  try {
    await asOwner(node, `drop database if exists ${name} with (force)`);
  } catch (error) {
    if (tries === 1 || (error as { code?: string }).code !== '55006') throw error;
    await drop(node, name, tries - 1);
  }
}

const clerks = new Map<string, pg.Pool>();

/** Over one connection for all databases of this process, which does not keep it from ending. */
async function asOwner(url: string, statement: string) {
  const clerk = clerks.get(url) ?? new pg.Pool({ connectionString: url, max: 1, allowExitOnIdle: true });
  clerks.set(url, clerk);
  await clerk.query(statement);
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error('Run the tests with `npm test` (or `npm test -- test/api/events.test.ts` for one file).');
  return value;
}
