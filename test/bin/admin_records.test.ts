import { createHash, generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { selfSigned } from '#test/fixtures/self_signed.ts';
import { adminOf, settingsOf } from '#test/helpers/admin.ts';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { world } from '#test/helpers/world.ts';

/** The tool on the database of a running service, an owner of the organization, and a way to write files for it. */
async function operator(t: ExecutionContext) {
  const here = await world(t, { own_database: true });
  const folder = await temporaryFolder(t);
  return {
    ...here,
    admin: adminOf(t, settingsOf(here)),
    owner: await here.person('owner'),
    async file(content: unknown): Promise<string> {
      const path = join(folder, `${newId('req')}.txt`);
      await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
      return path;
    },
  };
}

const newJwk = () => generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });

test('a mandate is made from a file, as the API would, and the operator stands in the audit log as nobody', async t => {
  const { admin, owner, file, tenant } = await operator(t);
  const body = {
    agent_id: newId('agt'),
    owner_id: newId('own'),
    name: 'Office supplies',
    constraints: [{ type: 'payment.amount_range', max: 5000, currency: 'USD' }],
  };
  const { headers } = await owner.get('/v1/mandates');
  const made = await admin.json('mandate', 'create', '--org', 'Acme', await file(body));
  t.like(made, { state: 'active', version: 1, created_by: null, source: 'native' });
  const seen = await owner.get('/v1/mandates', { 'if-none-match': headers.get('etag') ?? '' });
  t.deepEqual(seen.body.data, [made]);
  const [row] = (await owner.get('/v1/audit-log')).body.data;
  t.like(row, { action: 'mandate.created', actor_id: null, target_id: made.id, request_id: null, after: made });
  t.truthy(tenant.org_id);

  const wrong = await file({ ...body, constraints: [{ type: 'payment.limit' }] });
  t.like(await admin.error('mandate', 'create', '--org', 'Acme', wrong), {
    exit: 1,
    code: 'invalid_request',
    details: [{ path: '/constraints/0/type' }],
  });
  for (const path of [await file('{"a":1,"a":2}'), join(await temporaryFolder(t), 'missing.json')])
    t.like(await admin.error('mandate', 'create', '--org', 'Acme', path), { exit: 1, code: 'invalid_request' });
  t.is((await owner.get('/v1/mandates')).body.data.length, 1);
});

test('a JWK, a set of them and a PEM root are believed from a file, for any use unless one is named', async t => {
  const { admin, owner, file } = await operator(t);
  const add = async (content: unknown, ...more: string[]) =>
    admin.json('trusted-key', 'add', '--org', 'Acme', ...more, await file(content));
  const jwk = newJwk();
  const { crv, kty, x } = jwk;
  const one = await add(jwk);
  t.like(one, { use: 'any', kind: 'jwk', created_by: null });
  t.is(one.kid, createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url'));
  const set = await add({ keys: [newJwk(), newJwk()] }, '--use', 'kyapay', '--issuer', 'Skyfire');
  t.is(set.data.length, 2);
  t.like(set.data[0], { use: 'kyapay', issuer: 'Skyfire' });
  const root = await add(`A comment first\n${selfSigned.cert}\n`, '--use', 'ap2_issuer', '--kid', 'root');
  t.like(root, { kind: 'x5c_root', kid: 'root' });
  t.is((await owner.get('/v1/trusted-keys')).body.data.length, 4);
  t.is((await owner.get('/v1/audit-log?action=trusted_key.added')).body.data.length, 4);

  t.like(await admin.error('trusted-key', 'add', '--org', 'Acme', await file(jwk)), { exit: 1, code: 'conflict' });
  const misused = await admin.error('trusted-key', 'add', '--org', 'Acme', '--use', 'all', await file(newJwk()));
  t.like(misused, { exit: 1, details: [{ path: '/use' }] });
  t.is((await admin.error('trusted-key', 'add', '--org', 'Nobody', await file(newJwk()))).code, 'not_found');
});

test('keys that the operator makes and revokes are in the audit log, and readers of the list see them', async t => {
  const { admin, owner } = await operator(t);
  const { headers } = await owner.get('/v1/api-keys');
  const made = await admin.json('key', 'create', '--org', 'Acme', '--name', 'till');
  const listed = await owner.get('/v1/api-keys', { 'if-none-match': headers.get('etag') ?? '' });
  t.is(listed.status, 200);
  t.is(listed.body.data[0].id, made.id);
  const again = { 'if-none-match': listed.headers.get('etag') ?? '' };
  t.is((await owner.get('/v1/api-keys', again)).status, 304);
  await admin.json('key', 'revoke', '--org', 'Acme', '--id', made.id.toLowerCase());
  t.not((await owner.get('/v1/api-keys', again)).body.data[0].revoked_at, null);
  const { data } = (await owner.get('/v1/audit-log')).body;
  t.deepEqual(
    data.map(({ action, actor_id, target_id }: Record<string, unknown>) => [action, actor_id, target_id]),
    [
      ['key.revoked', null, made.id],
      ['key.created', null, made.id],
    ],
  );
  t.false(JSON.stringify(data).includes(made.key.slice(12)));
});

test('what the operator does to webhook endpoints is in the audit log, without the secrets', async t => {
  const { admin, owner } = await operator(t);
  const command = (verb: string, ...more: string[]) => admin.json('webhook-endpoint', verb, '--org', 'Acme', ...more);
  const made = await command('create', '--url', 'https://example.com/hook');
  const rotated = await command('rotate-secret', '--id', made.id);
  await command('disable', '--id', made.id);
  const { data } = (await owner.get('/v1/audit-log')).body;
  t.deepEqual(
    data.map(({ action, target_id, after }: Record<string, unknown>) => [
      action,
      target_id,
      (after as { state: string }).state,
    ]),
    [
      ['webhook_endpoint.disabled', made.id, 'disabled'],
      ['webhook_endpoint.secret_rotated', made.id, 'active'],
      ['webhook_endpoint.created', made.id, 'active'],
    ],
  );
  for (const { secret } of [made, rotated]) t.false(JSON.stringify(data).includes(secret));
});

test('a detector is turned on and off for one organization, and its audit log says so', async t => {
  const { admin, owner } = await operator(t);
  const enabled = async () => {
    const { data } = await admin.json('detector', 'list', '--org', 'Acme');
    return (data as { name: string; enabled: boolean }[]).filter(each => each.enabled).map(each => each.name);
  };
  t.false((await enabled()).includes('unmandated_payment'));
  t.true((await enabled()).includes('mandate_breach'));
  t.deepEqual(await admin.json('detector', 'enable', '--org', 'Acme', 'unmandated_payment'), {
    name: 'unmandated_payment',
    enabled: true,
  });
  await admin.json('detector', 'disable', '--org', 'Acme', 'mandate_breach');
  t.true((await enabled()).includes('unmandated_payment'));
  t.false((await enabled()).includes('mandate_breach'));
  const { body } = await owner.get('/v1/audit-log?action=detector.changed');
  t.deepEqual(
    (body.data as { target_id: string; before: unknown; after: unknown }[]).map(row => [
      row.target_id,
      row.before,
      row.after,
    ]),
    [
      ['mandate_breach', { enabled: true }, { enabled: false }],
      ['unmandated_payment', { enabled: false }, { enabled: true }],
    ],
  );
  const refused = await admin.error('detector', 'enable', '--org', 'Acme', 'no_such');
  t.is(refused.exit, 1);
  t.is(refused.code, 'invalid_request');
});
