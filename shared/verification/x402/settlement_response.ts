import { z } from 'zod';
import { normalizeNetwork } from '#shared/values/networks.ts';
import type { Evidence } from '#shared/verification/verifier.ts';
import { Address, type ReadResult, readAs, readObject, Uint256 } from './read_evidence.ts';

/**
 * A facilitator's answer after settling (x402 SettlementResponse, the X-PAYMENT-RESPONSE header of v1). `network` is CAIP-2, or null when
 * unknown; on EVM chains `transaction` and `payer` are in lower case; `transaction` is empty when none was sent.
 */
export type SettlementResponse = {
  success: boolean;
  transaction: string;
  network: string | null;
  payer: string | null;
  amount: bigint | null;
  error_reason: string | null;
};

export function readSettlementResponse(raw: Record<string, unknown>): ReadResult<SettlementResponse> {
  const parsed = readAs(Response, raw);
  if (!parsed.ok) return parsed;
  const { success, transaction, payer, amount, errorReason } = parsed.value;
  const network = normalizeNetwork(parsed.value.network);
  const evm = network?.startsWith('eip155:');
  const hash = evm ? transaction.toLowerCase() : transaction;
  if (evm && hash !== '' && !/^0x[0-9a-f]{64}$/.test(hash))
    return { ok: false, reason: 'transaction: must be 0x and 64 hexadecimal digits, or empty' };
  const account = evm && payer ? readAs(Address, payer) : { ok: true as const, value: payer || null };
  if (!account.ok) return { ok: false, reason: `payer ${account.reason}` };
  return {
    ok: true,
    value: {
      success,
      transaction: hash,
      network,
      payer: account.value,
      amount: amount ?? null,
      error_reason: errorReason ?? null,
    },
  };
}

const Response = z.looseObject({
  success: z.boolean(),
  transaction: z.string().max(200),
  network: z.string().min(1).max(64),
  payer: z.string().max(128).nullish(),
  amount: Uint256.nullish(),
  errorReason: z.string().max(2_000).nullish(),
});

/** The first valid settlement response of an event; null when it has none. */
export function findSettlement(evidence: readonly Evidence[]): SettlementResponse | null {
  for (const { kind, value } of evidence) {
    if (kind !== 'x402.settlement_response' || value === null) continue;
    const raw = readObject(value);
    const parsed = raw.ok ? readSettlementResponse(raw.value) : null;
    if (parsed?.ok) return parsed.value;
  }
  return null;
}
