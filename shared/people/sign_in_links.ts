import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { derive, type SecretKeys } from '#shared/platform/secret_box.ts';
import { hashValue, newToken } from '#shared/platform/token.ts';
import { MINUTE, timestamp } from '#shared/values/time.ts';

/** A link works once, for 10 minutes (ASVS 5.0 6.5.5), and expires with the fifth wrong code. */
export const LINK_LIFE = 10 * MINUTE;
const MOST_WRONG_CODES = 5;

/** Whether a text has the form of a token, of a link or of the cookie that binds it. */
export const isToken = (text: string | undefined): text is string => /^[A-Za-z0-9_-]{43}$/.test(text ?? '');

/** The user, and the browser by its cookie, or null for any. A link for an unknown address is stored like any other, and is useless. */
type NewLink = { user_id: string | null; binding: string | null };

/** Creates a link. The token is stored nowhere except in its address. */
export async function createLink(
  db: Db,
  secret_key: SecretKeys,
  { user_id, binding }: NewLink,
  now: number,
): Promise<{ token: string; expires_at: string }> {
  const [token, expires_at] = [newToken(), timestamp(now + LINK_LIFE)];
  const code_hash = binding && codeHash(secret_key[0], binding, codeOf(secret_key, token));
  await db.query(sql.unsafe`
    insert into sign_in_links (token_hash, binding_hash, code_hash, user_id, created_at, expires_at)
    values (${hashValue(token)}, ${binding && hashValue(binding)}, ${code_hash && sql.binary(code_hash)}, ${user_id},
      ${timestamp(now)}, ${expires_at})`);
  return { token, expires_at };
}

const Link = z.object({ email: z.string(), used: z.boolean(), here: z.boolean() });
/** `here`: the browser with this cookie may use it. */
type Link = z.infer<typeof Link>;

/** Reads a link without using it. Null when it never existed, or has expired. */
export const findLink = (db: Db, token: string, binding: string | undefined, now: number) =>
  db.maybeOne(sql.type(Link)`
    select u.email, used_at is not null as used, ${isFor(binding)} as here
    from sign_in_links l join users u on u.id = l.user_id
    where token_hash = ${hashValue(token)} and expires_at > ${timestamp(now)} and wrong_codes < ${MOST_WRONG_CODES}`);

const Taker = z.object({ user_id: z.string() });

/** Uses a link up: of any number of attempts one gets the user's id, the others null. */
export const takeLink = (tx: Db, token: string, binding: string | undefined, now: number) =>
  tx.maybeOneFirst(sql.type(Taker)`
    update sign_in_links set used_at = ${timestamp(now)}
    where token_hash = ${hashValue(token)} and user_id is not null and ${isFor(binding)} and ${usable(now)}
    returning user_id`);

const Candidate = z.object({ token_hash: z.instanceof(Buffer), user_id: z.string().nullable(), right: z.boolean() });

/**
 * Uses up the link of this browser that has this code. `wrong` counts against all links of the browser, `gone`: there is none. Attempts
 * from one browser are serialized, so that none escapes the count.
 */
export async function takeCode(
  tx: Db,
  secret_key: SecretKeys,
  { binding, code }: { binding: string; code: string },
  now: number,
): Promise<{ user_id: string } | 'wrong' | 'gone'> {
  const hashes = sql.join(
    secret_key.map(key => sql.binary(codeHash(key, binding, code))),
    sql.fragment`, `,
  );
  const links = await tx.any(sql.type(Candidate)`
    select token_hash, user_id, code_hash in (${hashes}) as "right" from sign_in_links
    where binding_hash = ${hashValue(binding)} and ${usable(now)} order by token_hash for update`);
  const link = links.find(({ right, user_id }) => right && user_id !== null);
  if (link?.user_id) {
    await tx.query(
      sql.unsafe`update sign_in_links set used_at = ${timestamp(now)} where token_hash = ${sql.binary(link.token_hash)}`,
    );
    return { user_id: link.user_id };
  }
  await tx.query(sql.unsafe`
    update sign_in_links set wrong_codes = wrong_codes + 1 where binding_hash = ${hashValue(binding)} and ${usable(now)}`);
  return links.length > 0 ? 'wrong' : 'gone';
}

// 32 characters that cannot be confused: no 0 and O, no 1 and I.
const signs = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** The 8-character code of a link in the browser that requested it: 40 bits, the same each time the link is opened. */
export const codeOf = ([secret_key]: SecretKeys, token: string): string =>
  [...hmac(secret_key, `code ${token}`).subarray(0, 8)].map(byte => signs[byte % signs.length]).join('');

const isFor = (binding: string | undefined) =>
  binding
    ? sql.fragment`(binding_hash is null or binding_hash = ${hashValue(binding)})`
    : sql.fragment`binding_hash is null`;
const usable = (now: number) =>
  sql.fragment`used_at is null and expires_at > ${timestamp(now)} and wrong_codes < ${MOST_WRONG_CODES}`;

/** Keyed: 40 bits alone could be recovered from a copy of the database. */
const codeHash = (secret_key: Buffer, binding: string, code: string) => hmac(secret_key, `shown ${binding} ${code}`);
const hmac = (secret_key: Buffer, text: string) =>
  createHmac('sha256', derive(secret_key, 'sign-in code')).update(text).digest();
