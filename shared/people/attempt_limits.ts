import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { Problem } from '#shared/interface/errors.ts';
import { MINUTE, SECOND, timestamp } from '#shared/values/time.ts';

/** The attempts of a subject in a window, which begins with its first. */
const MOST = 5;
/**
 * The same for an address that mail goes to, over all networks: a limit on mail only. If it were as low as that of one network, anyone
 * could keep another person from signing in.
 */
export const MOST_MAILS = 30;
const WINDOW = 15 * MINUTE;

/** Subjects of attempts: a client's network, an address, a person's codes. */
export const subjects = {
  network: (ip: string) => `network ${networkOf(ip)}`,
  email: (email: string) => `email ${email}`,
  codes: (user_id: string) => `codes ${user_id}`,
  operator: (ip: string) => `operator ${networkOf(ip)}`,
};

const Count = z.object({ count: z.number() });

/** Counts one attempt across all processes. Throws `rate_limited` with Retry-After when there are none left. */
export async function takeAttempt(db: Db, subject: string, now: number, most = MOST): Promise<void> {
  const hash = hashOf(subject);
  const counted = await db.maybeOne(sql.type(Count)`
    insert into attempt_limits as a (subject, count, expires_at) values (${hash}, 1, ${timestamp(now + WINDOW)})
    on conflict (subject) do update set
      count = case when a.expires_at <= ${timestamp(now)} then 1 else a.count + 1 end,
      expires_at = case when a.expires_at <= ${timestamp(now)} then excluded.expires_at else a.expires_at end
    where a.count < ${most} or a.expires_at <= ${timestamp(now)}
    returning count`);
  if (counted) return;
  const ends = await db.maybeOneFirst(sql.type(Window)`select expires_at from attempt_limits where subject = ${hash}`);
  throw tooMany(ends ?? timestamp(now), now);
}

/** Counts nothing. Throws `rate_limited` with Retry-After when there are no attempts left. */
export async function needAttempts(db: Db, subject: string, now: number): Promise<void> {
  const ends = await db.maybeOneFirst(sql.type(Window)`
    select expires_at from attempt_limits
    where subject = ${hashOf(subject)} and count >= ${MOST} and expires_at > ${timestamp(now)}`);
  if (ends) throw tooMany(ends, now);
}

const Window = z.object({ expires_at: z.string() });

function tooMany(ends: string, now: number): Problem {
  const wait = Math.max(1, Math.ceil((Date.parse(ends) - now) / SECOND));
  const minutes = Math.ceil(wait / (MINUTE / SECOND));
  const when = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return new Problem('rate_limited', `Too many attempts. Try again in ${when}.`, {
    headers: { 'Retry-After': String(wait) },
  });
}

/** Takes a successful attempt back. */
export const returnAttempt = (db: Db, subject: string) =>
  db.query(sql.unsafe`update attempt_limits set count = count - 1 where subject = ${hashOf(subject)} and count > 0`);

const hashOf = (subject: string) => sql.binary(createHash('sha256').update(subject).digest());

/** An IPv4 address, or the /64 of an IPv6 subscriber. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4' ? address.toString() : address.toByteArray().slice(0, 8).join('.');
}
