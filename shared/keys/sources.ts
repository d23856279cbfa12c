import { z } from 'zod';
import { requestRecheck } from '#shared/events/ranges/rechecks.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { invalidDetail } from '#shared/interface/errors.ts';
import { Id, newId } from '#shared/interface/ids.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { isHexSecret, PspConfig } from './psp_config.ts';
import { PublicJwk, publicKeyThumbprint } from './public_key.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { seal, tryOpen, type SecretKeys } from '#shared/platform/secret_box.ts';
import { lines, named } from '#shared/values/text.ts';
import { timestamp } from '#shared/values/time.ts';

const SourceKind = z.enum(['sdk', 'psp_webhook', 'facilitator', 'mcp_proxy', 'import', 'other']);
export const PspScheme = z.enum(['stripe', 'standard_webhooks', 'adyen', 'generic']);

const PublicKey = PublicJwk.meta({
  description: 'public key as a JWK (RFC 7517); verifies the `signature` of events from this source',
});

const fields = {
  name: named(200),
  kind: SourceKind,
  description: lines(1_000).nullable(),
  public_key: PublicKey.nullable(),
  psp_scheme: PspScheme.nullable(),
  psp_config: PspConfig.nullable(),
  signing_secret: z.string().min(1).max(500).nullable().meta({ description: 'write-only; encrypted at rest' }),
};

export const NewSource = z
  .strictObject({
    ...fields,
    description: fields.description.optional(),
    public_key: fields.public_key.optional(),
    psp_scheme: fields.psp_scheme.optional(),
    psp_config: fields.psp_config.optional(),
    signing_secret: fields.signing_secret.optional(),
  })
  .meta({ id: 'NewSource', examples: [{ name: 'checkout agent', kind: 'sdk' }] });
export type NewSource = z.infer<typeof NewSource>;

export const SourceChange = z
  .strictObject({ ...fields, state: z.enum(['active', 'disabled']) })
  .partial()
  .meta({ id: 'SourceChange', examples: [{ state: 'disabled' }] });
export type SourceChange = z.infer<typeof SourceChange>;

export const Source = z
  .object({
    id: Id('src'),
    name: z.string(),
    kind: SourceKind,
    description: z.string().nullable(),
    key_thumbprint: z.string().nullable().meta({ description: 'RFC 7638 thumbprint of the public key' }),
    psp_scheme: PspScheme.nullable(),
    psp_config: z.record(z.string(), z.unknown()).nullable().meta({ description: 'as it was given' }),
    state: z.enum(['active', 'disabled']),
    created_at: Timestamp,
    last_event_at: Timestamp.nullable(),
  })
  .meta({ id: 'Source' });
export type Source = z.infer<typeof Source>;

const columns = sql.fragment`id, name, kind, description, key_thumbprint, psp_scheme, psp_config, state,
  created_at, last_event_at`;

/** Registers a source. Throws a Problem when the public key or the signing secret is not usable. */
export async function createSource(
  db: Db,
  { org_id, environment }: Tenant,
  source: NewSource,
  now: number,
  secret_key?: SecretKeys,
): Promise<Source> {
  const id = newId('src', now);
  checkSecret(source.psp_scheme, source.signing_secret);
  const { thumbprint, sealed } = await secretsOf(id, source, secret_key);
  await db.query(sql.unsafe`
    insert into source_directory (id, org_id, environment) values (${id}, ${org_id}, ${environment})`);
  return db.one(sql.type(Source)`
    insert into sources (org_id, environment, id, name, kind, description, public_key, key_thumbprint, psp_scheme, psp_config,
      sealed_secret, created_at)
    values (${org_id}, ${environment}, ${id}, ${source.name}, ${source.kind}, ${source.description ?? null},
      ${json(source.public_key)}::jsonb, ${thumbprint}, ${source.psp_scheme ?? null}, ${json(source.psp_config)}::jsonb,
      ${sealed && sql.binary(sealed)}, ${timestamp(now)})
    returning ${columns}`);
}

/**
 * Changes the members that `change` has; when they affect the verification of signatures, inconclusive events are verified again. Null when
 * there is no such source. Throws a Problem when the public key or the signing secret is not usable.
 */
