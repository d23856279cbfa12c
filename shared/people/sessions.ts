import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { hashValue, newToken } from '#shared/platform/token.ts';
import { unauthorized } from '#shared/interface/errors.ts';
import { Id, newId } from '#shared/interface/ids.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { roles } from '#shared/interface/roles.ts';
import { Timestamp } from '#shared/interface/schemas.ts';
import { DAY, HOUR, MINUTE, timestamp } from '#shared/values/time.ts';
import { readVersionsOf, versionColumns, Versions } from '#shared/interface/versions.ts';
import { isSpread } from '#shared/platform/spread.ts';

/** A session ends 12 h after it was last used, and 7 days after it began. */
export const IDLE = 12 * HOUR;
export const SESSION_LIFE = 7 * DAY;
/** How often a use is written down. */
const NOTED = MINUTE;

export const Session = z
  .object({
    id: Id('ses'),
    created_at: Timestamp,
    last_seen_at: Timestamp,
    expires_at: Timestamp.meta({ description: 'at the latest; twelve hours without use end it earlier' }),
    user_agent: z.string().nullable(),
    second_factor: z.boolean().meta({ description: 'whether a second factor was shown in this session' }),
    current: z.boolean(),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof Session>;

/**
 * Who acts in a session, as the database knows it now: a role that was lowered or a membership that ended shows at once. With the
 * counters that tell whether there is anything new for them, which a poll would otherwise ask a second time for.
 */
export const SessionOwner = z.object({
  id: z.string(),
  user_id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  org_id: z.string(),
  organization_name: z.string(),
  role: z.enum(roles),
  created_at: z.string(),
  second_factor_at: z.string().nullable(),
  has_second_factor: z.boolean(),
  last_seen_at: z.string(),
  ...Versions.shape,
});
export type SessionOwner = z.infer<typeof SessionOwner>;

type NewSession = {
  user_id: string;
  org_id: string;
  user_agent: string | undefined;
  second_factor_at?: string | null;
};

/** Begins a session. The token is for the cookie and is nowhere else. */
export async function createSession(
  db: Db,
  { user_id, org_id, user_agent, second_factor_at = null }: NewSession,
  now: number,
): Promise<Session & { token: string }> {
  const [token, id, at] = [newToken(), newId('ses', now), timestamp(now)];
  const session = await db.one(sql.type(Session)`
    with s as (
      insert into sessions (hash, id, user_id, org_id, created_at, last_seen_at, second_factor_at, user_agent)
      values (${hashValue(token)}, ${id}, ${user_id}, ${org_id}, ${at}, ${at}, ${second_factor_at}, ${user_agent?.slice(0, 300) ?? null})
      returning *
    )
    select ${columns(id)} from s`);
  await noteSeen(db, { user_id, org_id }, at);
  return { ...session, token };
}

const HashedSessionOwner = SessionOwner.extend({ hash: z.string() });

/**
 * The live sessions of these hashes of cookies, in hex, by hash. One is missing when it has ended, or its user is no member of its organization
 * any more. Prepared: every request takes it.
 */
export async function findSessions(
  db: Db,
  hashes: string[],
  environment: string,
  now: number,
): Promise<Map<string, SessionOwner>> {
  const counters = isSpread() ? noCounters : versionColumns(sql.fragment`s.org_id`, environment);
  const rows = await db.any(sql.prepared('find_sessions', HashedSessionOwner)`
    select encode(s.hash, 'hex') as hash, s.id, s.user_id, u.email, u.name, s.org_id, o.name as organization_name, m.role, s.created_at, s.second_factor_at, s.last_seen_at,
      exists (select from second_factors f where f.user_id = s.user_id) as has_second_factor,
      ${counters}
    from sessions s
    join users u on u.id = s.user_id
    join members m on m.org_id = s.org_id and m.user_id = s.user_id
    join organizations o on o.id = s.org_id
    where s.hash in (select decode(h, 'hex') from unnest(${sql.array(hashes, 'text')}) as h) and ${alive(now)}`);
  if (!isSpread()) return new Map(rows.map(row => [row.hash, row]));
  const versions = await readVersionsOf(db, [...new Set(rows.map(({ org_id }) => org_id))], environment);
  return new Map(rows.map(row => [row.hash, { ...row, ...versions.get(row.org_id) }]));
}

/** Instead of the counters of versions, which are on the node of the organization. */
const noCounters = sql.fragment`0 as size, 0 as seq, '{}'::jsonb as counters`;

/** Notes that a session is in use, at most once a minute. */
export async function touchSession(db: Db, session: SessionOwner, now: number): Promise<void> {
  const { id, last_seen_at } = session;
  if (Date.parse(last_seen_at) > now - NOTED) return;
  await db.query(
    sql.unsafe`update sessions set last_seen_at = greatest(last_seen_at, ${timestamp(now)}) where id = ${id}`,
  );
  await noteSeen(db, session, timestamp(now));
}

const noteSeen = (db: Db, { user_id, org_id }: { user_id: string; org_id: string }, at: string) =>
  db.query(sql.unsafe`
    update members set last_seen_at = greatest(last_seen_at, ${at}) where org_id = ${org_id} and user_id = ${user_id}`);

/** The live sessions of a user, newest first. */
export async function listSessions(
  db: Db,
  { user_id, session_id }: { user_id: string; session_id: string },
  page: PageRequest,
  now: number,
): Promise<Page<Session>> {
  const rows = await db.any(sql.type(Session)`
    select ${columns(session_id)} from sessions s
    where ${sql.and([
      sql.fragment`s.user_id = ${user_id} and ${alive(now)}`,
      page.after !== null && sql.fragment`s.id < ${page.after}`,
    ])}
    order by s.id desc limit ${page.limit + 1}`);
  return pageOf(rows, page, session => session.id);
}

const Ended = Session.extend({ org_id: z.string() });
/** A session that has ended, and the organization it acted in. */
type Ended = z.infer<typeof Ended>;

/** Ends a session of a user. Null when they have no such session. */
export const endSession = (db: Db, user_id: string, id: string, current_id: string) =>
  db.maybeOne(sql.type(Ended)`
    with s as (delete from sessions where user_id = ${user_id} and id = ${id} returning *)
    select ${columns(current_id)}, s.org_id from s`);

/** Ends all sessions of a user but one. */
export const endOtherSessions = (db: Db, user_id: string, kept_id: string | null) =>
  db.any(sql.type(Ended)`
    with s as (delete from sessions where user_id = ${user_id} and id is distinct from ${kept_id} returning *)
    select ${columns(kept_id)}, s.org_id from s`);

/** Ends the session of this cookie, whosever it is. */
export const endSessionOf = (db: Db, token: string) =>
  db.maybeOne(sql.type(Ended.extend({ user_id: z.string() }))`
    with s as (delete from sessions where hash = ${hashValue(token)} returning *)
    select ${columns(null)}, s.org_id, s.user_id from s`);

/** Acts in another organization from now on. */
export const moveSession = (db: Db, id: string, org_id: string) =>
  db.query(sql.unsafe`update sessions set org_id = ${org_id} where id = ${id}`);

/**
 * A second factor was shown: the session goes on under a new token, so that one that was seen before is worth nothing. Throws
 * `unauthorized` when it has ended meanwhile.
 */
export async function raiseSession(db: Db, id: string, now: number): Promise<Session & { token: string }> {
  const token = newToken();
  const session = await db.maybeOne(sql.type(Session)`
    with s as (update sessions set hash = ${hashValue(token)}, second_factor_at = ${timestamp(now)} where id = ${id} returning *)
    select ${columns(id)} from s`);
  if (!session) throw unauthorized();
  return { ...session, token };
}

const columns = (current_id: string | null) => sql.fragment`s.id, s.created_at, s.last_seen_at,
  s.created_at + ${SESSION_LIFE / 1_000} * interval '1 second' as expires_at, s.user_agent,
  s.second_factor_at is not null as second_factor, s.id is not distinct from ${current_id} as current`;

const alive = (now: number) => sql.fragment`
  (s.last_seen_at > ${timestamp(now - IDLE)} and s.created_at > ${timestamp(now - SESSION_LIFE)})`;
