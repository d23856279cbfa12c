import { createHash, randomBytes, sign } from 'node:crypto';
import { SDJwtInstance } from '@sd-jwt/core';
import { newKey, signJwt, type TestKey } from './jwt.ts';
import { SECONDS } from './shown.ts';

type Json = Record<string, unknown>;

/** A person's and an agent's key, and the mandates of the examples in AP2's documents, at the time test events occur at. */
export type Party = { issuer: TestKey; agent: TestKey; merchant: TestKey };

export const newParty = async (): Promise<Party> => ({
  issuer: await newKey(),
  agent: await newKey(),
  merchant: await newKey(),
});

const merchant = { id: 'merchant_1', name: 'Demo Merchant', website: 'https://demo-merchant.example' };

export const openPayment = ({ agent }: Party, changes: Json = {}): Json => ({
  vct: 'mandate.payment.open.1',
  constraints: [
    { type: 'payment.amount_range', currency: 'USD', min: 0, max: 20_000 },
    { type: 'payment.allowed_payees', allowed: [merchant, { id: 'merchant_2', name: 'Other' }] },
  ],
  cnf: { jwk: agent.jwk },
  iat: SECONDS - 60,
  exp: SECONDS + 3_600,
  ...changes,
});

export const closedPayment = (changes: Json = {}): Json => ({
  vct: 'mandate.payment.1',
  transaction_id: 'NivWhuqfzcvZNapvIEJ2-3tsdQLkiuIcye2g46WVgX8',
  payee: merchant,
  payment_amount: { amount: 19_900, currency: 'USD' },
  payment_instrument: { id: 'card_1', type: 'card', description: 'Card ••••4242' },
  ...changes,
});

export const openCheckout = ({ agent }: Party, changes: Json = {}): Json => ({
  vct: 'mandate.checkout.open.1',
  constraints: [
    {
      type: 'checkout.line_items',
      items: [
        {
          id: 'line_1',
          acceptable_items: [
            { id: 'shoe', title: 'Shoe' },
            { id: 'sock', title: 'Sock' },
          ],
          quantity: 1,
        },
      ],
    },
    { type: 'checkout.allowed_merchants', allowed: [merchant] },
  ],
  cnf: { jwk: agent.jwk },
  iat: SECONDS - 60,
  ...changes,
});

/** A merchant's signed checkout (UCP: checkout.json). */
export const checkoutJwt = (party: Party, changes: Json = {}): Promise<string> =>
  signJwt(party.merchant, {
    id: 'chk_1',
    merchant,
    currency: 'USD',
    line_items: [{ id: 'li_1', item: { id: 'shoe', title: 'Shoe', price: 19_900 }, quantity: 1, totals: [] }],
    totals: [
      { type: 'subtotal', amount: 19_900 },
      { type: 'total', amount: 19_900 },
    ],
    ...changes,
  });

export const closedCheckout = (checkout_jwt: string, changes: Json = {}): Json => ({
  vct: 'mandate.checkout.1',
  checkout_jwt,
  checkout_hash: digest(checkout_jwt),
  ...changes,
});

/** An SD-JWT made with `@sd-jwt/core`: `mandate` is disclosed as a whole, and in parts where `frame` says so. */
export async function signMandate(
  key: TestKey,
  mandate: Json,
  { header = {}, claims = {}, frame = {} }: { header?: Json; claims?: Json; frame?: Json } = {},
): Promise<string> {
  const payload = { ...claims, delegate_payload: [mandate] };
  const disclosed = { delegate_payload: { _sd: [0], 0: frame } } as never;
  return issuer(key).issue(payload, disclosed, { header: { kid: key.kid, ...header } });
}

/** The first hop, which a person's trusted surface signs. */
export const signOpen = (party: Party, mandate: Json, options: { header?: Json; claims?: Json; frame?: Json } = {}) =>
  signMandate(party.issuer, mandate, { ...options, header: { typ: 'example+sd-jwt', ...options.header } });

/** A hop that the agent adds to `before`; answers the whole chain. */
export async function delegate(
  before: string,
  key: TestKey,
  mandate: Json,
  { header = {}, claims = {}, frame = {} }: { header?: Json; claims?: Json; frame?: Json } = {},
): Promise<string> {
  const last = before.split('~~').at(-1) ?? '';
  const binding = { iat: SECONDS, aud: 'credential-provider', nonce: 'n-1', sd_hash: digest(last) };
  const options = { header: { typ: 'kb+sd-jwt', ...header }, claims: { ...binding, ...claims }, frame };
  return `${before.slice(0, -1)}~~${await signMandate(key, mandate, options)}`;
}

/** A chain of an open and a closed payment mandate, both sound; changes replace members of either. */
export const paymentChain = async (party: Party, open: Json = {}, closed: Json = {}): Promise<string> =>
  delegate(await signOpen(party, openPayment(party, open)), party.agent, closedPayment(closed));

/** A chain of an open and a closed checkout mandate over `checkout`. */
export const checkoutChain = async (
  party: Party,
  checkout: string,
  open: Json = {},
  closed: Json = {},
): Promise<string> =>
  delegate(await signOpen(party, openCheckout(party, open)), party.agent, closedCheckout(checkout, closed));

export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

const issuer = (key: TestKey) =>
  new SDJwtInstance<Json>({
    signAlg: key.alg,
    hashAlg: 'sha-256',
    hasher: (data: string | ArrayBuffer) =>
      createHash('sha256')
        .update(typeof data === 'string' ? data : Buffer.from(data))
        .digest(),
    saltGenerator: (length: number) => randomBytes(length).toString('base64url'),
    signer: (data: string) =>
      sign({ ES256: 'sha256', ES384: 'sha384' }[key.alg] ?? null, Buffer.from(data), {
        key: key.privateKey,
        dsaEncoding: 'ieee-p1363',
      }).toString('base64url'),
  });
