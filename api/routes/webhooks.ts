import { z } from 'zod';
import { route } from '#api/route.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { listDeliveries, WebhookDelivery, DeliveryFilters } from '#shared/webhooks/webhook_deliveries.ts';
import { listEndpoints, WebhookEndpoint } from '#shared/webhooks/webhook_endpoints.ts';

export const webhooks = [
  route({
    method: 'get',
    path: '/v1/webhook-endpoints',
    operation_id: 'listWebhookEndpoints',
    tag: 'Webhooks',
    summary: 'List the endpoints that webhooks are sent to, newest first',
    access: { scopes: ['alerts:read'], session: 'read' },
    version: { of: ['webhooks'] },
    query: z.strictObject(pageQuery),
    responses: [[200, 'A page of endpoints', PageOf(WebhookEndpoint).meta({ id: 'WebhookEndpointPage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listEndpoints(db, caller, pageRequest(config.secret_key, 'webhook-endpoints', caller, query)),
  }),

  route({
    method: 'get',
    path: '/v1/webhook-deliveries',
    operation_id: 'listWebhookDeliveries',
    tag: 'Webhooks',
    summary: 'List webhook deliveries with their attempts, newest first',
    access: { scopes: ['alerts:read'], session: 'read' },
    // With a counter, all deliveries of an organization, hundreds a second, would queue for one row.
    version: { of: 'answer' },
    query: DeliveryFilters.extend(pageQuery),
    responses: [[200, 'A page of deliveries', PageOf(WebhookDelivery).meta({ id: 'WebhookDeliveryPage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listDeliveries(db, caller, query, pageRequest(config.secret_key, 'webhook-deliveries', caller, query)),
  }),
];
