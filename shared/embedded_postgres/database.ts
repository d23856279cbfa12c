import { Client, escapeLiteral } from 'pg';
import { errorCode } from '#shared/values/file_trouble.ts';
import type { Hold } from './hold.ts';

const LOCK = 7_232_101_600_002;

/**
 * Ensures the database `oversight` and its login role `oversight_service`, which owns nothing and may only connect and use temporary
 * tables: migrations grant the rest. At every opening, since the cluster may have been copied and the password file recreated; the lock is
 * only taken when there is something to do.
 */
export const prepareDatabase = async ({ client, port }: Hold, service_password: string) => {
  if (await isPrepared(client, port, service_password)) return;
  await client.query(`select pg_advisory_lock(${LOCK})`);
  try {
    if (!(await isPrepared(client, port, service_password))) await prepare(client, service_password);
  } finally {
    await client.query(`select pg_advisory_unlock(${LOCK})`);
  }
};

const isPrepared = async (client: Client, port: number, password: string) => {
  const { rows } = await client.query<{ prepared: boolean }>(`
    select exists (
      select from pg_roles r, pg_database d
      where rolname = 'oversight_service' and datname = 'oversight' and rolcanlogin
        and not (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls)
        and has_database_privilege(r.oid, d.oid, 'connect') and has_database_privilege(r.oid, d.oid, 'temporary')
        and not has_database_privilege('public', 'postgres', 'connect')) as prepared`);
  return rows[0]?.prepared === true && (await serviceMayLogIn(port, password));
};

const prepare = async (client: Client, password: string) => {
  const existing = await client.query<{ role: boolean; database: boolean }>(`
    select exists (select from pg_roles where rolname = 'oversight_service') as role,
      exists (select from pg_database where datname = 'oversight') as database`);
  const { role, database } = existing.rows[0] ?? {};
  if (!database) await client.query('create database oversight');
  await client.query(`
    ${role ? 'alter' : 'create'} role oversight_service with login
      nosuperuser nocreatedb nocreaterole noreplication nobypassrls password ${escapeLiteral(password)};
    -- the service logs its own errors; here they would fill the log and could show row values
    alter role oversight_service set log_min_messages = 'log';
    revoke connect on database postgres, template1 from public;
    grant connect, temporary on database oversight to oversight_service`);
};

const serviceMayLogIn = async (port: number, password: string) => {
  const login = { host: '127.0.0.1', port, user: 'oversight_service', password, database: 'oversight', ssl: false };
  const client = new Client({ ...login, connectionTimeoutMillis: 5000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (errorCode(error) === '28P01') return false;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
};
