import { z } from 'zod';
import { route } from '#api/route.ts';
import { replyStored, Zip } from '#api/stored_file.ts';
import { conflict, orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { filesOf } from '#shared/packs/files_of.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { createPack, removePack } from '#shared/packs/store/pack_changes.ts';
import { NewPack, NewPackShare } from '#shared/packs/store/pack_input.ts';
import { createShare, NewShare, PackShare, revokeShare } from '#shared/packs/store/pack_shares.ts';
import { findBuilt, findPack, listPacks, Pack, PackDetail, PackFilters } from '#shared/packs/store/packs.ts';

const params = z.object({ id: Id('pck') });

export const packs = [
  route({
    method: 'get',
    path: '/v1/packs',
    operation_id: 'listPacks',
    tag: 'Packs',
    summary: 'List packs and reports, newest first',
    access: { scopes: ['packs:write'], session: 'read' },
    version: { of: ['packs'] },
    query: PackFilters.extend(pageQuery),
    responses: [[200, 'A page of packs', PageOf(Pack).meta({ id: 'PackPage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listPacks(db, caller, query, pageRequest(config.secret_key, 'packs', caller, query)),
  }),

  route({
    method: 'post',
    path: '/v1/packs',
    operation_id: 'createPack',
    tag: 'Packs',
    summary: 'Build an evidence pack or a report',
    description: `A worker builds a ZIP with the events that the scope is about, up to 100,000, and everything known of them; which events
these are is decided now. It proves, to anyone with a public key of \`GET /v1/keys.json\`, that they were recorded in this order and not
changed since: \`node verify.mjs --keys keys.json pack.zip\`, with the program of \`GET /verify.mjs\`. Poll it, or wait for the webhook
\`pack.ready\`. A pack is kept for 400 days.`,
    access: { scopes: ['packs:write'], session: 'act' },
    changes: ['packs'],
    limit: 'pack',
    body: NewPack,
    errors: { '422': 'The scope names what is not there, or is about more than 100,000 events' },
    responses: [[202, 'The pack, queued', Pack]],
    handle: async ({ body, caller, audit, afterCommit }, { db, queue, now }) => {
      const pack = await createPack(db, caller, body, caller.actor_id, now());
      const { id, kind, scope, redact, event_count } = pack;
      audit({ action: 'pack.created', target_id: id, after: { kind, scope, redact, event_count } });
      const { org_id, environment } = caller;
      afterCommit(() => queue.add('pack', [{ org_id, environment, pack_id: id }]));
      return pack;
    },
  }),

  route({
    method: 'get',
    path: '/v1/packs/{id}',
    operation_id: 'getPack',
    tag: 'Packs',
    summary: 'Read one pack with its links',
    access: { scopes: ['packs:write'], session: 'read' },
    version: { of: ['packs'] },
    params,
    responses: [[200, 'The pack', PackDetail]],
    handle: async ({ params, caller }, { db }) => orNotFound('pack', await findPack(db, caller, params.id)),
  }),

  route({
    method: 'delete',
    path: '/v1/packs/{id}',
    operation_id: 'deletePack',
    tag: 'Packs',
    summary: 'Delete a pack',
    description: 'Its links lead nowhere from now on, and its files are deleted. The record stays, as `expired`.',
    access: { scopes: ['packs:write'], session: 'act' },
    changes: ['packs'],
    params,
    responses: [[200, 'The pack, expired', Pack]],
    handle: async ({ params, caller, audit, afterCommit }, { db, queue, now }) => {
      const pack = await removePack(db, caller, params.id, now());
      audit({ action: 'pack.removed', target_id: pack.id });
      const { org_id, environment } = caller;
      afterCommit(() => queue.add('pack', [{ org_id, environment, pack_id: pack.id }]));
      return pack;
    },
  }),

  route({
    method: 'get',
    path: '/v1/packs/{id}/download',
    operation_id: 'downloadPack',
    tag: 'Packs',
    summary: 'Download a pack',
    description:
      'The ZIP; `Repr-Digest` (RFC 9530) is its SHA-256, as `sha256` of the pack. A download that was cut off goes on with `Range: bytes=…-`, which is answered with 206.',
    access: { scopes: ['packs:write'], session: 'read' },
    version: { of: ['packs'] },
    params,
    media_type: 'application/zip',
    errors: {
      '409': 'The pack is not ready, or not any more',
      '416': '`Range` begins beyond the end of the file',
    },
    responses: [
      [200, 'The ZIP', Zip],
      [206, 'The part of it that `Range` asks for', Zip],
    ],
    handle: async ({ params, caller, request }, { db, storage }) => {
      const { state, sha256, size_bytes, built_in } = orNotFound('pack', await findBuilt(db, caller, params.id));
      if (state !== 'ready' || sha256 === null || size_bytes === null || built_in === null)
        throw conflict(`This pack is ${state}; only one that is ready can be downloaded.`);
      const stored_as = filesOf(caller, params.id, built_in).zip;
      return replyStored(storage, { stored_as, name: `${params.id}.zip`, size_bytes, sha256 }, request.headers);
    },
  }),

  route({
    method: 'post',
    path: '/v1/packs/{id}/share',
    operation_id: 'sharePack',
    tag: 'Packs',
    summary: 'Create a share link to a pack',
    description:
      'The address is answered once, and again to the same Idempotency-Key within 24 hours. It shows the report and has the ZIP for download, until it expires or is revoked; views are logged.',
    access: { scopes: ['packs:write'], session: 'act' },
    changes: ['packs'],
    secret: 'sealed',
    params,
    body: NewPackShare,
    responses: [[201, 'The link', NewShare]],
    handle: async ({ params, body, caller, audit }, { db, config, now }) => {
      const input = { ...body, created_by: caller.actor_id };
      const { id, token, expires_at } = await createShare(db, caller, params.id, input, now());
      audit({ action: 'pack.shared', target_id: params.id, after: { share_id: id, expires_at } });
      return { id, url: `${config.base_url}/share/${token}`, expires_at };
    },
  }),

  route({
    method: 'delete',
    path: '/v1/packs/{id}/shares/{share_id}',
    operation_id: 'revokePackShare',
    tag: 'Packs',
    summary: 'Revoke a link to a pack',
    access: { scopes: ['packs:write'], session: 'act' },
    changes: ['packs'],
    params: params.extend({ share_id: Id('shr') }),
    responses: [[200, 'The link, revoked', PackShare]],
    handle: async ({ params, caller, audit }, { db, now }) => {
      const share = await revokeShare(db, caller, params.id, params.share_id, now());
      audit({ action: 'pack.share_revoked', target_id: params.id, after: { share_id: share.id } });
      return share;
    },
  }),
];
