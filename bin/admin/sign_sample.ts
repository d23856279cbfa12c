import { conflict, invalidDetail } from '#shared/interface/errors.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Services } from '#shared/platform/services.ts';
import { type Attempt, senderOf } from '#shared/webhooks/send.ts';
import { signedContents, signedHeaders } from '#shared/webhooks/sign.ts';
import { bodyOf, type WebhookEvent, WebhookEventType } from '#shared/webhooks/webhook_deliveries.ts';
import { findSigning, openSecrets } from '#shared/webhooks/webhook_endpoints.ts';
import { changeAsOperator } from './change.ts';
import { type AdminCommand, endpointOption, needId, orgOption, tenantOf } from './command.ts';

/** A sample of what an endpoint is sent, with everything that whoever writes its receiver has to compare with. */
type Sample = {
  body: string;
  headers: Record<string, string>;
  /** The texts under the two signatures; both end with the body. */
  signed: { 'Service-Signature': string; 'webhook-signature': string };
  /** What the endpoint answered; null when it was not asked. */
  sent: Attempt | null;
};

export const signSample: AdminCommand = {
  name: 'webhook-endpoint sign-sample',
  summary: 'Sign a sample event and show the text that was signed, the headers and the body; --send sends it, once',
  options: [
    orgOption,
    endpointOption,
    { flags: '--type <type>', about: `${WebhookEventType.options.join(', ')} (default alert.created)` },
    { flags: '--send', about: 'send it to the endpoint; the ids in it name nothing' },
  ],
  failed: result => isSample(result) && result.sent !== null && result.sent.outcome !== 'delivered',
  async run(options, services): Promise<Sample> {
    const type = WebhookEventType.default('alert.created').safeParse(options['type']);
    if (!type.success)
      throw invalidDetail('/type', 'invalid_value', `--type takes ${WebhookEventType.options.join(', ')}.`);
    const { config, db, now } = services;
    const tenant = await tenantOf(options, services);
    const id = needId(options, 'id', 'whe');
    const endpoint = await findSigning(db, tenant, id);
    const at = now();
    const signing = { delivery_id: newId('whd', at), body: Buffer.from(bodyOf(sampleOf(type.data), at)), now: at };
    const headers = signedHeaders({ ...signing, secrets: secretsOf(config.secret_key, id, endpoint, at) });
    const { service, standard } = signedContents(signing);
    const sample = {
      body: signing.body.toString(),
      headers,
      signed: { 'Service-Signature': service.toString(), 'webhook-signature': standard.toString() },
      sent: null,
    };
    if (!options['send']) return sample;
    if (endpoint.state === 'disabled') throw conflict('This endpoint is disabled: nothing is sent to it.');
    const sent = await senderOf(config)(endpoint.url, headers, signing.body);
    await noteSent(services, tenant, id, { delivery_id: signing.delivery_id, type: type.data, ...sent });
    return { ...sample, sent };
  },
};

const isSample = (result: unknown): result is Sample =>
  typeof result === 'object' && result !== null && 'sent' in result;

/** An event about things that are not there. */
function sampleOf(type: WebhookEvent['type']): WebhookEvent {
  const event_id = newId('evt');
  if (type === 'alert.created') return { type, data: { alert_id: newId('alr'), event_id } };
  if (type === 'screening.potential_match') return { type, data: { screening_id: newId('scr'), event_id } };
  return { type, data: { pack_id: newId('pck') } };
}

function secretsOf(...[secret_key, id, endpoint, at]: Parameters<typeof openSecrets>): ReturnType<typeof openSecrets> {
  try {
    return openSecrets(secret_key, id, endpoint, at);
  } catch {
    throw conflict('The secret of this endpoint cannot be opened with this SECRET_KEY.');
  }
}

/** Tells the organization that its endpoint was sent something that did not happen. */
const noteSent = (
  services: Services,
  tenant: Tenant,
  id: string,
  sent: Attempt & { delivery_id: string; type: string },
) => {
  const { response: _, ...after } = sent;
  const entry = { action: 'webhook_endpoint.sample_sent' as const, target_id: id, after };
  return changeAsOperator(services, tenant, [], async () => ({ result: null, entries: [entry] }));
};
