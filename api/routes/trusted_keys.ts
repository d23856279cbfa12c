import { z } from 'zod';
import { route } from '#api/route.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { NewTrustedKey, readTrustedKeys } from '#shared/keys/trusted_key_input.ts';
import { addTrustedKeys, Kid, listTrustedKeys, revokeTrustedKey, TrustedKey } from '#shared/keys/trusted_keys.ts';

const TrustedKeyPage = PageOf(TrustedKey).meta({ id: 'TrustedKeyPage' });

export const trustedKeys = [
  route({
    method: 'get',
    path: '/v1/trusted-keys',
    operation_id: 'listTrustedKeys',
    tag: 'Trusted keys',
    summary: 'List trusted keys, including expired and revoked ones, newest first',
    access: { session: 'administer' },
    version: { of: ['trusted_keys'] },
    query: z.strictObject(pageQuery),
    responses: [[200, 'A page of keys', TrustedKeyPage]],
    handle: ({ query, caller }, { db, config }) =>
      listTrustedKeys(db, caller, pageRequest(config.secret_key, 'trusted_keys', caller, query)),
  }),

  route({
    method: 'post',
    path: '/v1/trusted-keys',
    operation_id: 'addTrustedKey',
    tag: 'Trusted keys',
    summary: 'Add a trusted key, a key set, or a root certificate',
    description: 'With `jwk` or `x5c_root` the answer is the record; with `jwks` it is `{data, next_cursor: null}`.',
    access: { session: 'administer' },
    changes: ['trusted_keys'],
    body: NewTrustedKey,
    responses: [[201, 'The key, or all keys of the set', z.union([TrustedKey, TrustedKeyPage])]],
    handle: async ({ body, caller, audit }, { db, now }) => {
      const added = await addTrustedKeys(db, caller, await readTrustedKeys(body), caller.actor_id, now());
      for (const key of added) audit({ action: 'trusted_key.added', target_id: key.kid, after: key });
      return body.jwks ? { data: added, next_cursor: null } : added[0];
    },
  }),

  route({
    method: 'delete',
    path: '/v1/trusted-keys/{kid}',
    operation_id: 'revokeTrustedKey',
    tag: 'Trusted keys',
    summary: 'Revoke a trusted key',
    description: 'Revoking a key again changes nothing. Its kid can be given to another key afterwards.',
    access: { session: 'administer' },
    changes: ['trusted_keys'],
    params: z.object({ kid: Kid.meta({ description: 'percent-encoded' }) }),
    responses: [[200, 'The key', TrustedKey]],
    handle: async ({ params, caller, audit }, { db, now }) => {
      const revoked = orNotFound('trusted key', await revokeTrustedKey(db, caller, params.kid, now()));
      audit({ action: 'trusted_key.revoked', target_id: params.kid, ...revoked });
      return revoked.after;
    },
  }),
];
