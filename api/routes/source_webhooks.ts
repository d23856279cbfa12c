import { z } from 'zod';
import { ingestEvents } from '#api/ingest_events.ts';
import { route } from '#api/route.ts';
import type { ApiServices } from '#api/services.ts';
import { conflict, notFound, orNotFound, Problem, unauthorized } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { findSource, findWebhookSource, type WebhookSource } from '#shared/keys/sources.ts';
import { networkOf } from '#shared/people/attempt_limits.ts';
import { checkWebhook } from '#shared/sources/signed_webhook.ts';
import { Replayed, replayUnread, type TakeEvents, takeWebhook } from '#shared/sources/take_webhooks.ts';
import { listUnread, UnreadWebhook } from '#shared/sources/unread.ts';

/** The same error for a source that is unknown, disabled or without a secret, and for a wrong signature. */
const refusal = () =>
  unauthorized('No source with this id has signed this body. Signatures are good for five minutes.');
const tooMany = () =>
  new Problem('rate_limited', 'Too many webhooks. Retry-After says when to go on.', {
    headers: { 'Retry-After': '1' },
  });

const Webhook = z.unknown().meta({
  description: 'the webhook as the payment service sends it, byte for byte; most send JSON',
  examples: [{ id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy', object: 'event', type: 'payment_intent.succeeded' }],
});

const params = z.object({ id: Id('src') });

export const sourceWebhooks = [
  route({
    method: 'post',
    path: '/v1/sources/{id}/webhooks',
    operation_id: 'takeSourceWebhook',
    tag: 'Sources',
    summary: 'Receive a webhook from a payment service',
    description:
      "For the payment service itself: its signature is the credential. What the webhook says becomes events of the source, with the webhook as evidence; the same notice sent again changes nothing. What says nothing of a payment is received and left; what cannot be read is kept, and can be read again once the source's mapping was corrected.",
    access: 'public',
    params,
    body: Webhook,
    raw_body: true,
    errors: {
      '401': 'The source has not signed this body, or there is no such source that takes webhooks',
      '415': 'Its Content-Encoding is unknown',
      '429': 'Too many webhooks, or more events than can be analyzed; Retry-After says when to try again',
    },
    responses: [[202, 'Received', z.object({ received: z.literal(true) })]],
    handle: async ({ params: { id }, body, request }, services) => {
      const { db, config, now, metrics, rate_limits, pressure } = services;
      const source = await findWebhookSource(db, config.environment, id, config.secret_key);
      const webhook = checkWebhook(source, { headers: request.headers, body }, now());
      if (!source || !webhook) {
        metrics.sourceWebhooks.inc({ outcome: 'refused' });
        // Only failures are counted by address: a payment service may share its address with strangers.
        const failures = await rate_limits.take('write', `failures ${networkOf(request.ip)}`);
        throw failures.refused ? tooMany() : refusal();
      }
      const { refused } = await rate_limits.take('write', source.id);
      if (refused) throw tooMany();
      await pressure.admitEvents(source, { append() {} });
      const outcome = await takeWebhook({ db, takeEvents: taking(services), now }, source, webhook);
      metrics.sourceWebhooks.inc({ outcome });
      return { received: true };
    },
  }),

  route({
    method: 'get',
    path: '/v1/sources/{id}/unread',
    operation_id: 'listUnreadWebhooks',
    tag: 'Sources',
    summary: 'List the webhooks of a source that could not be read, newest first',
    description: 'They are kept for 30 days, and no more than the latest 1000 of a source.',
    access: { scopes: ['events:read'], session: 'read' },
    params,
    query: z.strictObject(pageQuery),
    version: { of: 'answer' },
    responses: [[200, 'A page of unread webhooks', PageOf(UnreadWebhook).meta({ id: 'UnreadWebhookPage' })]],
    handle: async ({ params: { id }, query, caller }, { db, config }) => {
      orNotFound('source', await findSource(db, caller, id));
      const page = pageRequest(config.secret_key, `unread ${id}`, caller, query);
      return listUnread(db, { ...tenantOf(caller), id }, page);
    },
  }),

  route({
    method: 'post',
    path: '/v1/sources/{id}/unread/replay',
    operation_id: 'replayUnreadWebhooks',
    tag: 'Sources',
    summary: 'Retry the unread webhooks of a source',
    description: 'One call goes on for about two seconds. Call again until `remaining` is 0.',
    access: { session: 'configure' },
    changes: ['sources'],
    params,
    responses: [[200, 'What became of them', Replayed]],
    prepare: async (caller, services, { params: { id } }) => {
      const { db, config, now, pressure } = services;
      orNotFound('source', await findSource(db, caller, id));
      const source = await findWebhookSource(db, config.environment, id, config.secret_key);
      if (!source) throw conflict('This source is disabled, or has no scheme that its webhooks are signed by.');
      if (source.org_id !== caller.org_id) throw notFound('source');
      await pressure.admitEvents(source, { append() {} });
      return replayUnread({ db, takeEvents: taking(services), now }, source);
    },
    handle: async ({ params: { id }, prepared, audit }) => {
      audit({ action: 'source.replayed', target_id: id, after: prepared });
      return prepared;
    },
  }),
];

const tenantOf = ({ org_id, environment }: Tenant): Tenant => ({ org_id, environment });

const taking =
  (services: ApiServices): TakeEvents =>
  async (source: WebhookSource, events) =>
    (await ingestEvents(services, tenantOf(source), source.id, events, index => `/events/${index}`)).results;
