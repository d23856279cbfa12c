import { hash } from 'node:crypto';
import type { WebhookSource } from '#shared/keys/sources.ts';
import { MINUTE } from '#shared/values/time.ts';
import { type ReceivedWebhook, readDelivery } from '#shared/verification/psp_webhook/delivery.ts';
import { schemes } from '#shared/verification/psp_webhook/schemes/index.ts';

/** A webhook that its source has signed. */
export type SignedWebhook = {
  /** Those that its signature depends on, in lower case. */
  headers: Record<string, string>;
  delivery: ReceivedWebhook;
  /** SHA-256 of the body in hex. */
  body_hash: string;
  received_at: number;
  /** What the sender signed besides the body: the time it was sent, and its id. */
  sent_at: number | null;
  notice: string | null;
};

/** A request's headers by name. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** How far a signed time may be from now: services sign repeated webhooks again. */
const TOLERANCE = 5 * MINUTE;

/**
 * A webhook from its source: null when it is not signed with the source's secret, or too old. For an unknown source the result is the same
 * and takes as long: it is compared with a random secret.
 */
export function checkWebhook(
  source: WebhookSource | null,
  { headers, body }: { headers: Headers; body: Buffer },
  received_at: number,
): SignedWebhook | null {
  const { psp_scheme, psp_config, secret } = source ?? decoy;
  const signed_headers = keptHeaders(headers, psp_config ?? {});
  const raw = textOf(body);
  const delivery = raw === null ? null : readDelivery({ headers: signed_headers, body: raw });
  if (!delivery) return null;
  const { payload } = delivery;
  const signer = { scheme: psp_scheme, config: psp_config, secret: secret ?? decoy.secret };
  const signed = schemes[psp_scheme](delivery, signer, payload.kind === 'object' ? payload.object : null);
  if (!source?.secret || signed.result !== 'pass') return null;
  if (signed.sent_at !== null && !(Math.abs(signed.sent_at - received_at) <= TOLERANCE)) return null;
  const { sent_at, id: notice } = signed;
  return { headers: signed_headers, delivery, body_hash: hash('sha256', body), received_at, sent_at, notice };
}

const decoy = { psp_scheme: 'stripe', psp_config: null, secret: 'whsec_nobody' } as const;

/**
 * The headers that a signature may depend on. Others may hold credentials, such as those of Basic authentication, which must not be in
 * evidence.
 */
function keptHeaders(headers: Headers, config: Record<string, unknown>): Record<string, string> {
  const members = ['header', 'timestamp_header', 'id_header'];
  const configured = new Set(members.map(member => String(config[member]).toLowerCase()));
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value !== undefined && (signing.test(name) || configured.has(name))
      ? [[name, Array.isArray(value) ? value.join(', ') : value]]
      : [],
  );
  return Object.fromEntries(entries);
}

const signing = /signature|hmac|digest|timestamp|(?:^|[-_])id$|^content-type$|^user-agent$/;

/** Invalid UTF-8 was not signed as text, and is no JSON. */
function textOf(body: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return null;
  }
}
