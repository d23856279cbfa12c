import type { AuditEntry } from '#shared/interface/audit_log.ts';
import {
  createEndpoint,
  disableEndpoint,
  listEndpoints,
  rotateSecret,
  type WebhookEndpoint,
} from '#shared/webhooks/webhook_endpoints.ts';
import { changeAsOperator } from './change.ts';
import { type AdminCommand, need, needId, orgOption, tenantOf } from './command.ts';

const secretOption = { flags: '--secret <secret>', about: 'at least 32 characters; made for you when left out' };
const idOption = { flags: '--id <whe_…>', about: 'the endpoint', required: true } as const;

export const webhookEndpoints: AdminCommand[] = [
  {
    name: 'webhook-endpoint create',
    summary: 'Have webhooks sent to a URL; the secret is shown once',
    options: [orgOption, { flags: '--url <url>', about: 'where to send them', required: true }, secretOption],
    async run(given, services) {
      const tenant = await tenantOf(given, services);
      return changeAsOperator(services, tenant, [], async (tx, now) => {
        const wanted = { url: need(given, 'url'), secret: given['secret'] };
        const endpoint = await createEndpoint(tx, services.config, tenant, wanted, now);
        const { id, url, secret, state } = endpoint;
        return { result: { id, url, secret, state }, entries: [entryOf('created', endpoint)] };
      });
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
      const tenant = await tenantOf(given, services);
      return changeAsOperator(services, tenant, [], async (tx, now) => {
        const wanted = { id: needId(given, 'id', 'whe'), secret: given['secret'] };
        const endpoint = await rotateSecret(tx, services.config, tenant, wanted, now);
        return { result: endpoint, entries: [entryOf('secret_rotated', endpoint)] };
      });
    },
  },
  {
    name: 'webhook-endpoint disable',
    summary: 'Send nothing more to an endpoint, and cancel what is pending',
    options: [orgOption, idOption],
    async run(given, services) {
      const tenant = await tenantOf(given, services);
      return changeAsOperator(services, tenant, [], async (tx, now) => {
        const endpoint = await disableEndpoint(tx, tenant, needId(given, 'id', 'whe'), now);
        return { result: endpoint, entries: [entryOf('disabled', endpoint)] };
      });
    },
  },
];

/** What the audit log says of it; never the secret. */
function entryOf(what: string, endpoint: WebhookEndpoint & { secret?: string }): AuditEntry {
  const { secret: _, ...after } = endpoint;
  return { action: `webhook_endpoint.${what}`, target_id: after.id, after };
}
