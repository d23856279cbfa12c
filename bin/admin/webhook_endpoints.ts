import { createEndpoint, disableEndpoint, listEndpoints, rotateSecret } from '#shared/resources/webhook_endpoints.ts';
import { type AdminCommand, need, needId, orgOption, tenantOf } from './command.ts';

const secretOption = { flags: '--secret <secret>', about: 'at least 32 characters; made for you when left out' };
const idOption = { flags: '--id <whe_…>', about: 'the endpoint', required: true } as const;

export const webhookEndpoints: AdminCommand[] = [
  {
    name: 'webhook-endpoint create',
    summary: 'Have webhooks sent to a URL; the secret is shown once',
    options: [orgOption, { flags: '--url <url>', about: 'where to send them', required: true }, secretOption],
    async run(given, services) {
      const { db, config, now } = services;
      const { id, url, secret, state } = await createEndpoint(
        db,
        config,
        await tenantOf(given, services),
        { url: need(given, 'url'), secret: given['secret'] },
        now(),
      );
      return { id, url, secret, state };
    },
  },
  {
    name: 'webhook-endpoint list',
    summary: 'List the endpoints of an organization',
    options: [orgOption],
    async run(given, services) {
      const { data } = await listEndpoints(services.db, await tenantOf(given, services), {
        limit: 1_000,
        after: null,
        cursorAfter: () => '',
      });
      return { data };
    },
  },
  {
    name: 'webhook-endpoint rotate-secret',
    summary: 'Give an endpoint a new secret; the old one signs beside it for 24 hours',
    options: [orgOption, idOption, secretOption],
    async run(given, services) {
      const { db, config, now } = services;
      return rotateSecret(
        db,
        config,
        await tenantOf(given, services),
        { id: needId(given, 'id', 'whe'), secret: given['secret'] },
        now(),
      );
    },
  },
  {
    name: 'webhook-endpoint disable',
    summary: 'Send nothing more to an endpoint, and cancel what is pending',
    options: [orgOption, idOption],
    run: async (given, services) =>
      disableEndpoint(services.db, await tenantOf(given, services), needId(given, 'id', 'whe'), services.now()),
  },
];
