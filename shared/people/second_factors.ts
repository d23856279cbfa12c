import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { conflict, forbidden } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { countRecoveryCodes, replaceRecoveryCodes } from './recovery_codes.ts';
import { needsSecondFactor, roles } from '#shared/interface/roles.ts';
import { Timestamp } from '#shared/interface/schemas.ts';

export const Passkey = z
  .object({ id: Id('psk'), name: z.string(), created_at: Timestamp, last_used_at: Timestamp.nullable() })
  .meta({ id: 'Passkey' });
export type Passkey = z.infer<typeof Passkey>;

/** The second factors that a user has besides their mailbox. */
export const SecondFactor = z
  .object({
    required: z.boolean().meta({ description: 'whether your role needs one here' }),
    shown: z.boolean().meta({ description: 'whether one was shown in this session' }),
    totp: z.object({ created_at: Timestamp }).nullable(),
    passkeys: z.array(Passkey),
    recovery_codes_left: z.int().min(0).max(10),
  })
  .meta({ id: 'SecondFactor' });
export type SecondFactor = z.infer<typeof SecondFactor>;

const Factor = z.object({
  id: z.string(),
  kind: z.enum(['totp', 'passkey']),
  name: z.string().nullable(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});
type Factor = z.infer<typeof Factor>;

const columns = sql.fragment`id, kind, name, created_at, last_used_at`;

/** The caller: `second_factor` as api/caller.ts found it. */
type FactorOwner = { user_id: string; role: (typeof roles)[number]; environment: string; second_factor: string };

/** The second factor of the caller, as it stands. */
export async function readSecondFactor(db: Db, owner: FactorOwner): Promise<SecondFactor> {
  const factors = await db.any(sql.type(Factor)`
    select ${columns} from second_factors where user_id = ${owner.user_id} order by created_at, id`);
  const totp = factors.find(({ kind }) => kind === 'totp');
  return {
    required: needsSecondFactor(owner.role, owner.environment),
    shown: owner.second_factor === 'shown' && factors.length > 0,
    totp: totp ? { created_at: totp.created_at } : null,
    passkeys: factors.filter(({ kind }) => kind === 'passkey').map(passkeyOf),
    recovery_codes_left: await countRecoveryCodes(db, owner.user_id),
  };
}

const passkeyOf = ({ id, name, created_at, last_used_at }: Factor): Passkey => ({
  id,
  name: name ?? '',
  created_at,
  last_used_at,
});

/** Serializes changes to a person's factors and recovery codes. First in its transaction. */
const lockFactors = (tx: Db, user_id: string) =>
  tx.query(sql.unsafe`select from users where id = ${user_id} for update`);

/**
 * Begins an enrollment. Throws `forbidden` when there is a factor by now that this session has not shown: of two people with access to a
 * mailbox, the second may not add to the first one's factors.
 */
export async function claimEnrollment(tx: Db, { user_id, session_id }: { user_id: string; session_id: string }) {
  await lockFactors(tx, user_id);
  const ahead = await tx.maybeOne(sql.type(z.object({ id: z.string() }))`
    select id from second_factors where user_id = ${user_id}
      and not exists (select from sessions where id = ${session_id} and second_factor_at is not null) limit 1`);
  if (ahead) throw forbidden('A second factor was enrolled meanwhile. Show it first.');
}

/**
 * Removes a factor (`totp`, or a passkey's id), with the last one also the recovery codes. Null when there is no such factor. Throws
 * `conflict` for the last factor of a person who needs one in any of their organizations.
 */
export async function removeFactor(tx: Db, { user_id, environment }: FactorOwner, id: string): Promise<Factor | null> {
  // Of two concurrent removals each would take the other's factor for the remaining one.
  await lockFactors(tx, user_id);
  const factors = await tx.any(
    sql.type(Factor)`select ${columns} from second_factors where user_id = ${user_id} order by id for update`,
  );
  const factor = factors.find(candidate => candidate.id === id);
  if (!factor) return null;
  if (factors.length === 1) {
    const held = await tx.any(
      sql.type(z.object({ role: z.enum(roles) }))`select role from members where user_id = ${user_id}`,
    );
    if (held.some(({ role }) => needsSecondFactor(role, environment)))
      throw conflict('Your role needs a second factor here, and this is your last one. Enroll another first.');
    await tx.query(sql.unsafe`delete from recovery_codes where user_id = ${user_id}`);
    // A factor shown before says nothing about one enrolled later.
    await tx.query(sql.unsafe`update sessions set second_factor_at = null where user_id = ${user_id}`);
  }
  await tx.query(sql.unsafe`delete from second_factors where user_id = ${user_id} and id = ${id}`);
  return factor;
}

/** Replaces the recovery codes by ten new ones. Throws `conflict` for a person without a factor. */
export async function renewRecoveryCodes(tx: Db, user_id: string): Promise<string[]> {
  // Of two concurrent renewals each would leave the other's codes valid.
  await lockFactors(tx, user_id);
  if (await tx.exists(sql.unsafe`select from second_factors where user_id = ${user_id}`))
    return replaceRecoveryCodes(tx, user_id);
  throw conflict('Recovery codes stand in for a second factor; enroll one first.');
}

/** Removes all second factors and recovery codes of a user. Returns the ids of the factors. */
export async function removeAllFactors(tx: Db, user_id: string): Promise<string[]> {
  await lockFactors(tx, user_id);
  await tx.query(sql.unsafe`delete from recovery_codes where user_id = ${user_id}`);
  const removed = await tx.any(
    sql.type(z.object({ id: z.string() }))`delete from second_factors where user_id = ${user_id} returning id`,
  );
  return removed.map(({ id }) => id);
}
