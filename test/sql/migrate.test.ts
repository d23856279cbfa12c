import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { z } from 'zod';
import { startApi } from '#api/server.ts';
import { readConfig } from '#shared/settings/config.ts';
import { sql } from '#shared/platform/db.ts';
import { createErasure } from '#shared/erasure/erasures.ts';
import { createApiKey } from '#shared/keys/api_keys.ts';
import { allScopes } from '#shared/interface/scopes.ts';
import { createOrganization } from '#shared/people/organizations.ts';
import { openDatabase } from '#shared/running/open_database.ts';
import { createServices } from '#shared/running/services.ts';
import { openEmbeddedPostgres } from '#shared/embedded_postgres/open.ts';
import { describeGrants, grantsFile, mendGrants } from '#sql/grants.ts';
import { migrate, migrateUpTo } from '#sql/migrate.ts';
import { closeAfter, preparedFolder } from '#test/helpers/embedded_postgres.ts';
import { createClient } from '#test/helpers/client.ts';
import { event } from '#test/helpers/make.ts';
import { run } from '#test/helpers/process.ts';
import { world } from '#test/helpers/world.ts';
import { startWorkers } from '#workers/run.ts';
import { until } from '#test/helpers/until.ts';

const owner_url = process.env['TEST_OWNER_URL'] ?? '';

