import { z } from 'zod';
import { route } from '#api/route.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { findPayee, listPayees, Payee, PayeeFilters } from '#shared/events/parties/payee_records.ts';

export const payees = [
  route({
    method: 'get',
    path: '/v1/payees',
    operation_id: 'listPayees',
    tag: 'Payees',
    summary: 'List payees, newest first',
    access: { scopes: ['agents:read'], session: 'read' },
    version: { of: ['payees', 'analysis'] },
    query: PayeeFilters.extend(pageQuery),
    responses: [[200, 'A page of payees', PageOf(Payee).meta({ id: 'PayeePage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listPayees(db, caller, query, pageRequest(config.secret_key, 'payees', caller, query)),
  }),

  route({
    method: 'get',
    path: '/v1/payees/{id}',
    operation_id: 'getPayee',
    tag: 'Payees',
    summary: 'Read one payee',
    access: { scopes: ['agents:read'], session: 'read' },
    version: { of: ['payees', 'analysis'] },
    params: z.object({ id: Id('pye') }),
    responses: [[200, 'The payee', Payee]],
    handle: async ({ params, caller }, { db }) => orNotFound('payee', await findPayee(db, caller, params.id)),
  }),
];
