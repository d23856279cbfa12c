import { createHmac, createPublicKey, hash, type KeyObject, randomBytes, sign, timingSafeEqual } from 'node:crypto';
import { UniqueIntegrityConstraintViolationError } from 'slonik';
import { z } from 'zod';
import type { Config } from '#shared/settings/config.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { ed25519PrivateKey } from '#shared/settings/log_signing_key_setting.ts';
import { derive, open, seal, type SecretKeys } from '#shared/platform/secret_box.ts';
import { timestamp } from '#shared/values/time.ts';

/** A public key that signs checkpoints and packs (RFC 7517, RFC 8037); `kid` is its RFC 7638 thumbprint. */
export const LogKey = z
  .object({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: z.string(),
    kid: z.string(),
    alg: z.literal('EdDSA'),
    use: z.literal('sig'),
  })
  .meta({ id: 'LogKey' });
export type LogKey = z.infer<typeof LogKey>;

/** `public_key` has 32 bytes; `sign` makes an Ed25519 signature (RFC 8032) of 64 bytes. */
export type SigningKey = { kid: string; jwk: LogKey; public_key: Buffer; sign(bytes: Uint8Array): Buffer };

type Keyring = { config: Pick<Config, 'secret_key' | 'log_signing_key'>; db: Db };
type Holder = Keyring & { now: () => number };

/**
 * The current signing key: that of LOG_SIGNING_KEY, or else the deployment's own, created on first use. Earlier public keys stay listed.
 * Throws when the stored key was sealed with another SECRET_KEY.
 */
export async function currentSigningKey(holder: Holder): Promise<SigningKey> {
  const { config, db } = holder;
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    const current = await findCurrent(db);
    const key = config.log_signing_key
      ? signingKey(config.log_signing_key)
      : current?.sealed_private_key && unsealed(config, current.kid, current.sealed_private_key);
    // The deployment's own key is authenticated by its sealed form; that of the setting must have been stored under this SECRET_KEY.
    if (key && current?.kid === key.kid && (current.sealed_private_key || isEndorsed(config, current))) return key;
    await replace(holder, current, await successor(holder));
  }
  throw new Error('The signing key of the log keeps changing: do all processes have the same LOG_SIGNING_KEY?');
}

/** Creates a new key of the deployment's own that signs from now on. Returns its public half. */
export async function rotateSigningKey(holder: Holder): Promise<LogKey> {
  await replace(holder, await findCurrent(holder.db), newKey(holder));
  return (await currentSigningKey(holder)).jwk;
}

/** The public keys that verify what was signed, the current one first. Rows that this deployment did not write are left out. */
export async function publicKeys({ config, db }: Keyring): Promise<{ keys: LogKey[] }> {
  const rows = await db.any(sql.type(Row)`
    select ${columns} from log_signing_keys order by retired_at is not null, created_at desc, kid`);
  const own = config.log_signing_key ? [signingKey(config.log_signing_key).jwk] : [];
  const stored = rows.filter(row => isEndorsed(config, row)).map(({ x }) => jwkOf(x));
  const others = stored.filter(({ kid }) => !own.some(key => key.kid === kid));
  return { keys: [...own, ...others] };
}

const Row = z.object({
  kid: z.string(),
  x: z.string(),
  sealed_private_key: z.instanceof(Buffer).nullable(),
  endorsement: z.instanceof(Buffer),
});
type Row = z.infer<typeof Row>;
const columns = sql.fragment`kid, x, sealed_private_key, endorsement`;

/** Another process may make another key current meanwhile; then it is read again. */
const MOST_TURNS = 5;

const findCurrent = (db: Db) =>
  db.maybeOne(sql.type(Row)`select ${columns} from log_signing_keys where retired_at is null`);

/** A candidate for the current key; `sealed` is null when its private half is not stored. */
type Candidate = { key: SigningKey; sealed: Buffer | null };

