import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { signatureHeaders } from 'web-bot-auth';
import { signerFromJWK } from 'web-bot-auth/crypto';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import type { BelievedKey, Evidence, VerificationInput, WebhookSecret } from '#shared/verification/verifier.ts';
import { inputOf, OCCURRED_AT, pieceOf, reported as reportedEvent } from './shown.ts';

/** When the payment of these proofs occurred, in ms since 1970. */
export const occurred_at = OCCURRED_AT;
export const second = Math.floor(occurred_at / 1000);

/** A settled payment of 12.50 USD to a merchant of Stripe. */
export const reported = (changes: Partial<ReportedEvent> = {}): ReportedEvent =>
  reportedEvent({
    source_id: 'src_01KADG3M5QJ8V2X4Z6B7C9D0EF',
    payment_id: 'pi_3Oversight',
    amount: { value: 1250n, denomination: 'USD', currency: 'USD', asset: null },
    usd_micro: 12_500_000n,
    payee: { key: 'merchant:stripe:acct_1Shop', type: null, name: null, country: null },
    ...changes,
  });

export const minor = (value: bigint, currency: string) => ({ value, denomination: currency, currency, asset: null });

type Given = { event?: Partial<ReportedEvent>; keys?: readonly BelievedKey[]; webhook_secret?: WebhookSecret | null };

/** What a verifier is shown beside the evidence; keys are believed for agents. */
export const shown = ({ event, keys = [], webhook_secret = null }: Given): VerificationInput =>
  inputOf({
    event: reported(event),
    webhook_secret,
    keys: {
      find: ({ use, kid }) => (use === 'agent' ? keys.filter(key => key.kid === kid || key.thumbprint === kid) : []),
      roots: () => [],
      source: () => null,
    },
  });

export const evidenceOf = (kind: string, value: Evidence['value']): Evidence => pieceOf(kind, value, 'evd_1');

export type AgentKey = { believed: BelievedKey; private_jwk: JWK; sign(base: string): Buffer };

/** A fresh key of an agent, as the trusted keys hold it and as the agent does. */
export async function agentKey(kind: 'ed25519' | 'p256' | 'rsa' = 'ed25519'): Promise<AgentKey> {
  const { publicKey, privateKey } =
    kind === 'ed25519'
      ? generateKeyPairSync('ed25519')
      : kind === 'p256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk: JWK = { ...publicKey.export({ format: 'jwk' }), ...(kind === 'rsa' && { alg: 'PS512' }) };
  const thumbprint = await calculateJwkThumbprint(jwk);
  const key = { key: privateKey, ...(kind === 'p256' && { dsaEncoding: 'ieee-p1363' as const }) };
  // 6: RSA_PKCS1_PSS_PADDING
  const pss = kind === 'rsa' ? { padding: 6, saltLength: 64 } : {};
  const digest = kind === 'ed25519' ? null : kind === 'p256' ? 'sha256' : 'sha512';
  return {
    believed: { kid: thumbprint, thumbprint, issuer: null, jwk },
    private_jwk: { ...privateKey.export({ format: 'jwk' }), ...(kind === 'rsa' && { alg: 'PS512' }) },
    sign: base => sign(digest, Buffer.from(base, 'latin1'), { ...key, ...pss }),
  };
}

export type HttpEvidence = { method: string; url: string; headers: Record<string, string>; body?: string };

/** A request signed by Cloudflare's web-bot-auth package (Ed25519 and RSA-PSS keys). */
export async function webBotAuthRequest(
  key: AgentKey,
  changes: { url?: string; headers?: Record<string, string> } = {},
) {
  const { url = 'https://shop.example/checkout?cart=7', headers = {} } = changes;
  const signed = await signatureHeaders(
    { method: 'POST', url, headers },
    await signerFromJWK(key.private_jwk as Parameters<typeof signerFromJWK>[0]),
    {
      created: new Date(occurred_at - 10_000),
      expires: new Date(occurred_at + 60_000),
    },
  );
  return {
    method: 'POST',
    url,
    headers: { ...headers, Signature: signed['Signature'], 'Signature-Input': signed['Signature-Input'] },
  } satisfies HttpEvidence;
}

