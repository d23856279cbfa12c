import type { Evidence, Outcome, VerificationInput, VerificationKind, Verifier } from './verifier.ts';

/** The outcome of one verifier for one piece of evidence. `evidence_id` is null for the event's own signature. */
export type Verified = Outcome & { evidence_id: string | null; kind: VerificationKind; verifier_version: string };

/**
 * Runs each piece of evidence, and the event's own signature, through the verifiers that read it, in their order. If a verifier throws,
 * that piece is inconclusive with code `internal`, and `onThrow` is called.
 */
export async function verifyEvent(
  input: VerificationInput,
  verifiers: readonly Verifier[],
  onThrow: (kind: VerificationKind, error: unknown) => void = () => {},
): Promise<Verified[]> {
  const pieces: Evidence[] = [...input.evidence];
  if (input.signature) pieces.push({ id: '', kind: 'signature', value: input.signature.jws });
  const verified: Verified[] = [];
  for (const { kind, version, reads, verify } of verifiers) {
    for (const piece of pieces) {
      if (!reads.includes(piece.kind)) continue;
      let outcome: Outcome;
      try {
        outcome = await verify(piece, input);
      } catch (error) {
        onThrow(kind, error);
        outcome = internal;
      }
      verified.push({ ...outcome, evidence_id: piece.id || null, kind, verifier_version: version });
    }
  }
  return verified;
}

const internal: Outcome = {
  result: 'inconclusive',
  checks: [{ name: 'computation', result: 'skip', code: 'internal', detail: 'This verifier could not judge it.' }],
  facts: [],
  lookups: [],
};
