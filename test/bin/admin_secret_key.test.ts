import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { publicKeys, currentSigningKey } from '#shared/ledger/signing_keys.ts';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { createServices } from '#shared/running/services.ts';
import { idOfKey, WrongSecretKey } from '#shared/running/secret_key/canary.ts';
import { createResealing } from '#shared/running/secret_key/reseal.ts';
import { sealedColumns } from '#shared/running/secret_key/sealed_columns.ts';
import { openSecrets, createEndpoint, findSigning, rotateSecret } from '#shared/webhooks/webhook_endpoints.ts';
import { beginTotp, confirmTotp, useTotp } from '#shared/people/totp.ts';
import { findNotificationWebhook, saveNotificationWebhook } from '#shared/people/notification_settings.ts';
import { findWebhookSource } from '#shared/keys/sources.ts';
import { adminOf } from '#test/helpers/admin.ts';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { ownerOf } from '#test/helpers/owner.ts';
import { totpCode } from '#test/helpers/totp.ts';
import { world } from '#test/helpers/world.ts';
import { run } from '#test/helpers/process.ts';
import type { SecretKeys } from '#shared/platform/secret_box.ts';

/** A deployment with one secret of each kind, and what opens it under any keys. */
async function sealedWorld(t: ExecutionContext) {
  const w = await world(t, { own_database: true });
  const { config, db, services, database, tenant } = w;
  const now = Date.now();
  const key = config.secret_key[0];
  const { kid } = await currentSigningKey(services);
  const first = 'a'.repeat(32);
  const endpoint = await createEndpoint(db, config, tenant, { url: 'https://example.com/', secret: first }, now);
  await rotateSecret(db, config, tenant, { id: endpoint.id, secret: 'b'.repeat(32) }, now);
  const given = { name: 'till', kind: 'psp_webhook', psp_scheme: 'stripe', signing_secret: 'whsec_5e1f' };
  const { body: source } = await w.as.post('/v1/sources', given);
  const { user, session_id } = await w.person('developer');
  const whose = { session_id, email: user.email, environment: 'sandbox', user_id: user.id };
  const { secret } = await beginTotp(db, config.secret_key, whose, now);
  await confirmTotp(db, config.secret_key, whose, totpCode(secret, now), now);
  const hook = 'https://hooks.example.com/services/1';
  await saveNotificationWebhook(db, config, tenant, user.id, hook);
  const read = async (keys: SecretKeys) => {
    const signing = await findSigning(db, tenant, endpoint.id);
    const found = await findWebhookSource(db, 'sandbox', source.id, keys);
    return {
      log: (await currentSigningKey({ ...services, config: { ...config, secret_key: keys } })).kid,
      endpoint: openSecrets(keys, endpoint.id, signing, now).map(({ text }) => text[0]),
      source: found?.secret,
      hook: await findNotificationWebhook(db, { ...config, secret_key: keys }, tenant, user.id),
      code: await useTotp(db, keys, user.id, totpCode(secret, now + 30_000), now + 30_000),
    };
  };
  const admin = (...keys: Buffer[]) =>
    adminOf(t, { DATABASE_URL: database.owner_url, SECRET_KEY: keys.map(each => each.toString('base64')).join(',') });
  const start = async (...[newest, ...others]: SecretKeys) => {
    const started = await createServices({ ...config, secret_key: [newest, ...others] }, database, 'test');
    t.teardown(started.close);
    return started;
  };
  const expected = { log: kid, endpoint: ['b', 'a'], source: 'whsec_5e1f', hook, code: true };
  return { ...w, key, kid, endpoint, source, user, read, admin, start, expected };
}

/** Seals anew until nothing of the others is noted any more. */
async function reseal(services: Parameters<typeof createResealing>[0]) {
  const step = createResealing(services);
  // Twice through every column, and what ends a round.
  for (let turn = 0; turn < 2 * (sealedColumns.length + 1); turn += 1) await step();
}

test('a process with another SECRET_KEY does not start, and neither does a command; the message says what to do', async t => {
  const { start, admin, key, database } = await sealedWorld(t);
  const other = randomBytes(32);
  const error = await t.throwsAsync(start(other), { instanceOf: WrongSecretKey });
  t.true(error?.message.includes(idOfKey(key)) && error.message.includes('secret-key lost'));
  t.like(await admin(other).error('org', 'list'), { exit: 1, message: error?.message });
  const settings = { DATABASE_URL: database.owner_url, SECRET_KEY: other.toString('base64') };
  const { code, stderr } = await run(t, 'sql/migrate.ts', [], settings).ended;
  t.is(code, 1);
  t.is(stderr.trim(), error?.message, 'one sentence, no stack');
  await start(key);
  t.is((await admin(key).json('org', 'list')).data.length, 1);
});

test('where no SECRET_KEY is given none is made for a database that another seals', async t => {
  const { key, database } = await sealedWorld(t);
  const DATA_DIR = await temporaryFolder(t);
  const settings = { DATABASE_URL: database.owner_url, DATA_DIR };
  for (const refused of [
    await adminOf(t, settings).type('org', 'list'),
    await run(t, 'sql/migrate.ts', [], settings).ended,
  ]) {
    t.is(refused.code, 1);
    t.true(refused.stderr.startsWith('There is no SECRET_KEY: ') && refused.stderr.includes(idOfKey(key)));
    t.deepEqual(await readdir(DATA_DIR), []);
  }
  for (const looked of ['status', 'lost']) {
    await adminOf(t, settings).json('secret-key', looked);
    t.deepEqual(await readdir(DATA_DIR), []);
  }
  t.true((await adminOf(t, settings).json('secret-key', 'lost', '--confirm')).done);
  t.deepEqual(await readdir(DATA_DIR), ['secret-key']);
  t.is((await adminOf(t, settings).type('org', 'list')).code, 0);
  const another = await sealedWorld(t);
  const moved = adminOf(t, { DATA_DIR, DATABASE_URL: another.database.owner_url });
  t.regex((await moved.error('org', 'list')).message, /^This is not the SECRET_KEY/);
  t.deepEqual(await readdir(DATA_DIR), ['secret-key'], 'one that something is sealed with stays');
});