/** The key of LOG_SIGNING_KEY; without it, the newest of the deployment's own, or a first one. */
async function successor(holder: Holder): Promise<Candidate> {
  const { config, db } = holder;
  if (config.log_signing_key) return { key: signingKey(config.log_signing_key), sealed: null };
  const own = await db.maybeOne(sql.type(Row)`
    select ${columns} from log_signing_keys where sealed_private_key is not null order by created_at desc, kid limit 1`);
  const sealed = own?.sealed_private_key;
  return sealed ? { key: unsealed(config, own.kid, sealed), sealed } : newKey(holder);
}

function newKey({ config }: Holder): Candidate {
  const seed = randomBytes(32);
  const key = signingKey(ed25519PrivateKey(seed));
  return { key, sealed: seal(config.secret_key, seed.toString('base64'), key.kid) };
}

/** Makes a key current in place of the one that was read. If another process was faster, nothing changes: only one key is current. */
async function replace(
  { config, db, now }: Holder,
  current: Row | null,
  { key: { kid, jwk }, sealed }: Candidate,
): Promise<void> {
  const at = timestamp(now());
  try {
    await db.transaction(async tx => {
      if (current && current.kid !== kid)
        await tx.query(sql.unsafe`
          update log_signing_keys set retired_at = ${at} where kid = ${current.kid} and retired_at is null`);
      await tx.query(sql.unsafe`
        insert into log_signing_keys (kid, x, sealed_private_key, endorsement, created_at)
        values (${kid}, ${jwk.x}, ${sealed && sql.binary(sealed)}, ${sql.binary(endorse(config.secret_key, jwk.x))}, ${at})
        on conflict (kid) do update set retired_at = null, endorsement = excluded.endorsement`);
    });
  } catch (error) {
    if (!(error instanceof UniqueIntegrityConstraintViolationError)) throw error;
  }
}

function unsealed({ secret_key }: Keyring['config'], kid: string, sealed: Buffer): SigningKey {
  try {
    const key = signingKey(ed25519PrivateKey(Buffer.from(open(secret_key, sealed, kid), 'base64')));
    if (key.kid === kid) return key;
  } catch {
    // Reported below: the error itself only says that it cannot be opened.
  }
  throw new Error('The signing key of the log was sealed with another SECRET_KEY, or is not the one it was stored as.');
}

function signingKey(private_key: KeyObject): SigningKey {
  const { x = '' } = createPublicKey(private_key).export({ format: 'jwk' });
  const jwk = jwkOf(x);
  return {
    kid: jwk.kid,
    jwk,
    public_key: Buffer.from(x, 'base64url'),
    sign: bytes => sign(null, bytes, private_key),
  };
}

/** The thumbprint covers the required members in order of their names (RFC 7638 §3, RFC 8037 §2). */
const jwkOf = (x: string): LogKey => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x,
  kid: hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url'),
  alg: 'EdDSA',
  use: 'sig',
});

/** Otherwise anyone who can write to the database could add a key and sign with it. */
const isEndorsed = ({ secret_key }: Keyring['config'], { x, endorsement }: Pick<Row, 'x' | 'endorsement'>): boolean =>
  endorsement.length === 32 && secret_key.some(key => timingSafeEqual(endorsement, endorse([key], x)));

const endorse = ([secret_key]: SecretKeys, x: string): Buffer =>
  createHmac('sha256', derive(secret_key, 'log signing key')).update(x).digest();

/**
 * Endorses under the newest SECRET_KEY every stored public key that another SECRET_KEY of the settings endorsed, or all of them, which
 * trusts the database. Returns those it endorsed.
 */
export async function endorseAnew({ config, db }: Keyring, trust_database = false): Promise<string[]> {
  const rows = await db.any(sql.type(Row)`select ${columns} from log_signing_keys order by kid`);
  const [newest] = config.secret_key;
  const stale = rows.filter(
    row => !isEndorsed({ ...config, secret_key: [newest] }, row) && (trust_database || isEndorsed(config, row)),
  );
  for (const { kid, x } of stale)
    await db.query(sql.unsafe`
      update log_signing_keys set endorsement = ${sql.binary(endorse(config.secret_key, x))} where kid = ${kid}`);
  return stale.map(({ kid }) => kid);
}
