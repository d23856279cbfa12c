import { z } from 'zod';
import { route } from '#api/route.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { reviewScreening } from '#shared/screening/flow/review_screening.ts';
import { NewReview } from '#shared/screening/store/screening_input.ts';
import { listScreeningLists, ScreeningList } from '#shared/screening/store/screening_lists.ts';
import { findScreening, listScreenings, Screening, ScreeningFilters } from '#shared/screening/store/screenings.ts';

const params = z.object({ id: Id('scr') });

export const screenings = [
  route({
    method: 'get',
    path: '/v1/screenings',
    operation_id: 'listScreenings',
    tag: 'Screenings',
    summary: 'List screenings, newest first',
    access: { scopes: ['alerts:read'], session: 'read' },
    version: { of: ['screenings'] },
    query: ScreeningFilters.extend(pageQuery),
    responses: [[200, 'A page of screenings', PageOf(Screening).meta({ id: 'ScreeningPage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listScreenings(db, caller, query, pageRequest(config.secret_key, 'screenings', caller, query)),
  }),

  route({
    method: 'get',
    path: '/v1/screenings/{id}',
    operation_id: 'getScreening',
    tag: 'Screenings',
    summary: 'Read one screening',
    access: { scopes: ['alerts:read'], session: 'read' },
    version: { of: ['screenings'] },
    params,
    responses: [[200, 'The screening', Screening]],
    handle: async ({ params, caller }, { db }) => orNotFound('screening', await findScreening(db, caller, params.id)),
  }),

  route({
    method: 'post',
    path: '/v1/screenings/{id}/review',
    operation_id: 'reviewScreening',
    tag: 'Screenings',
    summary: 'Decide on the matches of a screening',
    description: `The decision is one on every open match. Of a registered payee it is remembered: a false positive is not
raised again until the names of the payee or of the entry change.`,
    access: { scopes: ['alerts:write'], session: 'act' },
    changes: ['screenings', 'payees', 'alerts'],
    params,
    body: NewReview,
    errors: {
      '409': 'It has changed since it was read, or the Idempotency-Key is in use',
      '422': '`not_reviewable`: it is no potential match; `reason_required`: as good as certain, and no reason',
    },
    responses: [[200, 'It was decided', z.object({ ok: z.literal(true) }).meta({ id: 'ReviewAnswer' })]],
    handle: async ({ params, body, caller, audit, afterCommit }, { db, queue, now }) => {
      const { org_id, environment, actor_id } = caller;
      const updated_at = body.updated_at === undefined ? null : Date.parse(body.updated_at);
      const review = { decision: body.decision, reason: body.reason ?? null, actor_id, updated_at };
      const { reviewed, told } = await reviewScreening(db, caller, params.id, review, now());
      if (reviewed) audit({ action: 'screening.reviewed', target_id: params.id, ...reviewed });
      afterCommit(() => queue.add('webhook', told.jobs));
      if (told.held) afterCommit(() => queue.add('detect', [{ org_id, environment }]));
      return { ok: true };
    },
  }),

  route({
    method: 'get',
    path: '/v1/screening-lists',
    operation_id: 'listScreeningLists',
    tag: 'Screenings',
    summary: 'List the screening lists',
    access: { scopes: ['alerts:read'], session: 'read' },
    version: { of: 'answer' },
    query: z.strictObject(pageQuery),
    responses: [[200, 'A page of lists', PageOf(ScreeningList).meta({ id: 'ScreeningListPage' })]],
    handle: ({ query, caller }, { db, config, now }) =>
      listScreeningLists(db, caller.org_id, pageRequest(config.secret_key, 'screening_lists', caller, query), now()),
  }),
];
