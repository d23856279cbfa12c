import { z } from 'zod';
import { route } from '#api/route.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import {
  changeSource,
  createSource,
  findSource,
  listSources,
  lockSource,
  NewSource,
  Source,
  SourceChange,
} from '#shared/keys/sources.ts';

export const sources = [
  route({
    method: 'get',
    path: '/v1/sources',
    operation_id: 'listSources',
    tag: 'Sources',
    summary: 'List the sources that events come from, newest first',
    access: { scopes: ['events:read', 'events:write'], session: 'read' },
    query: z.strictObject(pageQuery),
    version: { of: ['sources', 'analysis'] },
    responses: [[200, 'A page of sources', PageOf(Source).meta({ id: 'SourcePage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listSources(db, caller, pageRequest(config.secret_key, 'sources', caller, query)),
  }),

  route({
    method: 'post',
    path: '/v1/sources',
    operation_id: 'createSource',
    tag: 'Sources',
    summary: 'Register a source',
    access: { scopes: ['events:write'], session: 'configure' },
    changes: ['sources'],
    body: NewSource,
    responses: [[201, 'The source', Source]],
    handle: async ({ body, caller, audit }, { db, config, now }) => {
      const source = await createSource(db, caller, body, now(), config.secret_key);
      audit({ action: 'source.created', target_id: source.id, after: source });
      return source;
    },
  }),

  route({
    method: 'get',
    path: '/v1/sources/{id}',
    operation_id: 'getSource',
    tag: 'Sources',
    summary: 'Read one source',
    access: { scopes: ['events:read', 'events:write'], session: 'read' },
    params: z.object({ id: Id('src') }),
    version: { of: ['sources', 'analysis'] },
    responses: [[200, 'The source', Source]],
    handle: async ({ params, caller }, { db }) => orNotFound('source', await findSource(db, caller, params.id)),
  }),

  route({
    method: 'patch',
    path: '/v1/sources/{id}',
    operation_id: 'changeSource',
    tag: 'Sources',
    summary: 'Change a source, or disable it',
    access: { scopes: ['events:write'], session: 'configure' },
    changes: ['sources'],
    params: z.object({ id: Id('src') }),
    body: SourceChange,
    responses: [[200, 'The source', Source]],
    handle: async ({ params, body, caller, audit }, { db, config, now }) => {
      const before = await lockSource(db, caller, params.id);
      const changed = before && (await changeSource(db, caller, params.id, body, config.secret_key, now()));
      const source = orNotFound('source', changed);
      audit({ action: 'source.changed', target_id: source.id, before, after: source });
      return source;
    },
  }),
];
