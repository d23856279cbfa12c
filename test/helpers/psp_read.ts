import type { PspConfig } from '#shared/keys/psp_config.ts';
import type { WebhookSource } from '#shared/keys/sources.ts';
import { readWebhook } from '#shared/sources/read_webhook.ts';
import { checkWebhook } from '#shared/sources/signed_webhook.ts';
import type { Sent } from './psp.ts';

export const secret = '0123abcd';
const signing = { header: 'X-Acme-Signature', algorithm: 'sha256', encoding: 'hex', signed_string: '{body}' } as const;

function readingsOf(psp_scheme: WebhookSource['psp_scheme'], { body, headers }: Sent, config: PspConfig | null) {
  const psp_config = psp_scheme === 'generic' ? { ...signing, ...config } : config;
  const source = { org_id: 'org', environment: 'sandbox', id: 'src_1', psp_scheme, psp_config, secret };
  const webhook = checkWebhook(source, { headers, body: Buffer.from(body) }, Date.now());
  if (!webhook) throw new Error('it is not signed');
  return readWebhook(source, webhook);
}

/** What each notice of a webhook comes to, in a line. */
export const read = (psp_scheme: WebhookSource['psp_scheme'], sent: Sent, config: PspConfig | null = null) =>
  readingsOf(psp_scheme, sent, config).map(reading => {
    if (reading.kind === 'ignored') return 'ignored';
    if (reading.kind === 'unread') return `unread ${reading.problems.map(({ code }) => code).join(' ')}`;
    const { type, payment } = reading.event;
    const { value, currency, asset } = payment.amount;
    return `${type} ${payment.status} ${payment.payment_id} ${value} ${currency ?? asset?.address}`;
  });

/** The events of a webhook. */
export const eventsOf = (psp_scheme: WebhookSource['psp_scheme'], sent: Sent, config: PspConfig | null = null) =>
  readingsOf(psp_scheme, sent, config).flatMap(reading => (reading.kind === 'event' ? reading.event : []));

/** The first event of a webhook. */
export function eventOf(psp_scheme: WebhookSource['psp_scheme'], sent: Sent, config: PspConfig | null = null) {
  const [reading] = readingsOf(psp_scheme, sent, config);
  if (reading?.kind !== 'event') throw new Error(`it is no event: ${JSON.stringify(reading)}`);
  return reading.event;
}
