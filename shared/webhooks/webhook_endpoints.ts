import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Config } from '#shared/settings/config.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { conflict, invalidDetail, orNotFound } from '#shared/interface/errors.ts';
import { Id, newId } from '#shared/interface/ids.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { open, seal, type SecretKeys } from '#shared/platform/secret_box.ts';
import { HOUR, timestamp } from '#shared/values/time.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { type EndpointSecret, GENERATED_PREFIX } from './sign.ts';

export const WebhookEndpoint = z
  .object({
    id: Id('whe'),
    url: z.string(),
    state: z.enum(['active', 'disabled']),
    created_at: Timestamp,
  })
  .meta({ id: 'WebhookEndpoint' });
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;

/** An endpoint together with its secret: the only time the secret is shown. */
export type WebhookEndpointWithSecret = WebhookEndpoint & { secret: string };

const columns = sql.fragment`id, url, state, created_at`;

/** How long the old secret counts beside the new one after a rotation. */
export const ROTATION_OVERLAP = 24 * HOUR;

/** Makes an endpoint, with the operator's secret or a generated one. Throws `invalid_request` when the URL or secret will not do. */
export async function createEndpoint(
  db: Db,
  config: Pick<Config, 'environment' | 'secret_key'>,
  tenant: Tenant,
  input: { url: string; secret?: string | undefined },
  now: number,
): Promise<WebhookEndpointWithSecret> {
  checkUrl(input.url, config.environment);
  const { org_id, environment } = tenant;
  const id = newId('whe', now);
  const { text, generated } = newSecret(input.secret);
  return db.transaction(async tx => {
    const endpoint = await tx.one(sql.type(WebhookEndpoint)`
      insert into webhook_endpoints (org_id, environment, id, url, sealed_secret, generated, created_at)
      values (${org_id}, ${environment}, ${id}, ${input.url}, ${sql.binary(seal(config.secret_key, text, id))}, ${generated},
        ${timestamp(now)})
      returning ${columns}`);
    await moveVersions(tx, tenant, ['webhooks']);
    return { ...endpoint, secret: text };
  });
}

/**
 * Gives an endpoint a new secret. For 24 h, or until `activateSecret`, deliveries are signed with the old one too. A rotation during that
 * time replaces the new secret, and keeps the one that receivers check `Service-Signature` with. Throws `not_found`.
 */
export async function rotateSecret(
  db: Db,
  config: Pick<Config, 'secret_key'>,
  { org_id, environment }: Tenant,
  { id, secret }: { id: string; secret?: string | undefined },
  now: number,
): Promise<WebhookEndpointWithSecret> {
  const { text, generated } = newSecret(secret);
  const previousColumn = (old: 'sealed_secret' | 'generated') => sql.fragment`
    case when previous_expires_at > ${timestamp(now)} then ${sql.identifier([`previous_${old}`])} else ${sql.identifier([old])} end`;
  const endpoint = orNotFound(
    'webhook endpoint',
    await db.maybeOne(sql.type(WebhookEndpoint)`
    update webhook_endpoints
    set sealed_secret = ${sql.binary(seal(config.secret_key, text, id))}, generated = ${generated},
      previous_sealed_secret = ${previousColumn('sealed_secret')}, previous_generated = ${previousColumn('generated')},
      previous_expires_at = ${timestamp(now + ROTATION_OVERLAP)}
    where org_id = ${org_id} and environment = ${environment} and id = ${id}
    returning ${columns}`),
  );
  return { ...endpoint, secret: text };
}

/** Ends a rotation early: the new secret alone signs from now on. Throws `not_found`, or `conflict` when none is under way. */
export async function activateSecret(db: Db, tenant: Tenant, id: string, now: number): Promise<WebhookEndpoint> {
  const { org_id, environment } = tenant;
  const endpoint = await db.maybeOne(sql.type(WebhookEndpoint)`
    update webhook_endpoints
    set previous_sealed_secret = null, previous_generated = null, previous_expires_at = null
    where org_id = ${org_id} and environment = ${environment} and id = ${id} and previous_expires_at > ${timestamp(now)}
    returning ${columns}`);
  if (endpoint) return endpoint;
  await findEndpoint(db, tenant, id);
  throw conflict('No rotation of this endpoint is under way: rotate-secret without --activate begins one.');
}

/** One endpoint. Throws `not_found`. */
export const findEndpoint = async (db: Db, { org_id, environment }: Tenant, id: string): Promise<WebhookEndpoint> =>
  orNotFound(
    'webhook endpoint',
    await db.maybeOne(sql.type(WebhookEndpoint)`
    select ${columns} from webhook_endpoints where org_id = ${org_id} and environment = ${environment} and id = ${id}`),
  );

/** Sends webhooks of an endpoint elsewhere, those that are pending too. Throws `not_found`, and `invalid_request` as above. */
export function setUrl(
  db: Db,
  config: Pick<Config, 'environment'>,
  tenant: Tenant,
  { id, url }: { id: string; url: string },
): Promise<WebhookEndpoint> {
  checkUrl(url, config.environment);
  return change(db, tenant, id, sql.fragment`url = ${url}`);
}

/** Has an endpoint told again of what happens from now on. Again → the same. Throws `not_found`. */
export const enableEndpoint = (db: Db, tenant: Tenant, id: string): Promise<WebhookEndpoint> =>
  change(db, tenant, id, sql.fragment`state = 'active'`);

