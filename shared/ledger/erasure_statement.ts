import { hash } from 'node:crypto';
import { z } from 'zod';
import { Id } from '#shared/interface/ids.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { LogKey, SigningKey } from './signing_keys.ts';
import { createSignatureCheck, payloadOf, signStatement } from './statements.ts';

const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/** The signed statement on an emptied event: its original digest, and its remaining parts. */
const Statement = z.strictObject({
  v: z.literal(1),
  /** `<organization>/<environment>`. */
  log: z.string(),
  erasure: Id('ers'),
  chain_seq: z.int().min(1),
  event_digest: Digest,
  /** SHA-256 of the RFC 8785 form of the event's remaining input. */
  input_sha256: Digest,
  /** The positions of its pieces of evidence without a value. */
  evidence: z.array(z.int().min(0)),
  /** `usr_…`, or null for the operator. */
  by: z.string().nullable(),
  at: z.string(),
  ground_sha256: Digest,
});
export type ErasureStatement = z.infer<typeof Statement>;

/** The parts of an erasure that all its statements share. */
export type StatedErasure = { id: string; ground: string; requested_by: string | null; requested_at: string };

type StatedEvent = Pick<ErasureStatement, 'chain_seq' | 'event_digest' | 'input_sha256' | 'evidence'>;

const logName = ({ org_id, environment }: Tenant) => `${org_id}/${environment}`;

/** Signs the statement on an emptied event: a compact JWS (RFC 7515) by Ed25519 (RFC 8037) over its RFC 8785 form. */
export function stateErased(
  key: SigningKey,
  tenant: Tenant,
  { id, ground, requested_by, requested_at }: StatedErasure,
  event: StatedEvent,
): string {
  const statement: ErasureStatement = {
    v: 1,
    log: logName(tenant),
    erasure: id,
    ...event,
    by: requested_by,
    at: requested_at,
    ground_sha256: hash('sha256', ground),
  };
  return signStatement(key, statement);
}

/** The contents of a statement, without a check of its signature; null for any other text. */
export const statedOf = (statement: string): ErasureStatement | null =>
  Statement.safeParse(payloadOf(statement)).data ?? null;

/** Returns a reader of statements that one of these keys signed. */
export function createStatementReader(tenant: Tenant, keys: readonly LogKey[]) {
  const isSigned = createSignatureCheck(keys);
  /** Null unless the statement is of this log and this erasure, and signed. */
  return (statement: string, erasure: StatedErasure): ErasureStatement | null => {
    if (!isSigned(statement)) return null;
    const data = statedOf(statement);
    const isThis =
      data?.log === logName(tenant) &&
      data.erasure === erasure.id &&
      data.by === erasure.requested_by &&
      data.at === erasure.requested_at &&
      data.ground_sha256 === hash('sha256', erasure.ground);
    return isThis ? data : null;
  };
}

export type StatementReader = ReturnType<typeof createStatementReader>;
