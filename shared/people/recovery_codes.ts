import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { hashValue, tokenHash } from '#shared/platform/token.ts';
import { timestamp } from '#shared/values/time.ts';

/** Ten codes of 120 bits each: enough for a plain hash (ASVS 5.0 6.5.2). */
const HOW_MANY = 10;
const SIGNS = 24;
// Crockford's base 32.
const signs = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A recovery code as typed: any case, with or without dashes and spaces; O is read as 0, I and L as 1. */
export const RecoveryCode = z
  .string()
  .max(60)
  .transform(text => text.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1'))
  .pipe(z.string().regex(/^[0-9A-Z]{24}$/, 'must be a recovery code: 24 letters and digits'))
  .meta({
    override: { type: 'string', maxLength: 60 },
    examples: ['4Y7KQ2-0MZT3B-9XWD6H-JR5VN8'],
  });

/** Shown once, to be stored safely. */
export const RecoveryCodes = z
  .object({ recovery_codes: z.array(z.string()).meta({ description: 'ten codes, each good once; shown once' }) })
  .meta({ id: 'RecoveryCodes' });

/** The same, if there may be codes already. */
export const FirstRecoveryCodes = z
  .object({ recovery_codes: RecoveryCodes.shape.recovery_codes.nullable() })
  .meta({ id: 'FirstRecoveryCodes', description: 'null: those you have remain good' });

/** Creates ten new codes; the old ones become invalid. Only while the user's factors are locked. */
export async function replaceRecoveryCodes(tx: Db, user_id: string): Promise<string[]> {
  const codes = Array.from({ length: HOW_MANY }, newCode);
  await tx.query(sql.unsafe`delete from recovery_codes where user_id = ${user_id}`);
  await tx.query(sql.unsafe`
    insert into recovery_codes (user_id, hash)
    select ${user_id}, unnest(${sql.array(codes.map(tokenHash), 'bytea')})`);
  return codes.map(code => (code.match(/.{6}/g) ?? []).join('-'));
}

/** Uses a code up: of any number of attempts with it one succeeds. */
export async function useRecoveryCode(tx: Db, user_id: string, code: string, now: number): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    update recovery_codes set used_at = ${timestamp(now)}
    where user_id = ${user_id} and hash = ${hashValue(code)} and used_at is null`);
  return rowCount === 1;
}

/** How many codes are left: at most ten rows are counted. */
export const countRecoveryCodes = (db: Db, user_id: string) =>
  db.oneFirst(
    sql.type(z.object({ left: z.number() }))`
      select count(*) as "left" from recovery_codes where user_id = ${user_id} and used_at is null`,
  );

const newCode = () => [...randomBytes(SIGNS)].map(byte => signs[byte % signs.length]).join('');
