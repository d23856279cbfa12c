import { z } from 'zod';
import { route } from '#api/route.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { changeMandate, createMandate } from '#shared/mandates/store/mandate_changes.ts';
import { MandateChange, NewMandate } from '#shared/mandates/store/mandate_input.ts';
import {
  findMandate,
  listMandates,
  listMandateVersions,
  Mandate,
  MandateVersion,
  MandateFilters,
} from '#shared/mandates/store/mandates.ts';
import { listMandatePayments, MandatePayment, MandatePaymentFilters } from '#shared/assessment/mandate_payments.ts';
import { MandateUse, readMandateUse, USE_HOLDS } from '#shared/assessment/mandate_use.ts';
import { MINUTE } from '#shared/values/time.ts';

const params = z.object({ id: Id('mnd') });

export const mandates = [
  route({
    method: 'get',
    path: '/v1/mandates',
    operation_id: 'listMandates',
    tag: 'Mandates',
    summary: 'List mandates, newest first',
    access: { scopes: ['agents:read'], session: 'read' },
    version: { of: ['mandates'], every: MINUTE },
    query: MandateFilters.extend(pageQuery),
    responses: [[200, 'A page of mandates', PageOf(Mandate).meta({ id: 'MandatePage' })]],
    handle: ({ query, caller }, { db, config, now }) =>
      listMandates(db, caller, query, pageRequest(config.secret_key, 'mandates', caller, query), now()),
  }),

  route({
    method: 'post',
    path: '/v1/mandates',
    operation_id: 'createMandate',
    tag: 'Mandates',
    summary: 'Create a mandate',
    access: { session: 'configure' },
    changes: ['mandates', 'agents', 'owners'],
    body: NewMandate,
    responses: [[201, 'The mandate', Mandate]],
    handle: async ({ body, caller, audit }, { db, now }) => {
      const mandate = await createMandate(db, caller, body, caller.actor_id, now());
      audit({ action: 'mandate.created', target_id: mandate.id, after: mandate });
      return mandate;
    },
  }),

  route({
    method: 'get',
    path: '/v1/mandates/{id}',
    operation_id: 'getMandate',
    tag: 'Mandates',
    summary: 'Read one mandate',
    access: { scopes: ['agents:read'], session: 'read' },
    version: { of: ['mandates'], every: MINUTE },
    params,
    responses: [[200, 'The mandate', Mandate]],
    handle: async ({ params, caller }, { db, now }) =>
      orNotFound('mandate', await findMandate(db, caller, params.id, now())),
  }),

  route({
    method: 'patch',
    path: '/v1/mandates/{id}',
    operation_id: 'changeMandate',
    tag: 'Mandates',
    summary: 'Change, pause, resume or revoke a mandate',
    description: 'What changes makes a new version; evaluations keep the version they were made by. Revoking is final.',
    access: { session: 'configure' },
    changes: ['mandates'],
    params,
    body: MandateChange,
    responses: [[200, 'The mandate', Mandate]],
    handle: async ({ params, body, caller, audit }, { db, now }) => {
      const { before, after } = await changeMandate(db, caller, params.id, body, caller.actor_id, now());
      audit({ action: 'mandate.changed', target_id: after.id, before, after });
      return after;
    },
  }),

  route({
    method: 'get',
    path: '/v1/mandates/{id}/use',
    operation_id: 'getMandateUse',
    tag: 'Mandates',
    summary: 'Read the usage of a mandate’s limits',
    description:
      'Of the limits for several payments together: budgets, velocity and recurrence, each for the time that counts now. A recurrence with `max_occurrences` has two.',
    access: { scopes: ['agents:read'], session: 'read' },
    version: { of: ['mandates', 'analysis', 'verdicts'], every: USE_HOLDS },
    params,
    responses: [[200, 'What is used, by limit', MandateUse]],
    handle: async ({ params, caller }, { db, ingest, now }) =>
      orNotFound('mandate', await readMandateUse(db, caller, params.id, await ingest.rates.current(), now())),
  }),

  route({
    method: 'get',
    path: '/v1/mandates/{id}/payments',
    operation_id: 'listMandatePayments',
    tag: 'Mandates',
    summary: 'List the events evaluated by a mandate, latest payment first',
    description:
      'Each with what the mandate says of it, constraint by constraint; `result=breach` for those that break it.',
    access: { scopes: ['events:read'], session: 'read' },
    version: { of: ['mandates', 'log', 'analysis', 'verdicts'] },
    params,
    query: MandatePaymentFilters.extend(pageQuery),
    responses: [[200, 'A page of events', PageOf(MandatePayment).meta({ id: 'MandatePaymentPage' })]],
    handle: async ({ params, query, caller }, { db, config, now }) => {
      orNotFound('mandate', await findMandate(db, caller, params.id, now()));
      const page = pageRequest(config.secret_key, `mandate_payments ${params.id}`, caller, query);
      return listMandatePayments(db, caller, params.id, query, page);
    },
  }),

  route({
    method: 'get',
    path: '/v1/mandates/{id}/versions',
    operation_id: 'listMandateVersions',
    tag: 'Mandates',
    summary: 'List the versions of a mandate, newest first',
    access: { scopes: ['agents:read'], session: 'read' },
    version: { of: ['mandates'] },
    params,
    query: z.strictObject(pageQuery),
    responses: [[200, 'A page of versions', PageOf(MandateVersion).meta({ id: 'MandateVersionPage' })]],
    handle: async ({ params, query, caller }, { db, config, now }) => {
      orNotFound('mandate', await findMandate(db, caller, params.id, now()));
      const list = `mandate_versions ${params.id}`;
      return listMandateVersions(db, caller, params.id, pageRequest(config.secret_key, list, caller, query));
    },
  }),
];
