import { z } from 'zod';
import { route } from '#api/route.ts';
import { invalidDetail, orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import {
  ApiKey,
  ApiKeyFilters,
  createApiKey,
  lockApiKey,
  NewApiKey,
  pageApiKeys,
  revokeApiKey,
} from '#shared/keys/api_keys.ts';

const CreatedApiKey = ApiKey.extend({ key: z.string().meta({ description: 'the full key; shown this once' }) }).meta({
  id: 'CreatedApiKey',
});

export const apiKeys = [
  route({
    method: 'get',
    path: '/v1/api-keys',
    operation_id: 'listApiKeys',
    tag: 'API keys',
    summary: 'List API keys, including revoked ones, newest first',
    access: { session: 'read' },
    version: { of: ['keys'] },
    query: ApiKeyFilters.extend(pageQuery),
    responses: [[200, 'A page of keys', PageOf(ApiKey).meta({ id: 'ApiKeyPage' })]],
    handle: ({ query, caller }, { db, config }) =>
      pageApiKeys(db, caller, query, pageRequest(config.secret_key, 'api_keys', caller, query)),
  }),

  route({
    method: 'post',
    path: '/v1/api-keys',
    operation_id: 'createApiKey',
    tag: 'API keys',
    summary: 'Create an API key; it is shown once',
    description:
      'It may expire (`expires_at`) and be bound to networks (`ip_allowlist`); otherwise it is refused like one that is unknown. To change a key without downtime: create a new one with the same scopes, deploy it, see that `last_used_at` of the old one stands still, then revoke that.',
    access: { session: 'configure' },
    changes: ['keys', 'sources'],
    secret: true,
    body: NewApiKey,
    responses: [[201, 'The key', CreatedApiKey]],
    handle: async ({ body, caller, audit }, { db, config, now }) => {
      const { org_id, environment, user_id } = caller;
      if (body.env !== config.key_env)
        throw invalidDetail('/env', 'invalid_value', `env must be ${config.key_env}: this is ${environment}.`);
      const created = await createApiKey(db, { ...body, org_id, environment, created_by: user_id }, now());
      const { key: _, ...record } = created;
      audit({ action: 'key.created', target_id: record.id, after: record });
      return created;
    },
  }),

  route({
    method: 'delete',
    path: '/v1/api-keys/{id}',
    operation_id: 'revokeApiKey',
    tag: 'API keys',
    summary: 'Revoke an API key',
    description: 'It stops working at once here and everywhere within 10 seconds. Revoking it again changes nothing.',
    access: { session: 'configure' },
    changes: ['keys'],
    params: z.object({ id: Id('key') }),
    responses: [[200, 'The key', ApiKey]],
    handle: async ({ params, caller, audit, afterCommit }, { db, callers, now }) => {
      const before = await lockApiKey(db, caller, params.id);
      const after = orNotFound('key', before && (await revokeApiKey(db, caller.org_id, params.id, now())));
      audit({ action: 'key.revoked', target_id: after.id, before, after });
      afterCommit(() => callers.forget(after.id));
      return after;
    },
  }),
];