async function asSuperuser(...statements: string[]) {
  const client = new pg.Client({ connectionString: owner_url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** An empty database and its owner, who is no superuser; both go with the test. */
async function ownDatabase(t: ExecutionContext, attribute: string): Promise<{ url: string; owner: string }> {
  const owner = `own_${randomBytes(6).toString('hex')}`;
  await asSuperuser(`create role ${owner} login ${attribute} password 'pw'`, `create database ${owner} owner ${owner}`);
  t.teardown(() =>
    asSuperuser(`drop database ${owner} with (force)`, `drop owned by ${owner} cascade`, `drop role ${owner}`),
  );
  const url = Object.assign(new URL(owner_url), { username: owner, password: 'pw', pathname: `/${owner}` }).href;
  return { url, owner };
}

for (const [who, attribute, grant] of [
  // What PostgreSQL 16 gives to whoever made a role.
  ['that made the role', 'createrole', 'with admin option, set false, inherit false'],
  ['that may make no roles and is a member', 'nocreaterole', ''],
] as const) {
  test(`an owner ${who} migrates, again too, and the service works with the same URL`, async t => {
    const { url, owner } = await ownDatabase(t, attribute);
    await asSuperuser(`grant oversight_service to ${owner} ${grant}`);
    t.true((await migrate(url)).length > 0);
    const SECRET_KEY = randomBytes(32).toString('base64');
    const config = readConfig({ DATABASE_URL: url, LOG_LEVEL: 'silent', PORT: '0', SECRET_KEY });
    const { close, ...services } = await createServices(config, await openDatabase(config), 'test');
    t.teardown(close);
    const { db } = services;
    const workers = await startWorkers(services, ['detect']);
    t.teardown(workers.stop);
    const api = await startApi(services);
    t.teardown(api.stop);
    const { id: org_id } = await createOrganization(db, 'sandbox', 'Acme', Date.now());
    const named = { org_id, environment: 'sandbox', env: 'test', name: 'first', created_by: null } as const;
    const { key } = await createApiKey(db, { ...named, scopes: allScopes }, Date.now());
    t.is((await createClient(t, api.address, key).post('/v1/events', event())).status, 201);
    // No schedule runs: that it is analyzed says that the queue took its job.
    const Analyzed = z.object({ seq: z.number() });
    await until(async () => (await db.oneFirst(sql.type(Analyzed)`select seq from detection_cursors`)) === 1);
    t.deepEqual(await migrate(url), []);
  });
}

test('a role that may not migrate is told who may', async t => {
  const member = `only_${randomBytes(6).toString('hex')}`;
  await asSuperuser(`create role ${member} login password 'pw' in role oversight_service`);
  // After its database, in which it may have been given something.
  t.teardown(() => asSuperuser(`drop role ${member}`));
  const { url, owner } = await ownDatabase(t, 'superuser');
  const member_url = Object.assign(new URL(url), { username: member }).href;
  const hint = new RegExp(`permission denied for .*The role ${member} may not .* the owner \\(${owner}\\)`);
  await t.throwsAsync(migrate(member_url), { message: hint });
  await migrate(url);
  await t.throwsAsync(migrate(member_url), { message: hint });
});

test('what was there before anything was verified or held against mandates is looked at once the database is migrated', async t => {
  const { url } = await ownDatabase(t, 'superuser');
  const dbClient = new pg.Client({ connectionString: url });
  await dbClient.connect();
  const dir = fileURLToPath(new URL('../../sql/migrations/*.sql', import.meta.url));
  const options = { dir, useGlob: true, migrationsTable: 'migrations', log: () => {} };
  await runner({ dbClient, ...options, direction: 'up', count: 5 });
  await dbClient.query(`
    insert into event_logs (org_id, environment, size) values ('org_1', 'sandbox', 7), ('org_2', 'sandbox', 0);
    insert into mandates (org_id, environment, id, agent_id, owner_id, name, state, version, human_presence, constraints, source, created_at)
    select org, 'sandbox', 'mnd_1', 'agt_1', 'own_1', 'Supplies', 'active', 1, 'not_required', '[]', 'native', '2026-11-01'
    from unnest(array['org_1', 'org_2']) org`);
  await migrate(url);
  const { rows } = await dbClient.query('select org_id, kind, mandate_id, to_seq::int from rechecks order by id');
  await dbClient.end();
  t.deepEqual(rows, [
    { org_id: 'org_1', kind: 'evidence', mandate_id: null, to_seq: 7 },
    { org_id: 'org_1', kind: 'mandate', mandate_id: 'mnd_1', to_seq: 7 },
  ]);
});

test('alerts are written to while they get a table of their changes, and neither stops the other', async t => {
  const { url } = await ownDatabase(t, 'superuser');
  await migrateUpTo(url, '0090_claimed_backlogs');
  const [writer, clerk] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  await Promise.all([writer.connect(), clerk.connect()]);
  await writer.query(`
    insert into alerts (org_id, environment, id, agent_id, dedup_agent_id, detector, subject, severity, title, explanation, score, incident_id,
      state, created_at)
    values ('org_1', 'sandbox', 'alr_1', 'agt_1', 'agt_1', 'd', 's', 'low', 'before', '', 1, 'inc_1', 'open', '2026-11-01')`);
  // As people and detection do: what is looked up is written to later.
  await writer.query(`begin; select from alerts for update`);
  const migrated = migrate(url);
  const waits = `select from pg_locks l join pg_database d on d.oid = l.database where d.datname = current_database() and not l.granted`;
  await until(async () => (await clerk.query(waits)).rowCount === 1);
  await writer.query(`update alerts set title = 'after'; commit`);
  t.true((await migrated).includes('0091_alert_changes'));
  const { rows } = await clerk.query(
    'select title, c.updated_at >= a.updated_at as is_kept from alerts a join alert_changes c on alert_id = id',
  );
  await Promise.all([writer.end(), clerk.end()]);
  t.deepEqual(rows, [{ title: 'after', is_kept: true }]);
});

test('the service may not change events or evidence but by an erasure that is under way, and may not move a log', async t => {
  const w = await world(t, { own_database: true });
  await w.as.post('/v1/events', event());
  for (const statement of [
    sql.unsafe`update evidence set sha256 = '\\x00'`,
    sql.unsafe`update evidence set event_id = 'x'`,
    sql.unsafe`delete from signed_inputs`,
    sql.unsafe`delete from erased_events`,
    sql.unsafe`update erasures set ground = 'x'`,
    sql.unsafe`update event_logs set org_id = 'x'`,
    sql.unsafe`update events set input = ''`,
  ])
    // On a cluster nobody may move a row from one organization to another.
    await t.throwsAsync(w.db.query(statement), { message: /permission denied|^modifying the partition value/ });
  const { org_id, environment } = w.tenant;
  for (const statement of [
    sql.unsafe`select erase_events(${org_id}, ${environment}, 'ers_1', '{1}', '{"{}"}')`,
    sql.unsafe`select erase_evidence(${org_id}, ${environment}, 'ers_1', 1, 'evd_1')`,
  ])
    await t.throwsAsync(w.db.query(statement), { message: /there is no erasure ers_1 under way/ });
  const erasure_id = (
    await createErasure(w.db, w.tenant, { kind: 'payment', id: 'x' }, { ground: 'x', requested_by: null, now: 1 })
  ).id;
  const [left] = await w.db.anyFirst(sql.type(z.object({ input: z.string() }))`
    select replace(input, '1250', '1') as input from events where org_id = ${org_id}`);
  await w.db.query(sql.unsafe`insert into erased_events values (${org_id}, ${environment}, 1, 1, ${erasure_id}, 'x')`);
  await t.throwsAsync(
    w.db.query(sql.unsafe`select erase_events(${org_id}, ${environment}, ${erasure_id}, '{1}', array[${left ?? ''}])`),
    { message: /would say what it did not say before/ },
  );
});

test('a database that was restored where the role is missing gets role and grants again, and nothing besides', async t => {
  const postgres = closeAfter(t, await openEmbeddedPostgres({ data_dir: await preparedFolder(t) }));
  const client = new pg.Client({ connectionString: postgres.owner_url });
  await client.connect();
  t.teardown(() => client.end());
  const granted = await describeGrants(client);
  t.is(grantsFile(granted), readFileSync('sql/grants.sql', 'utf8'), 'run npm run schema');
  // As pg_restore leaves it, which undoes all of what it says of a table, a function or the role where one part of that fails.
  await client.query(`
    drop owned by oversight_service; drop role oversight_service;
    grant execute on function price_events(text, text, bigint[], numeric[], numeric[], jsonb[]) to public`);
  t.deepEqual(await migrate(postgres.owner_url), []);
  t.deepEqual(await describeGrants(client), granted);
  const { rows } = await client.query(
    `select has_table_privilege('oversight_service', 'events', 'update, delete, truncate') as may`,
  );
  t.deepEqual(rows, [{ may: false }]);
  t.deepEqual(await mendGrants(client, '9999'), [], 'nothing was missing');
  await client.query(
    `revoke update (erasures) on event_logs from oversight_service; insert into migrations (name, run_on) values ('9999_later', now())`,
  );
  await migrate(postgres.owner_url);
  t.deepEqual(
    await mendGrants(client, '9999_later'),
    ['grant update (erasures, has_news, last_received_at, size) on event_logs to oversight_service;'],
    'a newer version may have meant it',
  );
});

test('settings that are no URLs are said in a sentence', async t => {
  for (const [name, value] of [
    ['DATABASE_URL', 'not a url'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['REDIS_URL', 'localhost:6379'],
  ] as const) {
    const { code, stderr } = await run(t, 'sql/migrate.ts', [], { [name]: value }).ended;
    t.is(code, 1);
    t.regex(stderr, new RegExp(`${name}: It must be a URL`));
    t.false(stderr.includes('    at '), 'no stack');
  }
  const away = await run(t, 'sql/migrate.ts', [], { DATABASE_URL: 'postgres://localhost:1/x' }).ended;
  t.is(away.code, 1);
  t.is(away.stderr.trim().split('\n').length, 1, away.stderr);
});

test('migrate shows its usage with --help, refuses what it does not know, and runs nothing then', async t => {
  const { url } = await ownDatabase(t, 'superuser');
  const type = (...words: string[]) => run(t, 'sql/migrate.ts', words, { DATABASE_URL: url }).ended;
  t.like(await type('--help'), { code: 0, stderr: '' });
  const unknown = await type('--distributed', '--bogus');
  t.is(unknown.code, 2);
  t.regex(unknown.stderr, /^There is no argument --bogus\.\nUsage: npm run migrate/);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  const { rows } = await client.query(`select from pg_class where relname = 'migrations'`);
  t.is(rows.length, 0);
});

test('alerts that were raised before there were incidents have one each, with what it comes to', async t => {
  const { url } = await ownDatabase(t, 'superuser');
  const dbClient = new pg.Client({ connectionString: url });
  await dbClient.connect();
  const dir = fileURLToPath(new URL('../../sql/migrations/*.sql', import.meta.url));
  const options = { dir, useGlob: true, migrationsTable: 'migrations', log: () => {} };
  await runner({ dbClient, ...options, direction: 'up', count: 14 });
  await dbClient.query(`
    insert into events (org_id, environment, chain_seq, id, type, occurred_at, received_at, source_id, agent_id, owner_id, payee_id, payment_id,
      rail, status, amount_usd_micro, evidence_count, price_key, event_digest, leaf_hash, input)
    select 'org_1', 'sandbox', seq, 'evt_' || seq, 'payment.settled', '2026-11-20 10:00+00'::timestamptz + seq * interval '1 hour', now(),
      'src_1', 'agt_1', 'own_1', 'pye_1', 'pay_' || seq / 2, 'card', 'settled', case when seq < 4 then seq * 1000000 end, 0, '', '', '', '{}'
    from generate_series(1, 4) seq;
    insert into alerts (org_id, environment, id, agent_id, dedup_agent_id, detector, subject, severity, title, explanation, score, state, created_at)
    select 'org_1', 'sandbox', 'alr_' || n, 'agt_1', 'agt_1', 'velocity_count', n::text, 'high', 'Odd', 'Very.', 70, state, now()
    from (values (1, 'open'), (2, 'dismissed'), (3, 'escalated')) a (n, state);
    insert into alert_events (org_id, environment, alert_id, chain_seq, event_id)
    select 'org_1', 'sandbox', 'alr_1', seq, 'evt_' || seq from generate_series(1, 4) seq`);
  await runner({ dbClient, ...options, direction: 'up', count: 1 });
  const { rows } = await dbClient.query(`
    select i.id, i.state, i.lead_title, i.alert_count, i.event_count, i.amount_usd_micro, i.last_at - i.first_at = interval '3 hours' as long
    from incidents i join alerts a on a.incident_id = i.id join incident_agents g on g.incident_id = i.id order by i.id`);
  await dbClient.end();
  const of = { lead_title: 'Odd', alert_count: '1', event_count: '0', amount_usd_micro: null, long: false };
  t.deepEqual(rows, [
    // pay_0 is 1 dollar, pay_1 at most 3; nobody knows what pay_2 was.
    { ...of, id: 'inc_1', state: 'open', event_count: '4', amount_usd_micro: '4000000', long: true },
    { ...of, id: 'inc_2', state: 'closed' },
    { ...of, id: 'inc_3', state: 'open' },
  ]);
});

test('indexes of long tables are built by whoever comes first, anew where that was interrupted, and the old ones go', async t => {
  const { url } = await ownDatabase(t, 'superuser');
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  const indexes = async () => {
    const { rows } = await client.query<{ name: string; is_valid: boolean }>(`
      select c.relname as name, i.indisvalid as is_valid from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = 'events'::regclass order by c.relname`);
    return rows;
  };
  const built = await indexes();
  t.true(built.length > 0 && built.every(({ is_valid }) => is_valid));
  await client.query(`
    drop index events_key_payee;
    create index events_by_rail on events (rail);
    update pg_index set indisvalid = false where indexrelid = 'events_key_agent'::regclass`);
  await Promise.all([migrate(url), migrate(url), migrate(url)]);
  t.deepEqual(await indexes(), built);
  await client.query(`
    insert into events (org_id, environment, chain_seq, id, type, occurred_at, received_at, source_id, agent_id, owner_id, payee_id, payment_id,
      rail, status, evidence_count, price_key, event_digest, leaf_hash, input)
    values ('org_1', 'sandbox', 1, 'evt_1', 'payment.settled', now(), now(), 'src_1', 'agt_1', 'own_1', 'pye_1', 'pay_1', 'card', 'settled', 0,
      '', '', '', '{}');
    drop index events_key_payee;
    create index events_by_rail on events (rail)`);
  await migrate(url);
  const names = new Set((await indexes()).map(({ name }) => name));
  t.true(names.has('events_key_payee'));
  t.true(names.has('events_by_rail'), 'a version before this one may be at work');
  await migrate(url);
  t.deepEqual(await indexes(), built);
});
