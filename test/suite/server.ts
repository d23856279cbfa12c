import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { SERVICE_ROLE } from '#shared/platform/service_role.ts';
import { migrate, migrateDistributed } from '#sql/migrate.ts';

/** What kind of server the tests run on. */
export type TestServer = { version: number; is_citus: boolean };

/**
 * Makes a migrated template database on the server at TEST_DATABASE_URL, and a login that acts as the service does there. Whoever the URL
 * names must be a superuser: tests stop connections and make databases and roles. On a coordinator of Citus every node gets the template, and
 * clones of it are clones on every node. `close` removes both.
 */
export async function openServer(url: string) {
  const suffix = randomBytes(4).toString('hex');
  const [template, login] = [`oversight_template_${suffix}`, `oversight_test_${suffix}`];
  const password = randomBytes(12).toString('hex');
  const server = await lookAt(url);
  const nodes = [url, ...server.workers.map(node => Object.assign(new URL(url), node).href)];
  const onNodes = async (statement: string) => {
    for (const node of nodes) await run(node, statement);
  };
  await onNodes(`create database ${template}`);
  const owner_url = Object.assign(new URL(url), { pathname: `/${template}` }).href;
  if (server.is_citus) {
    for (const node of nodes)
      await run(Object.assign(new URL(node), { pathname: `/${template}` }).href, 'create extension citus');
    const { hostname, port } = new URL(url);
    await run(owner_url, `select citus_set_coordinator_host('${hostname}', ${port || 5432})`);
    for (const node of server.workers) await run(owner_url, `select citus_add_node('${node.hostname}', ${node.port})`);
  }
  await migrate(owner_url);
  if (server.is_citus) await migrateDistributed(owner_url, { shard_count: 2 });
  // A database that is cloned must have no connection, not even one of Citus' own.
  await onNodes(`alter database ${template} allow_connections false`);
  await onNodes(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${template}'`);
  await run(url, `create role ${login} login password '${password}' in role ${SERVICE_ROLE}`);
  await run(url, `alter role ${login} set role = '${SERVICE_ROLE}'`);
  return {
    environment: {
      TEST_OWNER_URL: url,
      TEST_SERVICE_URL: Object.assign(new URL(url), { username: login, password }).href,
      TEST_TEMPLATE: template,
      TEST_NODES: JSON.stringify(nodes),
      TEST_SERVER: JSON.stringify({ version: server.version, is_citus: server.is_citus } satisfies TestServer),
    },
    async close() {
      await onNodes(`drop database if exists ${template} with (force)`);
      await run(url, `drop role ${login}`);
    },
  };
}

/** Its version, such as 15, and the workers of its cluster when it coordinates one. */
async function lookAt(url: string) {
  const [about] = await run(
    url,
    `select current_setting('server_version_num')::int / 10000 as version, exists (select from pg_extension where extname = 'citus') as is_citus`,
  );
  const { version, is_citus } = about as TestServer;
  const workers = is_citus ? await run(url, 'select nodename, nodeport from pg_dist_node where groupid > 0') : [];
  return {
    version,
    is_citus,
    workers: workers.map(node => ({ hostname: String(node['nodename']), port: String(node['nodeport']) })),
  };
}

async function run(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
