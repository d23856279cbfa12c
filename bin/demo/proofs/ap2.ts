import { base64url, type DemoKey, sha256 } from './keys.ts';

type Merchant = { id: string; name: string; website?: string };

/** What a person allows an agent: constraints as AP2 writes them, amounts in minor units (open_payment_mandate.json). */
type OpenMandate = {
  /** Whoever signs for the person: their wallet or bank. */
  issuer: DemoKey;
  agent: DemoKey;
  constraints: Record<string, unknown>[];
  /** Milliseconds since 1970. */
  at: number;
  until: number;
  salt: Salt;
};

/** What the agent makes of it (payment_mandate.json). */
type ClosedMandate = {
  /** Who signs: any other key than the one the open mandate names forges it. */
  agent: DemoKey;
  payee: Merchant;
  /** A whole number of minor units. */
  amount: number;
  currency: string;
  instrument: { id: string; type: string; description?: string };
  /** The checkout that is paid: the JWT a merchant signed, or any text that stands for it. */
  checkout: string;
  at: number;
  salt: Salt;
};

/** Hex digits that nobody can guess; here the demo's own chance. */
type Salt = { hex(digits: number): string };

/** The first hop of a chain: an SD-JWT (RFC 9901). An agent may close one open mandate many times. */
export const signOpenMandate = ({ issuer, agent, constraints, at, until, salt }: OpenMandate): string =>
  signMandate(issuer, 'dc+sd-jwt', {}, salt, {
    vct: 'mandate.payment.open.1',
    constraints,
    cnf: { jwk: agent.jwk },
    iat: seconds(at),
    exp: seconds(until),
  });

/**
 * A chain of an open and a closed payment mandate of AP2 v0.2: two SD-JWTs, joined by `~~`, the second signed with the key that the
 * first names (draft-gco-oauth-delegate-sd-jwt-00). The same seed makes the same text.
 */
export function closeMandate(open: string, closed: ClosedMandate): string {
  const { agent, payee, amount, currency, instrument, checkout, at, salt } = closed;
  const last = open.split('~~').at(-1) ?? '';
  const binding = { iat: seconds(at), aud: 'credential-provider', nonce: salt.hex(32), sd_hash: sha256(last) };
  const hop = signMandate(agent, 'kb+sd-jwt', binding, salt, {
    vct: 'mandate.payment.1',
    transaction_id: sha256(checkout),
    payee,
    payment_amount: { amount, currency },
    payment_instrument: instrument,
  });
  return `${open.slice(0, -1)}~~${hop}`;
}

/** An SD-JWT whose one mandate is a disclosure: `<jwt>~<disclosure>~`. */
function signMandate(key: DemoKey, typ: string, claims: object, salt: Salt, mandate: object): string {
  const disclosure = base64url(JSON.stringify([base64url(Buffer.from(salt.hex(32), 'hex')), mandate]));
  const header = { alg: 'ES256', typ, kid: key.kid };
  const payload = { ...claims, delegate_payload: [{ '...': sha256(disclosure) }], _sd_alg: 'sha-256' };
  const signed = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(payload))}`;
  return `${signed}.${key.sign(signed)}~${disclosure}~`;
}

const seconds = (at: number) => Math.floor(at / 1000);