test('a database of the version before, where nobody noted the key, is refused to a key that opens nothing in it', async t => {
  const { start, key, database } = await sealedWorld(t);
  const asOwner = await ownerOf(t, database);
  await asOwner('delete from secret_key_canaries');
  await t.throwsAsync(start(randomBytes(32)), { instanceOf: WrongSecretKey });
  await start(key);
  await t.throwsAsync(start(randomBytes(32)), { instanceOf: WrongSecretKey });
});

test('a SECRET_KEY is changed: both open, all is sealed anew, and then the earlier one may go', async t => {
  const { start, admin, read, expected, key, config } = await sealedWorld(t);
  const next = randomBytes(32);
  await t.throwsAsync(start(next), { instanceOf: WrongSecretKey });
  await start(key, next);
  const shown = async (...keys: Buffer[]) => (await admin(...keys).type('secret-key', 'status')).stdout;
  const all_under = (of: Buffer) =>
    new RegExp(`^done +true\\ncurrent +${idOfKey(of)}\\nneeded +${idOfKey(of)}\\nsecrets +\\d+\\nto_do +0\\n`);
  t.regex(await shown(key, next), all_under(key));
  const services = await start(next, key);
  t.deepEqual(await read([next, key]), expected);
  const error = await t.throwsAsync(start(next), { instanceOf: WrongSecretKey });
  t.true(error?.message.includes('SECRET_KEY=new,earlier'));
  t.like(await admin(next, key).json('secret-key', 'status'), {
    done: false,
    current: idOfKey(next),
    keys: [
      { id: idOfKey(next), given: true, seals: true, needed: true },
      { id: idOfKey(key), given: true, seals: false, needed: true },
    ],
  });
  await reseal(services);
  const status = await admin(next, key).json('secret-key', 'status');
  t.true(status.done);
  t.regex(await shown(next, key), all_under(next));
  t.true(
    status.secrets.every(
      (of: { total: number; to_do: number; lost: number }) => of.total === 1 && of.to_do + of.lost === 0,
    ),
  );
  await start(next);
  await t.throwsAsync(start(key), { instanceOf: WrongSecretKey });
  await t.throwsAsync(read([key]));
  t.is((await publicKeys({ db: services.db, config: { ...config, secret_key: [next] } })).keys.length, 1);
  t.like(await read([next]), { ...expected, code: false }, 'the code was used above');
});

test('what a process that was not restarted yet seals with the earlier key is sealed anew as well', async t => {
  const { start, read, expected, key, config, tenant, endpoint, admin } = await sealedWorld(t);
  const next = randomBytes(32);
  const services = await start(next, key);
  await reseal(services);
  await rotateSecret(services.db, config, tenant, { id: endpoint.id, secret: 'c'.repeat(32) }, Date.now());
  t.false((await admin(next, key).json('secret-key', 'status')).done);
  await reseal(services);
  t.deepEqual(await read([next]), { ...expected, endpoint: ['c', 'a'] });
});

test('who has lost the SECRET_KEY is told what that costs, and goes on: anew what can be, disabled what cannot', async t => {
  const { admin, start, kid, endpoint, source, user, services, config, read } = await sealedWorld(t);
  const next = randomBytes(32);
  const lost = {
    keys: [idOfKey(config.secret_key[0])],
    log_signing_keys: [kid],
    public_keys: [kid],
    webhook_endpoints: [endpoint.id],
    sources: [source.id],
    second_factors: [user.id],
    notification_webhooks: [user.id],
  };
  t.deepEqual(await admin(next).json('secret-key', 'lost'), { done: false, ...lost });
  await t.throwsAsync(start(next), { instanceOf: WrongSecretKey });
  t.deepEqual(await admin(next).json('secret-key', 'lost', '--confirm'), { done: true, ...lost });
  const { db } = await start(next);
  const holder = { ...services, db, config: { ...config, secret_key: [next] as const } };
  const { keys } = await publicKeys(holder);
  t.is(keys.length, 2, 'what was signed can still be checked');
  t.not((await currentSigningKey(holder)).kid, kid);
  const { endpoint: secrets, ...others } = await read([next]);
  t.like(others, { source: null, hook: null, code: false });
  t.is(secrets.length, 1);
  const { data } = await admin(next).json('webhook-endpoint', 'list', '--org', 'Acme');
  t.is(data[0].state, 'disabled');
  const total = await db.oneFirst(sql.type(z.object({ total: z.number() }))`
    select count(*)::int as total from audit_log where action in ('webhook_endpoint.secret_lost', 'source.secret_lost')`);
  t.is(total, 2);
  t.true((await admin(next).json('secret-key', 'status')).done);
  t.deepEqual((await admin(next).json('secret-key', 'lost', '--confirm')).keys, [], 'there is nothing more to lose');
  t.regex((await admin(next).type('secret-key', 'lost')).stdout, /^Nothing is lost/);
});

test('every column that holds something sealed is sealed anew, or held for a while only', async t => {
  const { db } = await world(t);
  const rows = await db.any(sql.type(z.object({ name: z.string() }))`
    select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attname like '%sealed%'`);
  const passing = ['pending_totp.sealed_secret', 'secret_key_canaries.sealed'];
  t.deepEqual(
    rows.map(({ name }) => name).toSorted(),
    [...sealedColumns.map(({ name }) => name), ...passing].toSorted(),
  );
});
