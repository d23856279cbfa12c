import { type Hop, readChain } from './chain.ts';
import { openMandateHash } from './open_mandate.ts';
import { textOf } from '#shared/verification/json.ts';
import type { Evidence } from '#shared/verification/verifier.ts';

/** The checkouts that came with a payment: their JWTs, and all that their open mandates may be referred to by. */
export type ReportedCheckouts = { jwts: string[]; hashes: ReadonlySet<string> };

/** Reads the checkout mandates among the evidence; null when none can be read. Whether they are sound is judged where they are verified. */
export function readReportedCheckouts(evidence: readonly Evidence[]): ReportedCheckouts | null {
  const jwts: string[] = [];
  const hashes: string[] = [];
  for (const { kind, value } of evidence) {
    const chain = kind === 'ap2.checkout_mandate' && typeof value === 'string' ? readChain(value.trim()) : null;
    if (!chain?.ok) continue;
    jwts.push(...(chain.value.at(-1)?.mandates ?? []).flatMap(mandate => textOf(mandate, 'checkout_jwt') ?? []));
    hashes.push(...chain.value.slice(0, -1).flatMap(namesOf));
  }
  return jwts.length === 0 ? null : { jwts, hashes: new Set(hashes) };
}

/** `payment.reference` is the `sd_hash` of the open checkout mandate; of its JWT alone, or of its canonical JSON, it is as good. */
const namesOf = ({ digest, token, text, mandates }: Hop): string[] => [
  digest(token),
  digest(text),
  ...mandates.flatMap(mandate => openMandateHash(mandate) ?? []),
];
