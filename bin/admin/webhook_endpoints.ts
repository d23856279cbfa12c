import type { AuditEntry } from '#shared/interface/audit_log.ts';
import { invalidRequest } from '#shared/interface/errors.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Db } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import { reportEndpoint } from '#shared/webhooks/endpoint_report.ts';
import {
  activateSecret,
  createEndpoint,
  disableEndpoint,
  enableEndpoint,
  findEndpoint,
  listEndpoints,
  rotateSecret,
  setUrl,
  type WebhookEndpoint,
} from '#shared/webhooks/webhook_endpoints.ts';
import { changeAsOperator } from './change.ts';
import { type AdminCommand, endpointOption, type Given, need, needId, orgOption, tenantOf } from './command.ts';
import { signSample } from './sign_sample.ts';

const secretOption = { flags: '--secret <secret>', about: 'at least 32 characters; made for you when left out' };
const activateOption = { flags: '--activate', about: 'end the overlap now: the new secret alone signs' };
const urlOption = { flags: '--url <url>', about: 'where to send them', required: true } as const;

export const webhookEndpoints: AdminCommand[] = [
  {
    name: 'webhook-endpoint create',
    summary: 'Have webhooks sent to a URL; the secret is shown once',
    options: [orgOption, urlOption, secretOption],
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
    name: 'webhook-endpoint show',
    summary: 'Show an endpoint: its last answers, and how many deliveries are pending and have failed',
    options: [orgOption, endpointOption],
    run: async (given, services) =>
      reportEndpoint(services.db, await tenantOf(given, services), needId(given, 'id', 'whe'), services.now()),
  },
  {
    name: 'webhook-endpoint set-url',
    summary: 'Send the webhooks of an endpoint elsewhere, those that are pending too',
    options: [orgOption, endpointOption, urlOption],
    run: (given, services) =>
      changed(given, services, 'url_set', (tx, tenant, id) =>
        setUrl(tx, services.config, tenant, { id, url: need(given, 'url') }),
      ),
  },
  {
    name: 'webhook-endpoint enable',
    summary: 'Send to an endpoint again what happens from now on',
    options: [orgOption, endpointOption],
    run: (given, services) => changed(given, services, 'enabled', enableEndpoint),
  },
  {
    name: 'webhook-endpoint disable',
    summary: 'Send nothing more to an endpoint, and cancel what is pending',
    options: [orgOption, endpointOption],
    run: (given, services) => changed(given, services, 'disabled', disableEndpoint),
  },
  {
    name: 'webhook-endpoint rotate-secret',
    summary: 'Give an endpoint a new secret; the old one signs beside it for 24 hours, or until --activate',
    options: [orgOption, endpointOption, secretOption, activateOption],
    run(given, services) {
      const { secret } = given;
      if (!given['activate'])
        return changed(given, services, 'secret_rotated', (tx, tenant, id, now) =>
          rotateSecret(tx, services.config, tenant, { id, secret }, now),
        );
      if (secret !== undefined)
        throw invalidRequest('--activate takes no --secret: it ends the rotation that is under way.');
      return changed(given, services, 'secret_activated', activateSecret);
    },
  },
  signSample,
];

/** Changes the endpoint that `--id` names, and says so in the audit log. Returns the endpoint. */
async function changed<E extends WebhookEndpoint>(
  given: Given,
  services: Services,
  what: string,
  act: (tx: Db, tenant: Tenant, id: string, now: number) => Promise<E>,
): Promise<E> {
  const tenant = await tenantOf(given, services);
  const id = needId(given, 'id', 'whe');
  return changeAsOperator(services, tenant, [], async (tx, now) => {
    const before = await findEndpoint(tx, tenant, id);
    const endpoint = await act(tx, tenant, id, now);
    return { result: endpoint, entries: [{ ...entryOf(what, endpoint), before }] };
  });
}

/** What the audit log says of it; never the secret. */
function entryOf(what: string, endpoint: WebhookEndpoint & { secret?: string }): AuditEntry {
  const { secret: _, ...after } = endpoint;
  return { action: `webhook_endpoint.${what}`, target_id: after.id, after };
}
