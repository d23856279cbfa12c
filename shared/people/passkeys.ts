import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { UniqueIntegrityConstraintViolationError } from 'slonik';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { conflict } from '#shared/interface/errors.ts';
import { newId } from '#shared/interface/ids.ts';
import { Passkey } from './second_factors.ts';
import { MINUTE, timestamp } from '#shared/values/time.ts';

/** Hundreds of modules, loaded on the first use of a passkey. */
const webauthn = () => import('@simplewebauthn/server');

/** How long a challenge is valid. */
const CHALLENGE_LIFE = 5 * MINUTE;
const MOST_PASSKEYS = 20;

// EdDSA, ES256, RS256 (RFC 9053): what authenticators offer. Listed here, because the library would try what Node calls experimental.
const algorithms = { supportedAlgorithmIDs: [-8, -7, -257] };

type Holder = { user_id: string; session_id: string; email: string; name: string | null };

/** A passkey belongs to the host of BASE_URL, and works only there (WebAuthn level 3 §4, RP ID). */
const partyOf = (base_url: string) => ({ rpID: new URL(base_url).hostname, origin: new URL(base_url).origin });

const PasskeyRow = z.object({
  id: z.string(),
  credential_id: z.instanceof(Buffer),
  public_key: z.instanceof(Buffer),
  sign_count: z.number(),
  transports: z.array(z.string()).nullable(),
});

const listKnown = (db: Db, user_id: string) =>
  db.any(sql.type(PasskeyRow)`
    select id, credential_id, public_key, sign_count, transports from second_factors
    where user_id = ${user_id} and kind = 'passkey' order by id`);

const descriptorOf = ({ credential_id, transports }: z.infer<typeof PasskeyRow>) => ({
  id: credential_id.toString('base64url'),
  ...(transports && { transports }),
});

/** The options for `navigator.credentials.create`. Throws `conflict` for a person with twenty passkeys. */
export async function enrollmentOptions(db: Db, base_url: string, holder: Holder, now: number) {
  const own_passkeys = await listKnown(db, holder.user_id);
  if (own_passkeys.length >= MOST_PASSKEYS) throw conflict(`You have ${MOST_PASSKEYS} passkeys; remove one first.`);
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: 'Agent Payment Oversight',
    rpID: partyOf(base_url).rpID,
    userName: holder.email,
    userDisplayName: holder.name ?? holder.email,
    userID: new Uint8Array(Buffer.from(holder.user_id)),
    timeout: CHALLENGE_LIFE,
    attestationType: 'none',
    ...algorithms,
    excludeCredentials: own_passkeys.map(descriptorOf),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  });
  await keepChallenge(db, holder.session_id, 'enroll', options.challenge, now);
  return options;
}

/** The options for `navigator.credentials.get`. Throws `conflict` for a person without a passkey. */
export async function showingOptions(db: Db, base_url: string, { user_id, session_id }: Holder, now: number) {
  const own_passkeys = await listKnown(db, user_id);
  if (own_passkeys.length === 0) throw conflict('You have no passkey to show.');
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: partyOf(base_url).rpID,
    timeout: CHALLENGE_LIFE,
    userVerification: 'required',
    allowCredentials: own_passkeys.map(descriptorOf),
  });
  await keepChallenge(db, session_id, 'show', options.challenge, now);
  return options;
}

type Purpose = 'enroll' | 'show';

const keepChallenge = (db: Db, session_id: string, purpose: Purpose, challenge: string, now: number) =>
  db.query(sql.unsafe`
    insert into passkey_challenges (session_id, purpose, challenge, expires_at)
    values (${session_id}, ${purpose}, ${challenge}, ${timestamp(now + CHALLENGE_LIFE)})
    on conflict (session_id, purpose) do update set challenge = excluded.challenge, expires_at = excluded.expires_at`);

/** The challenge of this session, used up. Null when there is none, or it has expired. Not in a transaction that could fail. */
export const takeChallenge = (db: Db, session_id: string, purpose: Purpose, now: number) =>
  db
    .maybeOne(
      sql.type(z.object({ challenge: z.string(), expires_at: z.string() }))`
        delete from passkey_challenges where session_id = ${session_id} and purpose = ${purpose} returning challenge, expires_at`,
    )
    .then(row => (row && Date.parse(row.expires_at) > now ? row.challenge : null));

/** Verifies an authenticator's response to a challenge. Null when anything is wrong, whatever was sent. */
export async function verifyEnrollment(base_url: string, expectedChallenge: string, response: unknown) {
  const { rpID, origin } = partyOf(base_url);
  const registration = response as RegistrationResponseJSON;
  const { verifyRegistrationResponse } = await webauthn();
  const { registrationInfo } = await verifyRegistrationResponse({
    response: registration,
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: true,
    ...algorithms,
  }).catch(refused);
  return registrationInfo?.credential ?? null;
}

type Credential = NonNullable<Awaited<ReturnType<typeof verifyEnrollment>>>;

/** Stores a new passkey. Throws `conflict` when it is registered already. */
export async function addPasskey(
  db: Db,
  user_id: string,
  name: string,
  { id, publicKey, counter, transports }: Credential,
  now: number,
): Promise<Passkey> {
  const words = transports?.filter(word => /^[a-z-]{1,20}$/.test(word)).slice(0, 10) ?? [];
  try {
    return await db.one(sql.type(Passkey)`
      insert into second_factors (user_id, id, kind, name, credential_id, public_key, sign_count, transports, created_at)
      values (${user_id}, ${newId('psk', now)}, 'passkey', ${name}, ${sql.binary(Buffer.from(id, 'base64url'))},
        ${sql.binary(Buffer.from(publicKey))}, ${counter}, ${sql.array(words, 'text')}, ${timestamp(now)})
      returning id, name, created_at, last_used_at`);
  } catch (error) {
    if (error instanceof UniqueIntegrityConstraintViolationError) throw conflict('This passkey is enrolled already.');
    throw error;
  }
}

/** Whether this is a response of one of the user's passkeys to the challenge. Records its use and its counter, which may not go back. */
export async function usePasskey(
  tx: Db,
  base_url: string,
  { user_id, challenge, response }: { user_id: string; challenge: string; response: { id: string } },
  now: number,
): Promise<string | null> {
  const own_passkeys = await listKnown(tx, user_id);
  const passkey = own_passkeys.find(candidate => descriptorOf(candidate).id === response.id);
  if (!passkey) return null;
  const { rpID, origin } = partyOf(base_url);
  const { verifyAuthenticationResponse } = await webauthn();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: true,
    credential: { id: response.id, publicKey: new Uint8Array(passkey.public_key), counter: passkey.sign_count },
  }).catch(refused);
  if (!verified || !authenticationInfo) return null;
  const { rowCount } = await tx.query(sql.unsafe`
    update second_factors set sign_count = greatest(sign_count, ${authenticationInfo.newCounter}), last_used_at = ${timestamp(now)}
    where user_id = ${user_id} and id = ${passkey.id}`);
  return rowCount === 1 ? passkey.id : null;
}

/** The library's errors say what was wrong; the caller does not distinguish them. */
const refused = () => ({ verified: false as const, registrationInfo: undefined, authenticationInfo: undefined });
