import { z } from 'zod';
import { route } from '#api/route.ts';
import { countries, isCountry } from '#shared/values/countries.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import { PayeeType } from '#shared/values/event_types.ts';
import { Id } from '#shared/interface/ids.ts';
import { oneOfCodes } from '#shared/json/json_schema.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { findPayee, listPayees, Payee, ScreeningState } from '#shared/events/parties/payee_records.ts';

export const payees = [
  route({
    method: 'get',
    path: '/v1/payees',
    operation_id: 'listPayees',
    tag: 'Payees',
    summary: 'List payees, newest first',
    access: { scopes: ['agents:read'], session: 'read' },
    version: { of: ['payees', 'analysis'] },
    query: z.strictObject({
      q: z.string().trim().min(2).max(200).optional().meta({
        description: 'part of the key or of a name, a former one too, whatever its case and accents',
      }),
      screening_state: ScreeningState.optional(),
      type: PayeeType.optional(),
      country: z
        .string()
        .toUpperCase()
        .refine(isCountry, 'must be an ISO 3166-1 alpha-2 code such as DE')
        .optional()
        .meta({ description: 'ISO 3166-1 alpha-2, in any case', override: oneOfCodes(countries) }),
      ...pageQuery,
    }),
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
