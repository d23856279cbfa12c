import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { Milliseconds } from '#shared/events/ranges/load.ts';
import { PublicJwk } from '#shared/keys/public_key.ts';
import { TrustedKeyUse } from '#shared/keys/trusted_keys.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { tryOpen, type SecretKeys } from '#shared/platform/secret_box.ts';
import { createKeyResolver } from '#shared/verification/keys.ts';
import type { KeyResolver, WebhookSecret } from '#shared/verification/verifier.ts';
import { readVersions } from '#shared/interface/versions.ts';

/** What an organization trusts: its trusted keys, and the keys and secrets of its sources. */
export type Trust = {
  keys(source_id: string): KeyResolver;
  webhookSecret(source_id: string): WebhookSecret | null;
};

export type TrustReader = (tx: Db, tenant: Tenant) => Promise<Trust>;

const MOST_TENANTS = 200;

/** Reads the keys and sources that tenants trust, and again when one of them changes. Secrets are decrypted only on demand. */
export function createTrustReader(secret_key: SecretKeys): TrustReader {
  const cache = new LRUCache<string, { version: string; trust: Trust }>({ max: MOST_TENANTS });
  return async (tx, tenant) => {
    const name = `${tenant.org_id} ${tenant.environment}`;
    const version = await readVersions(tx, tenant, ['sources', 'trusted_keys']);
    const cached = cache.get(name);
    if (cached?.version === version) return cached.trust;
    const trust = await readTrust(tx, tenant, secret_key);
    cache.set(name, { version, trust });
    return trust;
  };
}

async function readTrust(tx: Db, { org_id, environment }: Tenant, secret_key: SecretKeys): Promise<Trust> {
  const keys = await tx.any(sql.type(KeyRow)`
    select kid, use, issuer, kind, jwk, certificate, thumbprint, not_before, not_after from trusted_keys
    where org_id = ${org_id} and environment = ${environment} and revoked_at is null`);
  const rows = await tx.any(sql.type(SourceRow)`
    select id, public_key, psp_scheme, psp_config, sealed_secret from sources
    where org_id = ${org_id} and environment = ${environment} and (public_key is not null or sealed_secret is not null)`);
  const resolver = createKeyResolver([...keys], null);
  const sources = new Map(rows.map(row => [row.id, row]));
  return {
    keys: source_id => ({ ...resolver, source: () => sources.get(source_id)?.public_key ?? null }),
    webhookSecret(source_id) {
      const source = sources.get(source_id);
      if (!source?.psp_scheme || !source.sealed_secret) return null;
      // Sealed with another SECRET_KEY it cannot be read; verifications that need it stay inconclusive.
      const secret = tryOpen(secret_key, source.sealed_secret, source_id);
      return secret === null ? null : { scheme: source.psp_scheme, config: source.psp_config, secret };
    },
  };
}

const KeyRow = z.object({
  kid: z.string(),
  use: TrustedKeyUse,
  issuer: z.string().nullable(),
  kind: z.enum(['jwk', 'x5c_root']),
  jwk: PublicJwk,
  certificate: z.string().nullable(),
  thumbprint: z.string(),
  not_before: Milliseconds.nullable(),
  not_after: Milliseconds.nullable(),
});
const SourceRow = z.object({
  id: z.string(),
  public_key: PublicJwk.nullable(),
  psp_scheme: z.enum(['stripe', 'standard_webhooks', 'adyen', 'generic']).nullable(),
  psp_config: z.record(z.string(), z.unknown()).nullable(),
  sealed_secret: z.instanceof(Buffer).nullable(),
});
