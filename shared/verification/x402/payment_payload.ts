import { z } from 'zod';
import { normalizeNetwork } from '#shared/values/networks.ts';
import { Address, Bytes32, type ReadResult, readAs, readObject, Uint256 } from './read_evidence.ts';
import { isObject } from '#shared/verification/json.ts';
import { readTerms, resourceUrl, type PaymentTerms } from './terms.ts';
import type { Evidence } from '#shared/verification/verifier.ts';

/** An x402 payment payload of version 1 or 2. `network` is CAIP-2, null when unknown; version 1 contains no terms. */
export type PaymentPayload = {
  scheme: string;
  network: string | null;
  accepted: PaymentTerms | null;
  resource_url: string | null;
  transfer: Transfer;
};

/** What the payer signed. Addresses and bytes in lower case, amounts in atomic units, times in seconds since 1970. */
export type Transfer = Eip3009Transfer | Permit2Transfer | OpaqueTransfer;

/** EIP-3009 TransferWithAuthorization. */
export type Eip3009Transfer = SignedTransfer & { method: 'eip3009' };

/** Permit2 PermitWitnessTransferFrom; `nonce` in decimal. Only the scheme `upto` names who may settle (`facilitator`). */
export type Permit2Transfer = SignedTransfer & {
  method: 'permit2';
  token: string;
  spender: string;
  facilitator: string | null;
};

type SignedTransfer = {
  signature: string;
  from: string;
  to: string;
  value: bigint;
  valid_after: bigint;
  valid_before: bigint;
  nonce: string;
};

/** What only its chain can verify; `code` says why. */
type OpaqueTransfer = {
  method: 'opaque';
  from: string | null;
  code: 'delegation_needs_chain' | 'network_not_supported' | 'unsupported_scheme';
};

/** Reads a payload whose version is known to be 1 or 2. */
export function readPaymentPayload(raw: Record<string, unknown>): ReadResult<PaymentPayload> {
  const { x402Version: version, payload: inner } = raw;
  const accepted = version === 2 ? readTerms(raw.accepted) : null;
  if (accepted && !accepted.ok) return { ok: false, reason: `accepted.${accepted.reason}` };
  const terms = accepted?.value ?? null;
  const terms_or_names = terms ? { ok: true as const, value: terms } : readAs(SchemeAndNetwork, raw);
  if (!terms_or_names.ok) return terms_or_names;
  const network = terms ? terms.network : normalizeNetwork(terms_or_names.value.network ?? '');
  if (!isObject(inner)) return { ok: false, reason: 'payload: must be an object' };
  const { scheme } = terms_or_names.value;
  const transfer = readTransfer(inner, scheme, network);
  if (!transfer.ok) return { ok: false, reason: `payload.${transfer.reason}` };
  return {
    ok: true,
    value: { scheme, network, accepted: terms, resource_url: resourceUrl(raw), transfer: transfer.value },
  };
}

/** The first valid payment payload of an event; null when it has none. */
export function findPaymentPayload(evidence: readonly Evidence[]): PaymentPayload | null {
  for (const { kind, value } of evidence) {
    if (kind !== 'x402.payment_payload' || value === null) continue;
    const raw = readObject(value);
    const parsed = raw.ok && isKnownVersion(raw.value.x402Version) ? readPaymentPayload(raw.value) : null;
    if (parsed?.ok) return parsed.value;
  }
  return null;
}

export const isKnownVersion = (version: unknown): boolean => version === 1 || version === 2;

const SchemeAndNetwork = z.object({ scheme: z.string().min(1).max(64), network: z.string().max(64).nullable() });

function readTransfer(inner: Record<string, unknown>, scheme: string, network: string | null): ReadResult<Transfer> {
  if (scheme !== 'exact' && scheme !== 'upto') return opaque('unsupported_scheme');
  if (!network?.startsWith('eip155:')) return opaque('network_not_supported');
  const methods = ['authorization', 'permit2Authorization', 'delegationManager'].filter(name =>
    Object.hasOwn(inner, name),
  );
  // With two of them, what is checked here might not be what gets settled.
  if (methods.length !== 1)
    return { ok: false, reason: 'authorization: must be there, or permit2Authorization, not both' };
  if (methods[0] === 'authorization') return readAs(Eip3009, inner);
  if (methods[0] === 'permit2Authorization') return readAs(Permit2, inner);
  return readAs(Delegation, inner);
}

const opaque = (code: OpaqueTransfer['code']): ReadResult<Transfer> => ({
  ok: true,
  value: { method: 'opaque', from: null, code },
});

const SignatureText = z.string().max(50_000);

const Eip3009 = z
  .object({
    signature: SignatureText,
    authorization: z.object({
      from: Address,
      to: Address,
      value: Uint256,
      validAfter: Uint256,
      validBefore: Uint256,
      nonce: Bytes32,
    }),
  })
  .transform(({ signature, authorization }): Eip3009Transfer => {
    const { from, to, value, validAfter: valid_after, validBefore: valid_before, nonce } = authorization;
    return { method: 'eip3009', signature, from, to, value, valid_after, valid_before, nonce };
  });

// The specification also shows nonces in hexadecimal.
const Nonce = z.union([
  Uint256,
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{1,64}$/)
    .transform(text => BigInt(text)),
]);

const Permit2 = z
  .object({
    signature: SignatureText,
    permit2Authorization: z.object({
      from: Address,
      permitted: z.object({ token: Address, amount: Uint256 }),
      spender: Address,
      nonce: Nonce,
      deadline: Uint256,
      witness: z.object({ to: Address, facilitator: Address.optional(), validAfter: Uint256 }),
    }),
  })
  .transform(({ signature, permit2Authorization }): Permit2Transfer => {
    const { from, permitted, spender, nonce, deadline: valid_before, witness } = permit2Authorization;
    return {
      method: 'permit2',
      signature,
      from,
      to: witness.to,
      value: permitted.amount,
      valid_after: witness.validAfter,
      valid_before,
      nonce: nonce.toString(),
      token: permitted.token,
      spender,
      facilitator: witness.facilitator ?? null,
    };
  });

// ERC-7710: only its delegation manager can read the permission.
const Delegation = z
  .object({ delegationManager: Address, delegator: Address, permissionContext: z.string() })
  .transform(({ delegator }): OpaqueTransfer => ({
    method: 'opaque',
    from: delegator,
    code: 'delegation_needs_chain',
  }));