export async function changeSource(
  db: Db,
  tenant: Tenant,
  id: string,
  change: SourceChange,
  secret_key: SecretKeys,
  now: number,
): Promise<Source | null> {
  const { org_id, environment } = tenant;
  if (change.psp_scheme || change.signing_secret) {
    const { psp_scheme = null, sealed_secret = null } = (await findSecret(db, tenant, id)) ?? {};
    const {
      psp_scheme: scheme = psp_scheme,
      signing_secret = sealed_secret && tryOpen(secret_key, sealed_secret, id),
    } = change;
    checkSecret(scheme, signing_secret);
  }
  const { thumbprint, sealed } = await secretsOf(id, change, secret_key);
  const set = <T>(input: T | undefined, value: unknown) => input !== undefined && value;
  const assignments = [
    set(change.name, sql.fragment`name = ${change.name ?? null}`),
    set(change.kind, sql.fragment`kind = ${change.kind ?? null}`),
    set(change.description, sql.fragment`description = ${change.description ?? null}`),
    set(
      change.public_key,
      sql.fragment`public_key = ${json(change.public_key)}::jsonb, key_thumbprint = ${thumbprint}`,
    ),
    set(change.psp_scheme, sql.fragment`psp_scheme = ${change.psp_scheme ?? null}`),
    set(change.psp_config, sql.fragment`psp_config = ${json(change.psp_config)}::jsonb`),
    set(change.signing_secret, sql.fragment`sealed_secret = ${sealed && sql.binary(sealed)}`),
    set(change.state, sql.fragment`state = ${change.state ?? null}`),
    sql.fragment`id = id`,
  ].filter(assignment => assignment !== false) as ReturnType<typeof sql.fragment>[];
  const verifiedBy = [change.public_key, change.psp_scheme, change.psp_config, change.signing_secret];
  // A source created by another version during an upgrade is not in the directory yet.
  await db.query(sql.unsafe`
    insert into source_directory (id, org_id, environment)
    select id, org_id, environment from sources where org_id = ${org_id} and environment = ${environment} and id = ${id}
    on conflict (id) do nothing`);
  if (verifiedBy.some(member => member)) await requestRecheck(db, tenant, { kind: 'keys' }, now);
  return db.maybeOne(sql.type(Source)`
    update sources set ${sql.join(assignments, sql.fragment`, `)}
    where org_id = ${org_id} and environment = ${environment} and id = ${id}
    returning ${columns}`);
}

export const findSource = (db: Db, { org_id, environment }: Tenant, id: string) =>
  db.maybeOne(sql.type(Source)`
    select ${columns} from sources where org_id = ${org_id} and environment = ${environment} and id = ${id}`);

/** The source, locked until the transaction ends. */
export const lockSource = (tx: Db, { org_id, environment }: Tenant, id: string) =>
  tx.maybeOne(sql.type(Source)`
    select ${columns} from sources where org_id = ${org_id} and environment = ${environment} and id = ${id} for update`);

export async function listSources(db: Db, { org_id, environment }: Tenant, page: PageRequest): Promise<Page<Source>> {
  const rows = await db.any(sql.type(Source)`
    select ${columns} from sources
    where ${sql.and([
      sql.fragment`org_id = ${org_id} and environment = ${environment}`,
      page.after !== null && sql.fragment`id < ${page.after}`,
    ])}
    order by id desc limit ${page.limit + 1}`);
  return pageOf(rows, page, source => source.id);
}

/** A source that receives a payment service's webhooks. `secret` is null when there is none that can be decrypted. */
export type WebhookSource = Tenant & {
  id: string;
  psp_scheme: z.infer<typeof PspScheme>;
  psp_config: PspConfig | null;
  secret: string | null;
};

const Owner = z.object({ org_id: z.string() });

/** The source of a webhook, in any organization; null when it is unknown, disabled or without a scheme. */
export async function findWebhookSource(
  db: Db,
  environment: string,
  id: string,
  secret_key: SecretKeys,
): Promise<WebhookSource | null> {
  const org_id = await db.maybeOneFirst(sql.type(Owner)`
    select org_id from source_directory where id = ${id} and environment = ${environment}`);
  if (org_id === null) return null;
  const source = await db.maybeOne(sql.type(WebhookSourceRow)`
    select psp_scheme, psp_config, sealed_secret from sources
    where org_id = ${org_id} and environment = ${environment} and id = ${id} and state = 'active' and psp_scheme is not null`);
  if (!source) return null;
  const { psp_scheme, psp_config, sealed_secret } = source;
  const secret = sealed_secret && tryOpen(secret_key, sealed_secret, id);
  return { org_id, environment, id, psp_scheme, psp_config, secret };
}

const WebhookSourceRow = z.object({
  psp_scheme: PspScheme,
  psp_config: PspConfig.nullable(),
  sealed_secret: z.instanceof(Buffer).nullable(),
});

const findSecret = (db: Db, { org_id, environment }: Tenant, id: string) =>
  db.maybeOne(sql.type(SecretRow)`
    select psp_scheme, sealed_secret from sources
    where org_id = ${org_id} and environment = ${environment} and id = ${id}`);

const SecretRow = WebhookSourceRow.pick({ sealed_secret: true }).extend({ psp_scheme: PspScheme.nullable() });

/** Throws `invalid_request` for a secret with which nothing of the scheme is ever genuine. */
function checkSecret(scheme: NewSource['psp_scheme'], secret: string | null | undefined): void {
  if (scheme !== 'adyen' || !secret || isHexSecret(secret)) return;
  throw invalidDetail(
    '/signing_secret',
    'invalid_format',
    'signing_secret must be hexadecimal with the scheme adyen: the HMAC key as Adyen shows it.',
  );
}

async function secretsOf(
  id: string,
  source: Pick<SourceChange, 'public_key' | 'signing_secret'>,
  secret_key?: SecretKeys,
) {
  return {
    thumbprint: source.public_key ? await publicKeyThumbprint(source.public_key, '/public_key') : null,
    sealed: source.signing_secret && secret_key ? seal(secret_key, source.signing_secret, id) : null,
  };
}

const json = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value));
