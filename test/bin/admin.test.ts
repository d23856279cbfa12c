import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { allScopes } from '#shared/interface/scopes.ts';
import { insertDeliveries } from '#shared/webhooks/webhook_deliveries.ts';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { adminOf, adminProcessOf, settingsOf } from '#test/helpers/admin.ts';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { run } from '#test/helpers/process.ts';
import { event } from '#test/helpers/make.ts';
import { ownerOf } from '#test/helpers/owner.ts';
import { world } from '#test/helpers/world.ts';

/** The tool on the database of a running service. */
async function operator(t: ExecutionContext) {
  const here = await world(t, { own_database: true });
  return { ...here, admin: adminOf(t, settingsOf(here)) };
}

const id = (prefix: string) => new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`);
const namesOf = (record: object) => Object.keys(record).toSorted();

test('an organization is made and listed', async t => {
  const { admin, tenant } = await operator(t);
  const made = await admin.json('org', 'create', '--name', 'Zürich & Söhne');
  t.deepEqual(namesOf(made), ['id', 'name']);
  t.regex(made.id, id('org'));
  t.deepEqual(await admin.json('org', 'list'), { data: [{ id: tenant.org_id, name: 'Acme' }, made] });
});

test('an organization’s name is its own, not blank, and not cut', async t => {
  const { admin } = await operator(t);
  t.like(await admin.error('org', 'create', '--name', 'Acme'), { exit: 1, code: 'conflict' });
  t.like(await admin.error('org', 'create', '--name', '  '), {
    exit: 1,
    details: [{ path: '/name', code: 'required' }],
  });
  const long = 'x'.repeat(200);
  t.is((await admin.json('org', 'create', '--name', long)).name, long);
  t.like(await admin.error('org', 'create', '--name', `${long}x`), { exit: 1, details: [{ path: '/name' }] });
  t.is((await admin.json('org', 'list')).data.length, 2);
});

test('a key that the tool makes works, with the scopes that were asked for', async t => {
  const { admin, tenant, client } = await operator(t);
  const create = (...more: string[]) => admin.json('key', 'create', '--org', tenant.org_id, '--name', 'till', ...more);
  const made = await create();
  t.deepEqual(namesOf(made), [
    'created_at',
    'created_by',
    'env',
    'expires_at',
    'id',
    'ip_allowlist',
    'key',
    'last_used_at',
    'name',
    'prefix',
    'revoked_at',
    'scopes',
  ]);
  t.like(made, {
    name: 'till',
    env: 'test',
    scopes: ['events:write'],
    last_used_at: null,
    revoked_at: null,
    created_by: null,
  });
  t.regex(made.id, id('key'));
  t.is(made.prefix, made.key.slice(0, 12));
  const as = client(made.key);
  t.is((await as.post('/v1/events', event())).status, 201);
  t.is((await as.get('/v1/events')).status, 403);
  t.like(await create('--expires-at', '2126-01-31T00:00:00+01:00', '--ip-allowlist', '192.0.2.0/24, 2001:db8::1'), {
    expires_at: '2126-01-30T23:00:00.000Z',
    ip_allowlist: ['192.0.2.0/24', '2001:db8::1/128'],
  });
  t.deepEqual((await create('--scopes', 'all')).scopes, allScopes);
  t.deepEqual((await create('--scopes', 'events:read, alerts:read,events:read')).scopes, [
    'events:read',
    'alerts:read',
  ]);
  for (const scopes of ['', 'everything', 'all,events:read', 'events:read,'])
    t.like(await admin.error('key', 'create', '--org', 'Acme', '--name', 'x', '--scopes', scopes), {
      exit: 1,
      code: 'invalid_request',
      details: [{ path: '/scopes' }],
    });
});

test('keys are listed without the key, and revoked for good', async t => {
  const { admin, tenant, key, client } = await operator(t);
  const made = await key(tenant.org_id, ['events:read']);
  const { data } = await admin.json('key', 'list', '--org', 'Acme');
  t.is(data.length, 2);
  const { key: full, ...shown } = made;
  t.deepEqual(data[0], shown);
  const revoked = await admin.json('key', 'revoke', '--org', 'Acme', '--id', made.id.toLowerCase());
  t.like(revoked, { id: made.id, name: 'test' });
  t.is((await client(full).get('/v1/events')).status, 401);
  const again = await admin.json('key', 'revoke', '--org', 'Acme', '--id', made.id);
  t.is(again.revoked_at, revoked.revoked_at);
  t.like(await admin.error('key', 'revoke', '--org', 'Acme', '--id', newId('key')), { exit: 1, code: 'not_found' });
});

test('an organization is named by id, in any case, or by its exact name', async t => {
  const { admin, tenant, organization, key } = await operator(t);
  const other = await organization('Rival');
  const theirs = await key(other.id);
  const right = [tenant.org_id, tenant.org_id.toLowerCase(), 'Acme', ' Acme '];
  for (const { data } of await Promise.all(right.map(name => admin.json('key', 'list', '--org', name))))
    t.is(data.length, 1);
  const wrong = ['acme', 'Acm', 'Acme%', newId('org')];
  for (const error of await Promise.all(wrong.map(name => admin.error('key', 'list', '--org', name))))
    t.like(error, { exit: 1, code: 'not_found' });
  t.like(await admin.error('key', 'revoke', '--org', 'Acme', '--id', theirs.id), { exit: 1, code: 'not_found' });
});

test('a webhook endpoint is made, listed without its secret, given a new one, and disabled', async t => {
  const { admin, tenant } = await operator(t);
  const command = (verb: string, ...more: string[]) => admin.json('webhook-endpoint', verb, '--org', 'Acme', ...more);
  const made = await command('create', '--url', 'https://example.com/hook');
  t.deepEqual(namesOf(made), ['id', 'secret', 'state', 'url']);
  t.like(made, { url: 'https://example.com/hook', state: 'active' });
  t.regex(made.id, id('whe'));
  t.true(made.secret.length >= 32);
  const secret = 's'.repeat(32);
  const second = await command('create', '--url', 'http://localhost:9/hook', '--secret', secret);
  t.is(second.secret, secret);
  const { data } = await command('list');
  t.deepEqual(
    data.map((item: { id: string }) => item.id),
    [second.id, made.id],
  );
  t.deepEqual(namesOf(data[0]), ['created_at', 'id', 'state', 'url']);
  const rotated = await command('rotate-secret', '--id', made.id);
  t.like(rotated, { id: made.id, state: 'active' });
  t.not(rotated.secret, made.secret);
  t.like(await command('disable', '--id', made.id), { id: made.id, state: 'disabled' });
  t.deepEqual(namesOf((await command('list')).data[1]), namesOf(data[1]));
  const refuse = (...more: string[]) => admin.error('webhook-endpoint', ...more, '--org', tenant.org_id);
  t.like(await refuse('create', '--url', 'ftp://example.com'), { exit: 1, details: [{ path: '/url' }] });
  t.like(await refuse('create', '--url', 'https://example.com', '--secret', 'short'), {
    exit: 1,
    details: [{ path: '/secret' }],
  });
  t.like(await refuse('disable', '--id', newId('whe')), { exit: 1, code: 'not_found' });
});

test('deliveries are listed with their attempts and sent again one by one or since a time', async t => {
  const { admin, tenant, db } = await operator(t);
  const endpoint = await admin.json('webhook-endpoint', 'create', '--org', 'Acme', '--url', 'http://localhost:9/hook');
  const told = () => ({ type: 'alert.created' as const, data: { alert_id: newId('alr'), event_id: newId('evt') } });
  await insertDeliveries(db, tenant, [told(), told()], Date.now());
  const list = async (...more: string[]) => (await admin.json('deliveries', 'list', '--org', 'Acme', ...more)).data;
  const [newest, oldest] = await list();
  t.like(oldest, { endpoint_id: endpoint.id, type: 'alert.created', state: 'pending', attempts: [] });
  t.true(newest.id > oldest.id);
  t.deepEqual(
    [
      (await list('--state', 'pending')).length,
      (await list('--state', 'delivered')).length,
      (await list('--limit', '1')).length,
    ],
    [2, 0, 1],
  );
  t.deepEqual(await admin.json('deliveries', 'replay', '--id', newest.id), { replayed: 1 });
  const since = ['--endpoint', endpoint.id, '--since', '2020-01-01T00:00:00Z'];
  t.deepEqual(await admin.json('deliveries', 'replay', ...since), { replayed: 0 }, 'what is pending is on its way');
  const noted = await db.anyFirst(
    sql.type(z.object({ action: z.string() }))`select action from audit_log where action like '%replayed' order by id`,
  );
  t.deepEqual(noted, ['webhook_delivery.replayed', 'webhook_endpoint.replayed']);
  for (const [wrong, details] of [
    [['list', '--org', 'Acme', '--state', 'lost'], [{ path: '/state' }]],
    [['list', '--org', 'Acme', '--limit', '0'], [{ path: '/limit' }]],
    [['replay', '--endpoint', endpoint.id, '--since', 'yesterday'], [{ path: '/since' }]],
    [['replay', '--endpoint', endpoint.id], undefined],
    [['replay'], undefined],
    [['replay', '--id', newId('whd')], undefined],
  ] as const)
    t.like(await admin.error('deliveries', ...wrong), { exit: 1, ...(details && { details }) });
});

test('exchange rates are loaded from a file, all of them or none', async t => {
  const here = await operator(t);
  const { admin, as } = here;
  const folder = await temporaryFolder(t);
  const load = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const good = await load('good.csv', `\ufeffdate,currency,usd_per_unit\n${day},EUR,1.10\n${day},EUR,1.20\n`);
  t.deepEqual(await admin.json('rates', 'load', good), { loaded: 1 });
  await as.post('/v1/events', event({ cents: '1000', currency: 'EUR' }));
  t.is((await as.get('/v1/events')).body.data[0].payment.amount_usd_minor, '1200');
  const bad = await load('bad.csv', `date,currency,usd_per_unit\n${day},GBP,1.30\n${day},XXQ,1\n`);
  const { message, ...refused } = await admin.error('rates', 'load', bad);
  t.like(refused, { exit: 1, code: 'invalid_request' });
  t.regex(message, /Line 3.*Nothing was loaded/);
  for (const file of [join(folder, 'missing.csv'), folder, await load('empty.csv', '')])
    t.like(await admin.error('rates', 'load', file), { exit: 1, code: 'invalid_request' });
  const away = adminOf(t, { ...settingsOf(here), RATES: 'https://127.0.0.1:1/rates.csv' });
  t.regex((await away.error('rates', 'fetch')).message, /\w\. The rates that were there stay in use\.$/);
});

test('a command that was mistyped exits 2 and says what is wrong', async t => {
  const { admin } = await operator(t);
  const wrong: [string[], RegExp][] = [
    [[], /Name a command/],
    [['org'], /Name a command/],
    [['orgs'], /unknown command 'orgs'/],
    [['org', 'make'], /unknown command 'make'/],
    [['org', 'help'], /unknown command 'help'/],
    [['org', 'create'], /--name/],
    [['org', 'create', '--name'], /--name/],
    [['org', 'create', '--name', 'a', '--colour', 'red'], /--colour/],
    [['org', 'create', '--nme', 'a'], /unknown option '--nme'/],
    [['org', 'create', 'extra', '--name', 'a'], /extra/],
    [['org', 'create', '--name', '--bogus'], /--name needs a value/],
    [['rates', 'load'], /file/],
  ];
  const errors = await Promise.all(wrong.map(([words]) => admin.error(...words)));
  for (const [index, [words, message]] of wrong.entries()) {
    t.like(errors[index], { exit: 2, code: 'invalid_request' }, words.join(' '));
    t.regex(errors[index]?.message ?? '', message);
  }
  t.deepEqual((await admin.json('org', 'list')).data.length, 1);
});

test('without --json a person reads the answer on stdout and the error on stderr', async t => {
  const here = await world(t, { own_database: true });
  const admin = adminProcessOf(t, settingsOf(here));
  t.deepEqual(await admin.type('org', 'list'), {
    code: 0,
    signal: null,
    stdout: `id                              name\n${here.tenant.org_id}  Acme\n`,
    stderr: '',
  });
  t.like(await admin.type('key', 'list', '--org', 'Nobody'), {
    code: 1,
    stdout: '',
    stderr: 'No such organization.\n',
  });
  const mistyped = await admin.type('org', 'make');
  t.deepEqual([mistyped.code, mistyped.stdout], [2, '']);
  t.regex(mistyped.stderr, /unknown command 'make'/);
  const commands = await admin.type('--help');
  t.deepEqual([commands.code, commands.stderr], [0, '']);
  t.regex(commands.stdout, /\n +deliveries \[options\] +list, replay\n/);
  const help = await admin.type('key', 'create', '--help');
  t.deepEqual([help.code, help.stderr], [0, '']);
  t.regex(help.stdout, /--scopes/);
});

test('a database that is not there is said in a sentence', async t => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const admin = adminProcessOf(t, { DATABASE_URL: `postgres://a@${host}:1/b`, DATA_DIR: await temporaryFolder(t) });
    const { message, ...error } = await admin.error('org', 'list');
    t.deepEqual(error, { exit: 1, code: 'unavailable' });
    t.is(message, 'The database cannot be reached (ECONNREFUSED). Check DATABASE_URL.');
  }
  const settings = { DATABASE_URL: 'postgres://a@127.0.0.1:1/b', DATA_DIR: await temporaryFolder(t) };
  for (const [file = '', ...words] of [['sql/migrate.ts'], ['api/main.ts'], ['workers/main.ts', 'detect']])
    t.like(await run(t, file, words, settings).ended, {
      code: 1,
      stderr: 'The database cannot be reached (ECONNREFUSED). Check DATABASE_URL.\n',
    });
});

