import { generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { calculateJwkThumbprint } from 'jose';
import { readConfig } from '#shared/settings/config.ts';
import { ed25519Key } from '#shared/ledger/signed_note.ts';
import { currentSigningKey, publicKeys, rotateSigningKey } from '#shared/ledger/signing_keys.ts';
import { ownerOf } from '#test/helpers/owner.ts';
import { world } from '#test/helpers/world.ts';

const text = Buffer.from('what is signed');

/** The keys of a service, as a process with this LOG_SIGNING_KEY holds them. */
async function keyring(t: ExecutionContext) {
  const { services, database } = await world(t, { own_database: true });
  const holding = (setting?: string) => {
    const log_signing_key =
      setting === undefined
        ? undefined
        : readConfig({ LOG_SIGNING_KEY: setting, DATA_DIR: services.config.data_dir }).log_signing_key;
    return { ...services, config: { ...services.config, log_signing_key } };
  };
  return { holding, services, asOwner: await ownerOf(t, database) };
}

const kids = async (holder: Parameters<typeof publicKeys>[0]) => (await publicKeys(holder)).keys.map(({ kid }) => kid);

test('a deployment makes a key of its own once, whoever asks first, and everybody signs with it', async t => {
  const { holding } = await keyring(t);
  t.deepEqual(await publicKeys(holding()), { keys: [] });
  const made = await Promise.all(Array.from({ length: 12 }, () => currentSigningKey(holding())));
  t.is(new Set(made.map(({ kid }) => kid)).size, 1);
  const { kid, jwk, public_key, sign } = await currentSigningKey(holding());
  t.is(kid, await calculateJwkThumbprint(jwk));
  t.like(jwk, { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', x: public_key.toString('base64url') });
  t.true(verify(null, text, ed25519Key(public_key), sign(text)));
  t.deepEqual(await publicKeys(holding()), { keys: [jwk] });
});

test('a rotated key signs from then on, and the ones before it stay listed', async t => {
  const { holding } = await keyring(t);
  const first = await currentSigningKey(holding());
  const second = await rotateSigningKey(holding());
  t.is((await currentSigningKey(holding())).kid, second.kid);
  t.deepEqual(await kids(holding()), [second.kid, first.kid]);
  await Promise.all(Array.from({ length: 3 }, () => rotateSigningKey(holding())));
  t.is((await kids(holding()))[0], (await currentSigningKey(holding())).kid);
});

test('the key of LOG_SIGNING_KEY comes first, as PEM or as its 32 bytes; another value follows it', async t => {
  const { holding } = await keyring(t);
  const own = await currentSigningKey(holding());
  const { privateKey } = generateKeyPairSync('ed25519');
  const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url').toString('base64');
  const given = await currentSigningKey(holding(String(privateKey.export({ type: 'pkcs8', format: 'pem' }))));
  t.is((await currentSigningKey(holding(seed))).kid, given.kid);
  t.not(given.kid, own.kid);
  t.deepEqual(await kids(holding()), [given.kid, own.kid]);
  const other = holding(randomBytes(32).toString('base64'));
  t.deepEqual((await kids(other)).slice(1), [given.kid, own.kid], 'listed before it has signed anything');
  const { kid } = await currentSigningKey(other);
  t.deepEqual(await kids(holding()), [kid, given.kid, own.kid]);
  t.is((await currentSigningKey(holding())).kid, own.kid, 'without the setting the deployment’s own key signs again');
});

test('with another SECRET_KEY the key of LOG_SIGNING_KEY is vouched for anew, and stays listed when it is followed', async t => {
  const { holding } = await keyring(t);
  const seed = randomBytes(32).toString('base64');
  const { kid } = await currentSigningKey(holding(seed));
  const withSecret = (holder: ReturnType<typeof holding>) => ({
    ...holder,
    config: { ...holder.config, secret_key: [Buffer.alloc(32, 1)] as const },
  });
  t.deepEqual(await kids(withSecret(holding())), []);
  await currentSigningKey(withSecret(holding(seed)));
  t.deepEqual(await kids(withSecret(holding())), [kid]);
});

test('a LOG_SIGNING_KEY that is none is refused with a sentence that does not quote it', t => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  for (const setting of [
    'c2VjcmV0',
    'not a key',
    String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----',
  ]) {
    const error = t.throws(() =>
      readConfig({ LOG_SIGNING_KEY: setting, SECRET_KEY: randomBytes(32).toString('base64') }),
    );
    t.regex(error.message, /LOG_SIGNING_KEY: It must be an Ed25519 private key/);
    t.false(error.message.includes('c2VjcmV0') || error.message.includes(setting.slice(40, 60) || setting));
  }
});

test('a public key that somebody else put into the database is not published, and a private one is not used', async t => {
  const { holding, asOwner } = await keyring(t);
  const { kid } = await currentSigningKey(holding());
  const x = randomBytes(32).toString('base64url');
  await asOwner(
    `insert into log_signing_keys (kid, x, sealed_private_key, endorsement, created_at, retired_at)
     select 'kid', $1, sealed_private_key, endorsement, now(), now() from log_signing_keys`,
    [x],
  );
  t.deepEqual(await kids(holding()), [kid]);
  await asOwner(
    `update log_signing_keys set retired_at = case when kid = 'kid' then null else now() end where kid <> 'kid'`,
  );
  await asOwner(`update log_signing_keys set retired_at = null where kid = 'kid'`);
  await t.throwsAsync(
    currentSigningKey(holding()),
    undefined,
    'what was sealed under one name does not open under another',
  );
});
