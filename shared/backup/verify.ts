import { isDeepStrictEqual } from 'node:util';
import { checkpointAt } from '#shared/ledger/checkpoints.ts';
import { verifyLog } from '#shared/ledger/verify/verify_log.ts';
import type { Db } from '#shared/platform/db.ts';
import type { Config } from '#shared/settings/config.ts';
import type { BackedUpLog } from './manifest.ts';

type LogKeys = Pick<Config, 'secret_key' | 'log_signing_key'>;

/** The verification of a restored or moved log. */
export type VerifiedLog = {
  org_id: string;
  environment: string;
  ok: boolean;
  size: number;
  /** The number of events covered by its last checkpoint. */
  checkpoint_size: number | null;
  first_bad_seq: number | null;
  reason?: string;
  /** How many of a witness's statements were about it and its length; absent without a witness. */
  witness_statements?: number;
};

/**
 * Verifies every copied log, and compares it with its recorded length and last checkpoint; and with the file of a witness, which may know
 * more by now.
 */
export async function verifyCopies(
  { config, db }: { config: LogKeys; db: Db },
  logs: readonly BackedUpLog[],
  witness: string | undefined,
): Promise<VerifiedLog[]> {
  const verified: VerifiedLog[] = [];
  for (const { org_id, environment, size, checkpoint } of logs) {
    const tenant = { org_id, environment };
    const result = await verifyLog({ config, db }, tenant, { witness, may_have_grown: true });
    const flaw = result.flaw ?? (await lengthFlaw(db, { tenant, size, checkpoint }, result.size));
    verified.push({
      ...tenant,
      ok: flaw === null,
      size: result.size,
      checkpoint_size: checkpoint?.size ?? null,
      first_bad_seq: flaw?.seq ?? null,
      ...(flaw && { reason: flaw.reason }),
      ...(result.statements !== null && { witness_statements: result.statements }),
    });
  }
  return verified;
}

async function lengthFlaw(
  db: Db,
  {
    tenant,
    size,
    checkpoint,
  }: Pick<BackedUpLog, 'size' | 'checkpoint'> & { tenant: { org_id: string; environment: string } },
  actual_size: number,
) {
  if (actual_size !== size)
    return { seq: Math.min(actual_size, size) + 1, reason: `It had ${size} events, and has ${actual_size}.` };
  if (!checkpoint || isDeepStrictEqual(await checkpointAt(db, tenant, checkpoint.size), checkpoint)) return null;
  return { seq: null, reason: `Its checkpoint of ${checkpoint.size} events is not the one that was noted.` };
}
