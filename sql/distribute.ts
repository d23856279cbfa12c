import type pg from 'pg';
import { session } from '#shared/platform/db.ts';
import { SERVICE_ROLE } from '#shared/platform/service_role.ts';
import { nameShards } from './shard_triggers.ts';

/** Into how many shards the tables are cut: what Citus is set to, by itself 32, when left out. */
export type DistributeOptions = { shard_count?: number };

/**
 * Spreads the tables over the nodes of a Citus cluster: what belongs to an organization by `org_id`, all of one organization in the same place; what
 * is asked before the organization is known, or together with it, as a copy on every node. The rest stays on the coordinator. Rows that are there
 * are moved. Does what is left to be done and nothing twice. Answers with the tables that it spread. Throws where the database is no coordinator
 * of Citus.
 */
export async function distribute(client: pg.Client, { shard_count }: DistributeOptions = {}): Promise<string[]> {
  await client.query('create extension if not exists citus');
  await letIn(client);
  await tellNodes(client);
  await keepTriggers(client);
  if (shard_count !== undefined) await client.query(`set citus.shard_count = ${shard_count}`);
  for (const statement of shapes) await client.query(statement);
  await nameShards(client);
  const spread = await withoutTriggers(client, async () => [
    ...(await copyToAll(client)),
    ...(await spreadTenants(client)),
  ]);
  await shareFunctions(client);
  return spread;
}

/** Whether the tables of this database are spread over nodes. */
export async function isDistributed(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ is_there: boolean }>(
    `select to_regclass('pg_catalog.pg_dist_partition') is not null as is_there`,
  );
  if (!rows[0]?.is_there) return false;
  const { rowCount } = await client.query(
    `select from pg_dist_partition where logicalrelid = 'public.events'::regclass`,
  );
  return rowCount === 1;
}

/** Nodes go to each other as whom the service acts. A role is of all databases: two that are opened at once must not both change it. */
async function letIn(client: pg.Client) {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1 and rolcanlogin', [SERVICE_ROLE]);
  if (rowCount === 0) await client.query(`alter role ${SERVICE_ROLE} login`);
}

/**
 * What the service's connections are set to is not said to the nodes: theirs are set by the role. With their own time zone, days would be others,
 * and to compile a query over an archive took 3 s.
 */
async function tellNodes(client: pg.Client) {
  const { rows } = await client.query<{ set: string }>(
    'select lower(unnest(setconfig)) as set from pg_db_role_setting where setdatabase = 0 and setrole = $1::regrole',
    [SERVICE_ROLE],
  );
  const set = new Set(rows.map(row => row.set));
  const { timezone, enable_seqscan, jit } = session;
  for (const [name, value] of Object.entries({ timezone, enable_seqscan, jit }))
    if (!set.has(`${name}=${value}`.toLowerCase()))
      await client.query(`alter role ${SERVICE_ROLE} set ${name} = '${value}'`);
}

/** Triggers write to tables of the same organization, which are on the same node: what Citus cannot know, and forbids unless it is told so. */
async function keepTriggers(client: pg.Client) {
  const { rows } = await client.query<{ name: string }>('select quote_ident(current_database()) as name');
  const allow = `alter database ${rows[0]?.name} set citus.enable_unsafe_triggers = on`;
  await client.query(allow);
  await client.query('select * from run_command_on_workers($1)', [allow]);
  await client.query('set citus.enable_unsafe_triggers = on');
}

/** Rows that are moved were noted when they came, and what they were noted in may not be spread yet. */
async function withoutTriggers<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  const { rows } = await client.query<{ name: string }>(`
    select distinct tgrelid::regclass::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not tgisinternal and c.relnamespace = 'public'::regnamespace`);
  const turn = async (word: 'enable' | 'disable') => {
    for (const { name } of rows) await client.query(`alter table ${name} ${word} trigger user`);
  };
  await turn('disable');
  return work().finally(() => turn('enable'));
}

/**
 * Whoever plans a statement of one organization sends it whole to its node, which has to know the functions in it. What does as their owner what
 * the service may not is called there itself, over the connection of the transaction: another's would not see what that has written.
 */
async function shareFunctions(client: pg.Client) {
  const { rows } = await client.query<{ signature: string; is_owners: boolean }>(`
    select p.oid::regprocedure::text as signature, p.prosecdef and 'of_org' = any(p.proargnames) as is_owners from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      and not exists (
        select from pg_catalog.pg_dist_object o
        where o.classid = 'pg_proc'::regclass and o.objid = p.oid
          and (o.force_delegation or not (p.prosecdef and 'of_org' = any(p.proargnames))))`);
  for (const { signature, is_owners } of rows)
    await client.query(
      is_owners
        ? `select create_distributed_function($1::regprocedure, 'of_org', colocate_with => 'events', force_delegation => true)`
        : 'select create_distributed_function($1::regprocedure)',
      [signature],
    );
}

async function copyToAll(client: pg.Client): Promise<string[]> {
  const names = (await unspread(client)).filter(name => copied.has(name));
  for (const name of names) await client.query('select create_reference_table($1::regclass)', [name]);
  return names;
}

async function spreadTenants(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select c.relname::text as name from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind = 'r'
    where c.relnamespace = 'public'::regnamespace and a.attname = 'org_id' and not a.attisdropped`);
  const tenants = new Set(rows.map(({ name }) => name));
  const names = (await unspread(client)).filter(name => tenants.has(name) && !copied.has(name));
  const first = 'events';
  for (const name of names.toSorted((a, b) => Number(b === first) - Number(a === first)))
    await client.query('select create_distributed_table($1::regclass, $2, colocate_with => $3)', [
      name,
      'org_id',
      name === first ? 'none' : first,
    ]);
  return names;
}

async function unspread(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select relname::text as name from pg_class c
    where relnamespace = 'public'::regnamespace and relkind = 'r'
      and not exists (select from pg_dist_partition where logicalrelid = c.oid) and not exists (
        select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by 1`);
  return rows.map(({ name }) => name);
}

/** Small, and read much more than written: whose a key, a share or a session is, and who there is. */
const copied = new Set([
  'api_key_directory',
  'organizations',
  'pack_share_directory',
  'second_factors',
  'sessions',
  'source_directory',
  'users',
]);

/** Adds whose a row is, and makes it part of the key, where an organization's rows are found by a number. */
const withOrganization = (table: string, key: string) => `
  do $$ begin
    if exists (select from pg_attribute where attrelid = '${table}'::regclass and attname = 'org_id' and attnotnull) then return; end if;
    update ${table} t set org_id = a.org_id from agents a where a.number = t.agent and t.org_id is null;
    alter table ${table} alter column org_id set not null, drop constraint ${table}_pkey, add primary key (org_id, ${key});
  end $$`;

/** What is otherwise there: keys of one row an organization do not say whose it is, and what is unique in a shard is not in all. */
const shapes = [
  // They are for a former version beside this one, which never ran on several nodes.
  'drop trigger if exists note_hours_of_agents on agent_hours',
  'drop trigger if exists note_days_of_agents on agent_days',
  withOrganization('hours_of_agents', 'agent, hour'),
  withOrganization('days_of_agents', 'agent, day, payee, rail'),
  'drop index if exists agents_by_number',
  'create index if not exists agents_by_number_there on agents (org_id, number)',
  'drop index if exists payees_by_number',
  'create index if not exists payees_by_number_there on payees (org_id, number)',
];
