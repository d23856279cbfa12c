/** The terms as signed: always strings, EVM addresses in lower case, `amount` in atomic units. */
type AgreedTerms = {
  scheme: string;
  network: string;
  asset: string;
  payTo: string;
  amount: string;
  description: unknown;
};

/** What a payer sends. */
export type Payload = {
  scheme?: string;
  network?: string;
  accepted?: Offer;
  payload?: {
    authorization?: { to?: unknown; value?: unknown };
    permit2Authorization?: { witness?: { to?: unknown }; permitted?: { amount?: unknown; token?: unknown } };
  };
};

/** What a seller asks for, and what it says about a payment. It is outside input: any member may be anything. */
export type Required = { accepts?: unknown; resource?: { description?: unknown } | null; error?: unknown };
export type Settlement = { success?: unknown; amount?: unknown; errorReason?: unknown };
type Offer = { [N in keyof AgreedTerms | 'maxAmountRequired']?: unknown };

/**
 * The terms that a payload was signed for; null if unclear. Version 2 says which were accepted. Version 1 does not: they are the only ones
 * that fit the signature. If there is an authorization, it must pay what the terms say, since an unsigned member can say anything.
 */
export function termsOf(payload: Payload, required: Required | null): AgreedTerms | null {
  const { accepted, scheme, network } = payload;
  const possible = accepted
    ? [agreed(accepted, accepted.amount)]
    : offersOf(required)
        .filter(each => each?.scheme === scheme && each?.network === network)
        .map(each => agreed(each, each?.maxAmountRequired));
  const [terms, ...others] = possible.filter(each => each !== null && isSigned(payload, each));
  return terms && others.every(other => isSame(terms, other)) ? terms : null;
}

/** Whether a payment is one of those asked for. */
export function isAskedFor(payload: Payload, required: Required | null): boolean {
  const terms = termsOf(payload, required);
  return (
    terms !== null && (!payload.accepted || offersOf(required).some(each => isSame(terms, agreed(each, each?.amount))))
  );
}

const offersOf = (required: Required | null) =>
  (Array.isArray(required?.accepts) ? required.accepts : []) as readonly (Offer | null)[];

function agreed(offer: Offer | null, price: unknown): AgreedTerms | null {
  const { scheme, network, asset, payTo, description } = offer ?? {};
  const amount = atomic(price);
  if (!isText(scheme) || !isText(network) || !isText(asset) || !isText(payTo) || amount === null) return null;
  return { scheme, network, asset: address(asset), payTo: address(payTo), amount, description };
}

/** For unknown schemes, we do not know what they sign. */
function isSigned({ payload }: Payload, { scheme, asset, payTo, amount }: AgreedTerms): boolean {
  if (scheme !== 'exact' && scheme !== 'upto') return true;
  const { authorization, permit2Authorization: permit } = payload ?? {};
  const pays = (to: unknown, value: unknown) => isText(to) && address(to) === payTo && atomic(value) === amount;
  if (authorization && !pays(authorization.to, authorization.value)) return false;
  const token = permit?.permitted?.token;
  return !permit || (pays(permit.witness?.to, permit.permitted?.amount) && isText(token) && address(token) === asset);
}

const isSame = (one: AgreedTerms, other: AgreedTerms | null): boolean =>
  other !== null &&
  (['scheme', 'network', 'asset', 'payTo', 'amount'] as const).every(member => one[member] === other[member]);

/** A whole number in decimal, without leading zeros; null for anything else. */
export const atomic = (value: unknown): string | null =>
  isText(value) && /^\d{1,78}$/.test(value) ? BigInt(value).toString() : null;

/** Lower case has no checksum that could be wrong. On other chains, case matters. */
const address = (text: string): string => (/^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : text);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** An object from JSON, or from base64 of JSON as in headers; null if it is none. */
export function decode(text: string): object | null {
  try {
    const json = text.trimStart().startsWith('{')
      ? text
      : new TextDecoder().decode(Uint8Array.from(atob(text), character => character.charCodeAt(0)));
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
