import { z } from 'zod';
import { canonicalJson, NotCanonical } from '#shared/json/canonical_json.ts';
import { normalizeNetwork } from '#shared/values/networks.ts';
import { isObject } from '#shared/verification/json.ts';
import { Address, type ReadResult, readAs, readObject, Uint256 } from './read_evidence.ts';
import type { Evidence } from '#shared/verification/verifier.ts';

/**
 * What a seller asks for (x402 PaymentRequirements): `network` in CAIP-2, null when unknown; on EVM chains `asset` and `pay_to` are
 * addresses in lower case; `amount` in atomic units.
 */
export type PaymentTerms = {
  scheme: string;
  network: string | null;
  asset: string;
  pay_to: string;
  amount: bigint;
  timeout: number | null;
  extra: Record<string, unknown>;
  resource_url: string | null;
};

/** Reads the requirements of x402 v1 (`maxAmountRequired`, network by name) or v2 (`amount`, CAIP-2). */
export function readTerms(raw: unknown): ReadResult<PaymentTerms> {
  const parsed = readAs(Requirements, raw);
  if (!parsed.ok) return parsed;
  const { scheme, amount, maxAmountRequired, maxTimeoutSeconds, extra, resource } = parsed.value;
  const network = normalizeNetwork(parsed.value.network);
  const price = amount ?? maxAmountRequired;
  if (price === undefined) return { ok: false, reason: 'amount: is missing' };
  const evm = network?.startsWith('eip155:');
  const asset = evm ? readAs(Address, parsed.value.asset) : { ok: true as const, value: parsed.value.asset };
  if (!asset.ok) return { ok: false, reason: `asset ${asset.reason}` };
  const pay_to = evm ? readAs(Address, parsed.value.payTo) : { ok: true as const, value: parsed.value.payTo };
  if (!pay_to.ok) return { ok: false, reason: `payTo ${pay_to.reason}` };
  const timeout = maxTimeoutSeconds ?? null;
  return {
    ok: true,
    value: {
      scheme,
      network,
      asset: asset.value,
      pay_to: pay_to.value,
      amount: price,
      timeout,
      extra: extra ?? {},
      resource_url: resource ?? null,
    },
  };
}

/** The terms offered in `x402.payment_required` evidence; invalid terms are left out, since nobody can have accepted them. */
export type Offered = { given: boolean; erased: boolean; fault: string | null; terms: PaymentTerms[] };

// Sellers offer a handful; each costs work, and anybody can send thousands.
const MOST_TERMS = 50;

export function readOffered(evidence: readonly Evidence[]): Offered {
  const offered: Offered = { given: false, erased: false, fault: null, terms: [] };
  for (const { kind, value } of evidence) {
    if (kind !== 'x402.payment_required') continue;
    offered.given = true;
    if (value === null) {
      offered.erased = true;
      continue;
    }
    const parsed = readObject(value);
    const accepts: unknown = parsed.ok ? parsed.value.accepts : undefined;
    if (!parsed.ok || !Array.isArray(accepts) || accepts.length > MOST_TERMS) {
      offered.fault ??= parsed.ok ? `accepts is not a list of at most ${MOST_TERMS} terms` : parsed.reason;
      continue;
    }
    const resource_url = resourceUrl(parsed.value);
    for (const item of accepts) {
      const terms = readTerms(item);
      if (terms.ok) offered.terms.push({ ...terms.value, resource_url: terms.value.resource_url ?? resource_url });
    }
  }
  return offered;
}

/** Whether `accepted` equals `offered` in every member that both have. */
export const sameTerms = (accepted: PaymentTerms, offered: PaymentTerms): boolean =>
  accepted.network !== null &&
  accepted.scheme === offered.scheme &&
  accepted.network === offered.network &&
  accepted.asset === offered.asset &&
  accepted.pay_to === offered.pay_to &&
  accepted.amount === offered.amount &&
  (accepted.timeout === null || accepted.timeout === offered.timeout) &&
  // Clients may omit or add members of `extra` that serve only one side.
  Object.entries(accepted.extra).every(
    ([name, value]) => !Object.hasOwn(offered.extra, name) || sameJson(value, offered.extra[name]),
  );

/** `resource.url` of a v2 message. */
export function resourceUrl(message: Record<string, unknown>): string | null {
  const { resource } = message;
  return isObject(resource) && typeof resource.url === 'string' ? resource.url : null;
}

const Requirements = z.object({
  scheme: z.string().min(1).max(64),
  network: z.string().min(1).max(64),
  asset: z.string().min(1).max(128),
  payTo: z.string().min(1).max(128),
  amount: Uint256.optional(),
  maxAmountRequired: Uint256.optional(),
  maxTimeoutSeconds: z.number().nullish(),
  extra: z.custom<Record<string, unknown>>(isObject, 'must be an object').nullish(),
  resource: z.string().max(8_192).nullish().catch(null),
});

function sameJson(one: unknown, other: unknown): boolean {
  try {
    return canonicalJson(one) === canonicalJson(other);
  } catch (error) {
    if (error instanceof NotCanonical) return false;
    throw error;
  }
}
