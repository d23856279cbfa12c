import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { hashValue, newToken } from '#shared/platform/token.ts';
import { DAY, timestamp } from '#shared/values/time.ts';

const LINK_LIFE = DAY;

/**
 * Creates the token of the link that sets up the deployment, replacing an earlier one. Null if there is an organization already. The token
 * is stored nowhere except in its address.
 */
export async function createSetupLink(db: Db, now: number): Promise<{ token: string; expires_at: string } | null> {
  const [token, expires_at] = [newToken(), timestamp(now + LINK_LIFE)];
  return db.transaction(async tx => {
    if (await hasOrganization(tx)) return null;
    await tx.query(sql.unsafe`delete from setup_links`);
    await tx.query(sql.unsafe`
      insert into setup_links (token_hash, created_at, expires_at)
      values (${hashValue(token)}, ${timestamp(now)}, ${expires_at})`);
    return { token, expires_at };
  });
}

/** Whether a link is valid, without using it. */
export const isSetupLink = (db: Db, token: string, now: number): Promise<boolean> =>
  db.exists(sql.unsafe`
    select from setup_links
    where token_hash = ${hashValue(token)} and expires_at > ${timestamp(now)} and not exists (select from organizations)`);

/**
 * Uses a link up, in the transaction that creates the first organization: true for one of any number of attempts. No other organization is
 * created until that transaction ends.
 */
export async function takeSetupLink(tx: Db, token: string, now: number): Promise<boolean> {
  await tx.query(sql.unsafe`lock table organizations in share row exclusive mode`);
  if (!(await isSetupLink(tx, token, now))) return false;
  const { rowCount } = await tx.query(sql.unsafe`delete from setup_links where token_hash = ${hashValue(token)}`);
  return rowCount === 1;
}

const KnownRow = z.object({ known: z.boolean() });
export const hasOrganization = (db: Db) =>
  db.oneFirst(sql.type(KnownRow)`select exists (select from organizations) as known`);
