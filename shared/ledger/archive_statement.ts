import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { LogKey, SigningKey } from './signing_keys.ts';
import { createSignatureCheck, payloadOf, signStatement } from './statements.ts';

/** The signed statement on an archive: its range of events, SHA-256 over their leaf hashes, and the hash of its file; in hex. */
const Statement = z.strictObject({
  v: z.literal(1),
  type: z.literal('archive'),
  /** `<organization>/<environment>`. */
  log: z.string(),
  from_seq: z.int().min(1),
  to_seq: z.int().min(1),
  leaves_digest: z.string(),
  sha256: z.string(),
});
type Statement = z.infer<typeof Statement>;

/** The parts of an archive that a statement covers. */
export type StatedArchive = Pick<Statement, 'from_seq' | 'to_seq' | 'leaves_digest' | 'sha256'>;

const logName = ({ org_id, environment }: Tenant) => `${org_id}/${environment}`;

/** Signs the statement on an archive: a compact JWS (RFC 7515) by a key of the log. */
export const stateArchived = (key: SigningKey, tenant: Tenant, archive: StatedArchive): string =>
  signStatement(key, { v: 1, type: 'archive', log: logName(tenant), ...archive } satisfies Statement);

/** Returns a check of whether one of these keys signed exactly this of an archive. */
export function createArchiveCheck(tenant: Tenant, keys: readonly LogKey[]) {
  const isSigned = createSignatureCheck(keys);
  return ({ statement, ...archive }: StatedArchive & { statement: string }): boolean => {
    const { data } = Statement.safeParse(payloadOf(statement));
    return (
      data?.log === logName(tenant) &&
      data.from_seq === archive.from_seq &&
      data.to_seq === archive.to_seq &&
      data.leaves_digest === archive.leaves_digest &&
      data.sha256 === archive.sha256 &&
      isSigned(statement)
    );
  };
}

export type ArchiveCheck = ReturnType<typeof createArchiveCheck>;
