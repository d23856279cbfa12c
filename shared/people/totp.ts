import { generateSecret, generateURI, verifySync } from 'otplib';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { seal, tryOpen, type SecretKeys } from '#shared/platform/secret_box.ts';
import { MINUTE, SECOND, timestamp } from '#shared/values/time.ts';

/** How long a new secret waits for its first code. */
const PENDING = 10 * MINUTE;
/** RFC 6238 §5.2: one step of delay in either direction. */
const TOLERANCE_S = 30;

/** Six digits as an authenticator app shows them. */
export const TotpCode = z
  .string()
  .trim()
  .regex(/^[0-9]{6}$/, 'must be the six digits that your authenticator app shows')
  .meta({ override: { type: 'string', pattern: '^[0-9]{6}$' }, examples: ['123456'] });

/** The parameters for an authenticator app: RFC 6238 with its defaults, SHA-1, 30 s, 6 digits. Shown once. */
export const TotpSecret = z
  .object({
    secret: z.string().meta({ description: 'base32, 160 bits' }),
    uri: z.string().meta({ description: 'otpauth:// address, to be shown as a QR code' }),
  })
  .meta({ id: 'TotpSecret' });
export type TotpSecret = z.infer<typeof TotpSecret>;

/** Begins an enrollment in this session: the secret counts only once a code of it was entered. An earlier enrollment is discarded. */
export async function beginTotp(
  db: Db,
  secret_key: SecretKeys,
  { session_id, email, environment }: { session_id: string; email: string; environment: string },
  now: number,
): Promise<TotpSecret> {
  const secret = generateSecret({ length: 20 });
  const sealed = sql.binary(seal(secret_key, secret, session_id));
  await db.query(sql.unsafe`
    insert into pending_totp (session_id, sealed_secret, expires_at)
    values (${session_id}, ${sealed}, ${timestamp(now + PENDING)})
    on conflict (session_id) do update set sealed_secret = excluded.sealed_secret, expires_at = excluded.expires_at`);
  // The app shows this name, which tells a person's deployments apart.
  const issuer = environment === 'production' ? 'Agent Payment Oversight' : `Agent Payment Oversight (${environment})`;
  return { secret, uri: generateURI({ issuer, label: email, secret }) };
}

const Sealed = z.object({ sealed_secret: z.instanceof(Buffer) });

/**
 * Makes the pending secret of this session the user's factor if the code is valid. `replaced`: they had another. Run it in a transaction
 * that is rolled back for a wrong code.
 */
export async function confirmTotp(
  tx: Db,
  secret_key: SecretKeys,
  { session_id, user_id }: { session_id: string; user_id: string },
  code: string,
  now: number,
): Promise<{ replaced: boolean } | 'wrong' | 'gone'> {
  const sealed = await tx.maybeOneFirst(sql.type(Sealed)`
    delete from pending_totp where session_id = ${session_id} and expires_at > ${timestamp(now)} returning sealed_secret`);
  const secret = sealed && tryOpen(secret_key, sealed, session_id);
  if (!secret) return 'gone';
  const step = stepOf(secret, code, now);
  if (step === null) return 'wrong';
  const { rowCount } = await tx.query(
    sql.unsafe`delete from second_factors where user_id = ${user_id} and id = 'totp'`,
  );
  await tx.query(sql.unsafe`
    insert into second_factors (user_id, id, kind, sealed_secret, last_step, created_at, last_used_at)
    values (${user_id}, 'totp', 'totp', ${sql.binary(seal(secret_key, secret, user_id))}, ${step}, ${timestamp(now)},
      ${timestamp(now)})`);
  return { replaced: rowCount > 0 };
}

/** Whether this is a code of the user's app; each step is accepted once, so of two requests with one code one succeeds. */
export async function useTotp(
  tx: Db,
  secret_key: SecretKeys,
  user_id: string,
  code: string,
  now: number,
): Promise<boolean> {
  const sealed = await tx.maybeOneFirst(
    sql.type(Sealed)`select sealed_secret from second_factors where user_id = ${user_id} and id = 'totp'`,
  );
  const secret = sealed && tryOpen(secret_key, sealed, user_id);
  const step = secret && stepOf(secret, code, now);
  if (!step) return false;
  const { rowCount } = await tx.query(sql.unsafe`
    update second_factors set last_step = ${step}, last_used_at = ${timestamp(now)}
    where user_id = ${user_id} and id = 'totp' and last_step < ${step}`);
  return rowCount === 1;
}

/** The time step a code belongs to, or null. */
function stepOf(secret: string, token: string, now: number): number | null {
  const result = verifySync({ secret, token, epoch: Math.floor(now / SECOND), epochTolerance: TOLERANCE_S });
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}
