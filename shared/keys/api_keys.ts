import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { hashValue } from '#shared/platform/token.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, holdsText, sql } from '#shared/platform/db.ts';
import { Id, IdList, newId } from '#shared/interface/ids.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { IpRange } from './ip_range.ts';
import { createSource } from './sources.ts';
import { invalidDetail } from '#shared/interface/errors.ts';
import { TimeInput } from '#shared/values/parsed_text.ts';
import { SearchText, type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { allScopes } from '#shared/interface/scopes.ts';
import { named } from '#shared/values/text.ts';
import { timestamp } from '#shared/values/time.ts';
import { moveVersions } from '#shared/interface/versions.ts';

export const Scope = z.enum(allScopes).meta({ id: 'Scope' });
export type Scope = z.infer<typeof Scope>;

export const ApiKey = z
  .object({
    id: Id('key'),
    name: z.string(),
    env: z.enum(['test', 'live']),
    scopes: z.array(Scope),
    prefix: z.string().meta({ description: 'first 12 characters of the key, to recognize it' }),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable().meta({ description: 'when it stops working; null: when it is revoked' }),
    ip_allowlist: z
      .array(z.string())
      .nullable()
      .meta({ description: 'the networks that it works from (CIDR); null: from anywhere' }),
    created_by: z.string().nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

const columns = sql.fragment`id, name, env, scopes, prefix, created_at, last_used_at, revoked_at, expires_at,
  ip_allowlist, created_by`;

type NewKey = {
  org_id: string;
  environment: string;
  env: 'test' | 'live';
  name: string;
  scopes: Scope[];
  created_by: string | null;
  expires_at?: string | undefined;
  ip_allowlist?: string[] | undefined;
};

/**
 * Creates a key and the default source of its events. The full key is only in this response. Throws `invalid_request` for a key that would
 * expire before it is created.
 */
export function createApiKey(db: Db, key: NewKey, now: number): Promise<ApiKey & { key: string }> {
  const { expires_at = null, ip_allowlist } = key;
  if (expires_at && Date.parse(expires_at) <= now)
    throw invalidDetail('/expires_at', 'invalid_value', `expires_at must be later than now, ${timestamp(now)}.`);
  const full = `hk_${key.env}_${randomText(32)}`;
  const id = newId('key', now);
  return db.transaction(async tx => {
    const source = await createSource(tx, key, { name: key.name, kind: 'sdk' }, now);
    const row = await tx.one(sql.type(ApiKey)`
      insert into api_keys (org_id, id, name, env, scopes, prefix, default_source_id, created_at, created_by,
        expires_at, ip_allowlist)
      values (${key.org_id}, ${id}, ${key.name}, ${key.env}, ${sql.array(key.scopes, 'text')}, ${full.slice(0, 12)},
        ${source.id}, ${timestamp(now)}, ${key.created_by}, ${expires_at},
        ${ip_allowlist ? sql.array(ip_allowlist, 'text') : null})
      returning ${columns}`);
    await tx.query(sql.unsafe`
      insert into api_key_directory (hash, org_id, key_id) values (${hashValue(full)}, ${key.org_id}, ${id})`);
    return { ...row, key: full };
  });
}

/** The networks that a key may be used from. */
const IpAllowlist = z.array(IpRange).min(1).max(50);

export const NewApiKey = z
  .strictObject({
    name: named(200),
    env: z.enum(['test', 'live']).meta({ description: 'the environment of this deployment: sandbox takes test keys' }),
    scopes: z
      .array(Scope)
      .min(1)
      .max(allScopes.length)
      .default(['events:write'])
      .overwrite(scopes => [...new Set(scopes)]),
    expires_at: TimeInput.optional().meta({ description: 'when it stops working; never when left out' }),
    ip_allowlist: IpAllowlist.optional().meta({
      description: 'the networks that it is to work from (CIDR), 1 to 50; anywhere when left out',
    }),
  })
  .meta({ id: 'NewApiKey', examples: [{ name: 'checkout agent', env: 'test', scopes: ['events:write'] }] });

/** Revokes a key; revoking it again changes nothing. Null when the organization has no such key. */
export const revokeApiKey = (db: Db, org_id: string, id: string, now: number) =>
  db.maybeOne(sql.type(ApiKey)`
    update api_keys set revoked_at = coalesce(revoked_at, ${timestamp(now)})
    where org_id = ${org_id} and id = ${id}
    returning ${columns}`);

/** Every key of an organization, newest first: for the operator. */
export const listApiKeys = (db: Db, org_id: string) =>
  db.any(sql.type(ApiKey)`select ${columns} from api_keys where org_id = ${org_id} order by id desc`);

/** The filters of the list. */
export const ApiKeyFilters = z.strictObject({
  q: SearchText.optional().meta({ description: 'part of the name, whatever its case; or the exact id' }),
  ids: IdList('key').optional().meta({ description: 'these keys alone: up to 200 ids, separated by commas' }),
});

/** The keys of a tenant, revoked ones too, newest first, filtered. */
export async function pageApiKeys(
  db: Db,
  { org_id, environment }: Tenant,
  { q, ids }: z.infer<typeof ApiKeyFilters>,
  page: PageRequest,
): Promise<Page<ApiKey>> {
  const rows = await db.any(sql.type(ApiKey)`
    select ${columns} from api_keys
    where ${sql.and([
      sql.fragment`org_id = ${org_id} and env = ${envOf[environment] ?? null}`,
      page.after !== null && sql.fragment`id < ${page.after}`,
      q !== undefined && sql.fragment`(${holdsText(sql.fragment`name`, q)} or id = ${q})`,
      ids !== undefined && sql.fragment`id = any(${sql.array(ids, 'text')})`,
    ])}
    order by id desc limit ${page.limit + 1}`);
  return pageOf(rows, page, key => key.id);
}

/** The key, locked until the transaction ends. Null when the tenant has no such key. */
export const lockApiKey = (tx: Db, { org_id, environment }: Tenant, id: string) =>
  tx.maybeOne(sql.type(ApiKey)`
    select ${columns} from api_keys
    where org_id = ${org_id} and env = ${envOf[environment] ?? null} and id = ${id} for update`);

/** How a key's prefix names its environment. */
const envOf: Record<string, string> = { sandbox: 'test', production: 'live' };
const environmentOf: Record<string, string> = { test: 'sandbox', live: 'production' };

const KeyOwner = z.object({
  org_id: z.string(),
  key_id: z.string(),
  scopes: z.array(Scope),
  default_source_id: z.string(),
  revoked_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  ip_allowlist: z.array(z.string()).nullable(),
});
export type KeyOwner = z.infer<typeof KeyOwner>;

const HashedKeyOwner = KeyOwner.extend({ hash: z.string() });

/** The owners of keys, by the SHA-256 of the full keys, in hex. Prepared, since readers poll. */
export async function findKeyOwners(db: Db, hashes: string[]): Promise<Map<string, KeyOwner>> {
  const rows = await db.any(sql.prepared('find_key_owners', HashedKeyOwner)`
    select encode(d.hash, 'hex') as hash, k.org_id, k.id as key_id, k.scopes, k.default_source_id, k.revoked_at,
      k.expires_at, k.ip_allowlist
    from api_key_directory d join api_keys k on k.org_id = d.org_id and k.id = d.key_id
    where d.hash in (select decode(h, 'hex') from unnest(${sql.array(hashes, 'text')}) as h)`);
  return new Map(rows.map(row => [row.hash, row]));
}

/** Records when keys were last used, many at once; a time never moves back. */
export const touchApiKeys = (db: Db, uses: { org_id: string; key_id: string; at: string }[]) =>
  db.transaction(async tx => {
    const touched = await tx.any(sql.type(Touched)`
      update api_keys k set last_used_at = u.at
      from ${tableOf('u', uses, { org_id: 'text', key_id: 'text', at: 'timestamptz' })}
      where k.org_id = u.org_id and k.id = u.key_id and (k.last_used_at is null or k.last_used_at < u.at)
      returning k.org_id, k.env`);
    const tenants = new Map(
      touched.map(({ org_id, env }) => [`${org_id} ${env}`, { org_id, environment: environmentOf[env] ?? env }]),
    );
    await moveVersions(tx, [...tenants.values()], ['keys']);
  });

const Touched = z.object({ org_id: z.string(), env: z.string() });

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const randomText = (length: number) => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