test('a database whose disk is full is said in a sentence', async t => {
  const { admin, database } = await operator(t);
  const asOwner = await ownerOf(t, database);
  await asOwner(`create function grow() returns trigger language plpgsql as $$ begin
    raise 'could not extend file "base/5/1": No space left on device' using errcode = '53100'; end $$;
    create trigger grow before insert on organizations execute function grow()`);
  const { message, ...error } = await admin.error('org', 'create', '--name', 'Beta');
  t.deepEqual(error, { exit: 1, code: 'unavailable' });
  t.regex(message, /^The disk of the database is full/);
});

test('two commands at once on a fresh data directory wait for each other, one says that it prepared it, and the data stays', async t => {
  const admin = adminProcessOf(t, { DATA_DIR: await temporaryFolder(t) });
  const typed = await Promise.all(['One', 'Two'].map(name => admin.type('org', 'create', '--name', name, '--json')));
  const said = typed.map(({ stderr }) => stderr).join('');
  t.regex(said, /^Database prepared \(\d+ migrations, up to \d{4}_\w+\)\.\n$/);
  const made = typed.map(({ stdout }) => JSON.parse(stdout));
  const { data } = await admin.json('org', 'list');
  t.deepEqual(data.map(({ name }: { name: string }) => name).toSorted(), ['One', 'Two']);
  t.deepEqual(data.map((item: { id: string }) => item.id).toSorted(), made.map(item => item.id).toSorted());
});
