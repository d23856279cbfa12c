import { z } from 'zod';
import { type Db, sql, timeText } from '#shared/platform/db.ts';
import { hashValue, newToken } from '#shared/platform/token.ts';
import { conflict, notFound, orNotFound } from '#shared/interface/errors.ts';
import { Id, newId } from '#shared/interface/ids.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { DAY, timestamp } from '#shared/values/time.ts';
import { moveVersions } from '#shared/interface/versions.ts';

const Visit = z.object({
  what: z.enum(['page', 'download']),
  at: Timestamp,
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
});

export const PackShare = z
  .object({
    id: Id('shr'),
    created_at: Timestamp,
    created_by: z.string().nullable(),
    expires_at: Timestamp,
    revoked_at: Timestamp.nullable(),
    visits: z.array(Visit).meta({ description: 'views and downloads, newest first, at most 20' }),
  })
  .meta({ id: 'PackShare' });
export type PackShare = z.infer<typeof PackShare>;

/** A share with its address, which is returned only once. */
export const NewShare = z
  .object({ id: Id('shr'), url: z.url(), expires_at: Timestamp })
  .meta({ id: 'NewShare', description: 'Anyone with the URL can read the pack until the link expires or is revoked.' });

const Ready = z.object({ state: z.string() });

/**
 * Creates a link to a pack. The 256-bit token in its address is stored only as a hash. A pack is kept at least as long as its links. Throws
 * `not_found`, and `conflict` while the pack is not ready.
 */
export async function createShare(
  tx: Db,
  tenant: Tenant,
  pack_id: string,
  { expires_in_days, created_by }: { expires_in_days: number; created_by: string | null },
  now: number,
): Promise<{ id: string; token: string; expires_at: string }> {
  const { org_id, environment } = tenant;
  const expires_at = timestamp(now + expires_in_days * DAY);
  const pack = await tx.maybeOne(sql.type(Ready)`
    update packs set expires_at = greatest(expires_at, ${expires_at}), next_at = greatest(next_at, ${expires_at})
    where org_id = ${org_id} and environment = ${environment} and id = ${pack_id} and state = 'ready'
    returning state`);
  if (!pack) throw await notShareable(tx, tenant, pack_id);
  const [id, token] = [newId('shr', now), newToken()];
  await tx.query(sql.unsafe`
    insert into pack_shares (org_id, environment, id, pack_id, token_hash, created_at, created_by, expires_at)
    values (${org_id}, ${environment}, ${id}, ${pack_id}, ${hashValue(token)}, ${timestamp(now)}, ${created_by}, ${expires_at})`);
  await tx.query(sql.unsafe`
    insert into pack_share_directory (token_hash, org_id, environment, share_id)
    values (${hashValue(token)}, ${org_id}, ${environment}, ${id})`);
  return { id, token, expires_at };
}

async function notShareable(tx: Db, { org_id, environment }: Tenant, pack_id: string): Promise<Error> {
  const pack = await tx.maybeOne(sql.type(Ready)`
    select state from packs where org_id = ${org_id} and environment = ${environment} and id = ${pack_id}`);
  return pack ? conflict(`This pack is ${pack.state}; only one that is ready can be shared.`) : notFound('pack');
}

/** Revokes a link at once; revoking it again does nothing. Throws `not_found`. */
export async function revokeShare(tx: Db, tenant: Tenant, pack_id: string, id: string, now: number) {
  const { org_id, environment } = tenant;
  await tx.query(sql.unsafe`
    update pack_shares set revoked_at = ${timestamp(now)}
    where org_id = ${org_id} and environment = ${environment} and pack_id = ${pack_id} and id = ${id} and revoked_at is null`);
  return orNotFound(
    'share',
    await tx.maybeOne(sql.type(PackShare)`
    select ${columns} from pack_shares s
    where s.org_id = ${org_id} and s.environment = ${environment} and s.pack_id = ${pack_id} and s.id = ${id}`),
  );
}

const Shared = z.object({
  org_id: z.string(),
  environment: z.string(),
  share_id: z.string(),
  pack_id: z.string(),
  title: z.string().nullable(),
  size_bytes: z.int(),
  sha256: z.string(),
  built_in: z.int(),
  expires_at: Timestamp,
});
/** A pack as seen by the holder of a link. */
export type SharedPack = z.infer<typeof Shared>;

/** The pack behind a link; null when the link never worked or no longer does. */
export async function findShared(db: Db, token: string, environment: string, now: number): Promise<SharedPack | null> {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return null;
  return db.maybeOne(sql.type(Shared)`
    select d.org_id, d.environment, d.share_id, s.pack_id, p.title, p.size_bytes, p.sha256, p.built_in, s.expires_at
    from pack_share_directory d
    join pack_shares s on s.org_id = d.org_id and s.environment = d.environment and s.id = d.share_id
    join packs p on p.org_id = s.org_id and p.environment = s.environment and p.id = s.pack_id
    where d.token_hash = ${hashValue(token)} and d.environment = ${environment} and s.token_hash = d.token_hash
      and s.revoked_at is null and s.expires_at > ${timestamp(now)} and p.state = 'ready'`);
}

/** Records that a link was used. */
export const noteVisit = (
  db: Db,
  { org_id, environment, share_id }: SharedPack,
  { what, ip, user_agent }: Pick<z.infer<typeof Visit>, 'what' | 'ip' | 'user_agent'>,
  now: number,
): Promise<void> =>
  db.transaction(async tx => {
    await tx.query(sql.unsafe`
      insert into pack_share_visits (org_id, environment, share_id, id, what, at, ip, user_agent)
      values (${org_id}, ${environment}, ${share_id}, ${newId('act', now)}, ${what}, ${timestamp(now)}, ${ip},
        ${user_agent?.slice(0, 300) ?? null})`);
    await moveVersions(tx, { org_id, environment }, ['packs']);
  });

const visits = sql.fragment`(
  select coalesce(json_agg(json_build_object('what', v.what, 'at', ${timeText(sql.fragment`v.at`)}, 'ip', v.ip,
    'user_agent', v.user_agent) order by v.id desc), '[]')
  from (
    select * from pack_share_visits w
    where w.org_id = s.org_id and w.environment = s.environment and w.share_id = s.id
    order by w.id desc limit 20) v)`;

const columns = sql.fragment`s.id, s.created_at, s.created_by, s.expires_at, s.revoked_at, ${visits} as visits`;

/** The links of pack `p` of a query as JSON, newest first. */
export const sharesColumn = sql.fragment`(
  select coalesce(json_agg(l.share order by l.id desc), '[]')
  from (
    select s.id, json_build_object('id', s.id, 'created_at', ${timeText(sql.fragment`s.created_at`)},
      'created_by', s.created_by, 'expires_at', ${timeText(sql.fragment`s.expires_at`)},
      'revoked_at', ${timeText(sql.fragment`s.revoked_at`)}, 'visits', ${visits}) as share
    from pack_shares s
    where s.org_id = p.org_id and s.environment = p.environment and s.pack_id = p.id
    order by s.id desc limit 100) l)`;