const change = (db: Db, tenant: Tenant, id: string, set: ReturnType<typeof sql.fragment>): Promise<WebhookEndpoint> =>
  db.transaction(async tx => {
    const endpoint = orNotFound(
      'webhook endpoint',
      await tx.maybeOne(sql.type(WebhookEndpoint)`
      update webhook_endpoints set ${set}
      where org_id = ${tenant.org_id} and environment = ${tenant.environment} and id = ${id}
      returning ${columns}`),
    );
    await moveVersions(tx, tenant, ['webhooks']);
    return endpoint;
  });

/** Ends an endpoint: nothing is sent to it any more, and what was pending is canceled. Again → the same. Throws `not_found`. */
export function disableEndpoint(db: Db, tenant: Tenant, id: string, now: number): Promise<WebhookEndpoint> {
  const { org_id, environment } = tenant;
  return db.transaction(async tx => {
    const endpoint = await change(tx, tenant, id, sql.fragment`state = 'disabled'`);
    // A row that a transaction still open is inserting is missed here; the worker cancels it when its turn comes.
    await tx.query(sql.unsafe`
      update webhook_deliveries set state = 'canceled', finished_at = ${timestamp(now)}
      where org_id = ${org_id} and environment = ${environment} and endpoint_id = ${id} and state = 'pending'`);
    return endpoint;
  });
}

/** Lists endpoints, the newest first. */
export async function listEndpoints(
  db: Db,
  { org_id, environment }: Tenant,
  page: PageRequest,
): Promise<Page<WebhookEndpoint>> {
  const rows = await db.any(sql.type(WebhookEndpoint)`
    select ${columns} from webhook_endpoints
    where ${sql.and([
      sql.fragment`org_id = ${org_id} and environment = ${environment}`,
      page.after !== null && sql.fragment`id < ${page.after}`,
    ])}
    order by id desc limit ${page.limit + 1}`);
  return pageOf(rows, page, endpoint => endpoint.id);
}

/** The columns that hold an endpoint's secrets, sealed. */
export const SealedSecrets = z.object({
  sealed_secret: z.instanceof(Buffer),
  generated: z.boolean(),
  previous_sealed_secret: z.instanceof(Buffer).nullable(),
  previous_generated: z.boolean().nullable(),
  previous_expires_at: z.string().nullable(),
});
export type SealedSecrets = z.infer<typeof SealedSecrets>;

/** How an endpoint is told: where, whether it is, and its secrets. Throws `not_found`. */
export const findSigning = async (db: Db, { org_id, environment }: Tenant, id: string) =>
  orNotFound(
    'webhook endpoint',
    await db.maybeOne(sql.type(SealedSecrets.extend(WebhookEndpoint.pick({ url: true, state: true }).shape))`
    select url, state, sealed_secret, generated, previous_sealed_secret, previous_generated, previous_expires_at
    from webhook_endpoints where org_id = ${org_id} and environment = ${environment} and id = ${id}`),
  );

/** The secrets that count, the newest first. Throws when they were sealed with another key. */
export function openSecrets(
  secret_key: SecretKeys,
  endpoint_id: string,
  sealed: SealedSecrets,
  now: number,
): [EndpointSecret, ...EndpointSecret[]] {
  const newest = { text: open(secret_key, sealed.sealed_secret, endpoint_id), generated: sealed.generated };
  const { previous_sealed_secret: previous, previous_generated, previous_expires_at } = sealed;
  if (!previous || !previous_expires_at || Date.parse(previous_expires_at) <= now) return [newest];
  return [newest, { text: open(secret_key, previous, endpoint_id), generated: previous_generated === true }];
}

function newSecret(text: string | undefined): EndpointSecret {
  if (text === undefined) return { text: GENERATED_PREFIX + randomBytes(32).toString('base64'), generated: true };
  if (text.length >= 32 && text.length <= 500) return { text, generated: false };
  throw invalidDetail('/secret', 'invalid_length', `A secret has 32 to 500 characters; this one has ${text.length}.`);
}

/** Throws `invalid_request` where webhooks may not go to a URL. Addresses are judged when they are called. */
export function checkUrl(text: string, environment: Config['environment']) {
  const url = text.length <= 2_048 && !/\s/.test(text) ? URL.parse(text) : null;
  const refuse = (message: string) => invalidDetail('/url', 'invalid_url', message);
  if (!url) throw refuse('The URL of an endpoint must be an absolute URL of at most 2048 characters, without spaces.');
  if (url.username || url.password) throw refuse('The URL of an endpoint must not hold a user name or password.');
  if (url.protocol === 'https:' || (url.protocol === 'http:' && environment === 'sandbox')) return;
  throw refuse(
    environment === 'sandbox' ? 'The URL must begin with https:// or http://.' : 'The URL must begin with https://.',
  );
}

const EndpointStates = z.object({ state: z.enum(['active', 'disabled']), endpoints: z.number() });

/** How many endpoints there are in each state, of everybody. */
export const endpointStates = (db: Db) =>
  db.any(sql.type(EndpointStates)`
    select s.state, count(e.id) as endpoints from (values ('active'), ('disabled')) s (state)
    left join webhook_endpoints e on e.state = s.state group by s.state order by s.state`);
