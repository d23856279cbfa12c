import { z } from 'zod';
import { route } from '#api/route.ts';
import { notFound } from '#shared/errors.ts';
import { Id } from '#shared/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/page.ts';
import {
  changeSource,
  createSource,
  findSource,
  listSources,
  NewSource,
  Source,
  SourceChange,
} from '#shared/resources/sources.ts';

export const sources = [
  route({
    method: 'get',
    path: '/v1/sources',
    operation_id: 'listSources',
    tag: 'Sources',
    summary: 'List the sources that events come from, newest first',
    access: ['events:read', 'events:write'],
    query: z.strictObject(pageQuery),
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
    access: ['events:write'],
    body: NewSource,
    responses: [[201, 'The source', Source]],
    handle: ({ body, caller }, { db, config, now }) => createSource(db, caller, body, now(), config.secret_key),
  }),

  route({
    method: 'get',
    path: '/v1/sources/{id}',
    operation_id: 'getSource',
    tag: 'Sources',
    summary: 'Read one source',
    access: ['events:read', 'events:write'],
    params: z.object({ id: Id('src') }),
    responses: [[200, 'The source', Source]],
    handle: async ({ params, caller }, { db }) => {
      const source = await findSource(db, caller, params.id);
      if (!source) throw notFound('source');
      return source;
    },
  }),

  route({
    method: 'patch',
    path: '/v1/sources/{id}',
    operation_id: 'changeSource',
    tag: 'Sources',
    summary: 'Change a source, or disable it',
    access: ['events:write'],
    params: z.object({ id: Id('src') }),
    body: SourceChange,
    responses: [[200, 'The source', Source]],
    handle: async ({ params, body, caller }, { db, config }) => {
      const source = await changeSource(db, caller, params.id, body, config.secret_key);
      if (!source) throw notFound('source');
      return source;
    },
  }),
];