/** A request signed over these lines (`"@method": POST`), with parameters as they are written behind the list of components. */
export function signedRequest(
  key: AgentKey,
  lines: readonly string[],
  changes: Partial<HttpEvidence> & { parameters?: string } = {},
) {
  const { parameters = tapParameters(key), ...request } = changes;
  const input = `(${lines.map(line => line.slice(0, line.indexOf(': '))).join(' ')})${parameters}`;
  const signature = key.sign([...lines, `"@signature-params": ${input}`].join('\n')).toString('base64');
  return {
    method: 'POST',
    url: 'https://shop.example/checkout?cart=7',
    ...request,
    headers: { ...request.headers, 'signature-input': `sig2=${input}`, signature: `sig2=:${signature}:` },
  } satisfies HttpEvidence;
}

/** Parameters as Visa's Trusted Agent Protocol wants them. */
export const tapParameters = ({ believed }: AgentKey, changes: Record<string, string | number | null> = {}): string =>
  Object.entries({
    created: second - 5,
    expires: second + 300,
    keyid: believed.kid,
    nonce: 'e8N7S2MFd/qrd6T2R3tdfA',
    tag: 'agent-payer-auth',
    ...changes,
  })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `;${name}=${typeof value === 'number' ? value : `"${value}"`}`)
    .join('');

export const tapLines = ['"@authority": shop.example', '"@path": /checkout'];

export const stripeSecret: WebhookSecret = { scheme: 'stripe', config: null, secret: 'whsec_test_of_oversight' };

/** A Stripe event about the payment, and the webhook it comes in: signed by Stripe's own package. */
export const stripeEvent = (object: Record<string, unknown> = {}, changes: Record<string, unknown> = {}) => ({
  id: 'evt_1Oversight',
  object: 'event',
  account: 'acct_1Shop',
  created: second,
  livemode: false,
  type: 'payment_intent.succeeded',
  data: {
    object: {
      id: 'pi_3Oversight',
      object: 'payment_intent',
      amount: 1250,
      amount_received: 1250,
      currency: 'usd',
      status: 'succeeded',
      metadata: {},
      ...object,
    },
  },
  ...changes,
});

export function stripeWebhook(
  event: unknown = stripeEvent(),
  { secret = stripeSecret.secret, timestamp = second } = {},
) {
  const body = typeof event === 'string' ? event : JSON.stringify(event, null, 2);
  const header = Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
  return { headers: { 'Content-Type': 'application/json', 'Stripe-Signature': header }, body };
}

export const standardSecret: WebhookSecret = {
  scheme: 'standard_webhooks',
  config: null,
  secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
};

/** A webhook signed by the standardwebhooks package. */
export function standardWebhook(payload: unknown, { secret = standardSecret.secret, id = 'msg_1' } = {}) {
  const body = JSON.stringify(payload);
  const signature = new Webhook(secret).sign(id, new Date(occurred_at), body);
  return { headers: { 'webhook-id': id, 'webhook-timestamp': String(second), 'webhook-signature': signature }, body };
}

export const adyenSecret: WebhookSecret = {
  scheme: 'adyen',
  config: null,
  secret: '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056',
};

/** A payment webhook of Adyen with one item, signed as its documentation describes. */
export function adyenWebhook(changes: Record<string, unknown> = {}, { secret = adyenSecret.secret } = {}) {
  const item = {
    amount: { currency: 'USD', value: 1250 },
    eventCode: 'AUTHORISATION',
    eventDate: '2026-11-20T10:29:58+01:00',
    merchantAccountCode: 'ShopUS',
    merchantReference: 'order-7',
    pspReference: 'NC6HT9CRT65ZGN82',
    success: 'true',
    ...changes,
  };
  const signed = [
    item.pspReference,
    '',
    item.merchantAccountCode,
    item.merchantReference,
    item.amount.value,
    item.amount.currency,
    item.eventCode,
    item.success,
  ].join(':');
  const hmacSignature = createHmac('sha256', Buffer.from(secret, 'hex')).update(signed).digest('base64');
  const payload = {
    live: 'false',
    notificationItems: [{ NotificationRequestItem: { ...item, additionalData: { hmacSignature } } }],
  };
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(payload) };
}
