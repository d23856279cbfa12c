import { z } from 'zod';
import { route } from '#api/route.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { findOwner, listOwners, Owner, OwnerFilters } from '#shared/events/parties/owner_records.ts';

export const owners = [
  route({
    method: 'get',
    path: '/v1/owners',
    operation_id: 'listOwners',
    tag: 'Owners',
    summary: 'List the owners of agents, newest first',
    access: { scopes: ['agents:read'], session: 'read' },
    version: { of: ['owners', 'analysis'] },
    query: OwnerFilters.extend(pageQuery),
    responses: [[200, 'A page of owners', PageOf(Owner).meta({ id: 'OwnerPage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listOwners(db, caller, query, pageRequest(config.secret_key, 'owners', caller, query)),
  }),

  route({
    method: 'get',
    path: '/v1/owners/{id}',
    operation_id: 'getOwner',
    tag: 'Owners',
    summary: 'Read one owner',
    access: { scopes: ['agents:read'], session: 'read' },
    version: { of: ['owners', 'analysis'] },
    params: z.object({ id: Id('own') }),
    responses: [[200, 'The owner', Owner]],
    handle: async ({ params, caller }, { db }) => orNotFound('owner', await findOwner(db, caller, params.id)),
  }),
];
