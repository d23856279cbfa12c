import type { JWK } from 'jose';
import { z } from 'zod';
import { requestRecheck } from '#shared/events/ranges/rechecks.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { conflict, invalidDetail } from '#shared/interface/errors.ts';
import { Id, newId } from '#shared/interface/ids.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

export const TrustedKeyUse = z
  .enum(['ap2_issuer', 'agent', 'source', 'kyapay', 'receipt', 'any'])
  .meta({ id: 'TrustedKeyUse', description: 'What the key is trusted for: an agent’s key cannot sign mandates.' });

/** Key ids are used in paths, and clients normalize paths that end in dots. */
export const Kid = z
  .string()
  .max(200)
  .regex(
    /^(?!\.{1,2}$)[!-~]{1,200}$/,
    'must be 1 to 200 printable ASCII characters without spaces, other than dots only',
  );

export const TrustedKey = z
  .object({
    id: Id('tky'),
    kid: z.string(),
    use: TrustedKeyUse,
    issuer: z.string().nullable(),
    kind: z.enum(['jwk', 'x5c_root']),
    thumbprint: z.string().meta({ description: 'RFC 7638 thumbprint of the public key' }),
    not_before: Timestamp.nullable(),
    not_after: Timestamp.nullable(),
    created_at: Timestamp,
    created_by: z.string().nullable(),
    revoked_at: Timestamp.nullable(),
  })
  .meta({ id: 'TrustedKey' });
export type TrustedKey = z.infer<typeof TrustedKey>;

/** A key as it will be stored. */
export type ReadKey = Pick<
  TrustedKey,
  'kid' | 'use' | 'issuer' | 'kind' | 'thumbprint' | 'not_before' | 'not_after'
> & { jwk: JWK; certificate: string | null };

const columns = sql.fragment`id, kid, use, issuer, kind, thumbprint, not_before, not_after, created_at, created_by, revoked_at`;

/**
 * Adds trusted keys, all or none; inconclusive events are verified again. Throws `invalid_request` for a duplicate kid, `conflict` for one
 * in use.
 */
export async function addTrustedKeys(
  tx: Db,
  tenant: Tenant,
  keys: readonly ReadKey[],
  created_by: string | null,
  now: number,
): Promise<readonly TrustedKey[]> {
  const { org_id, environment } = tenant;
  const twice = keys.findIndex(({ kid }, index) => keys.findIndex(key => key.kid === kid) < index);
  if (twice >= 0) throw invalidDetail(`/jwks/keys/${twice}/kid`, 'duplicate', 'Each key needs a kid of its own.');
  const rows = keys.map(key => ({ ...key, id: newId('tky', now), jwk: JSON.stringify(key.jwk) }));
  const added = await tx.any(sql.type(TrustedKey)`
    insert into trusted_keys (org_id, environment, id, kid, use, issuer, kind, jwk, certificate, thumbprint, not_before, not_after,
      created_at, created_by)
    select ${org_id}, ${environment}, r.*, ${timestamp(now)}, ${created_by}
    from ${tableOf('r', rows, newColumns)}
    on conflict (org_id, environment, kid) where revoked_at is null do nothing
    returning ${columns}`);
  const duplicate = keys.find(({ kid }) => !added.some(key => key.kid === kid));
  if (duplicate)
    throw conflict(`A key with the kid ${duplicate.kid} is in use. Revoke it first, or give this one another kid.`);
  await requestRecheck(tx, tenant, { kind: 'keys' }, now);
  return added.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

const newColumns = {
  id: 'text',
  kid: 'text',
  use: 'text',
  issuer: 'text',
  kind: 'text',
  jwk: 'jsonb',
  certificate: 'text',
  thumbprint: 'text',
  not_before: 'timestamptz',
  not_after: 'timestamptz',
};

/** Revokes a trusted key; repeating it changes nothing. Of keys that had the same kid in turn, the latest. Null when there was none. */
export async function revokeTrustedKey(
  tx: Db,
  { org_id, environment }: Tenant,
  kid: string,
  now: number,
): Promise<{ before: TrustedKey; after: TrustedKey } | null> {
  const before = await tx.maybeOne(sql.type(TrustedKey)`
    select ${columns} from trusted_keys
    where org_id = ${org_id} and environment = ${environment} and kid = ${kid}
    order by revoked_at is not null, id desc limit 1 for update`);
  if (!before) return null;
  const after = await tx.one(sql.type(TrustedKey)`
    update trusted_keys set revoked_at = coalesce(revoked_at, ${timestamp(now)})
    where org_id = ${org_id} and environment = ${environment} and id = ${before.id}
    returning ${columns}`);
  return { before, after };
}

/** Trusted keys of a tenant, revoked ones too, newest first. */
export async function listTrustedKeys(
  db: Db,
  { org_id, environment }: Tenant,
  page: PageRequest,
): Promise<Page<TrustedKey>> {
  const rows = await db.any(sql.type(TrustedKey)`
    select ${columns} from trusted_keys
    where ${sql.and([
      sql.fragment`org_id = ${org_id} and environment = ${environment}`,
      page.after !== null && sql.fragment`id < ${page.after}`,
    ])}
    order by id desc limit ${page.limit + 1}`);
  return pageOf(rows, page, key => key.id);
}
