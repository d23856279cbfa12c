import { z } from 'zod';
import type { Summary } from './save_verdicts.ts';
import type { Run } from './verdict.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { ShownCheck, MandateResult, VerificationResult } from '#shared/events/log/event_verdicts.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { verificationKinds } from '#shared/verification/verifier.ts';

/** The verdicts that are valid for an event now. */
type Current = {
  summary: Summary | null;
  runs: Run[];
  /** The latest result by each mandate. */
  results: Map<string, 'compliant' | 'breach' | 'unresolved'>;
};

/** The current verdicts of these events, by chain_seq; events without any are left out. */
export async function loadCurrent(
  tx: Db,
  { org_id, environment }: Tenant,
  chain_seqs: readonly number[],
): Promise<Map<number, Current>> {
  const seqs = sql.array([...chain_seqs], 'int8');
  const here = sql.fragment`org_id = ${org_id} and environment = ${environment} and chain_seq = any(${seqs})`;
  const summaries = await tx.any(sql.type(SummaryRow)`
    select chain_seq, verification_result, verification_kind, mandate_result, mandate_id from event_verdicts where ${here}`);
  const runs = await tx.any(sql.type(RunRow)`
    select distinct on (chain_seq, kind, evidence_id) chain_seq, kind, evidence_id, result, checks, verifier_version
    from verification_runs where ${here} order by chain_seq, kind, evidence_id, number desc`);
  const evaluations = await tx.any(sql.type(EvaluationRow)`
    select distinct on (chain_seq, mandate_id) chain_seq, mandate_id, result
    from mandate_evaluations where ${here} order by chain_seq, mandate_id, number desc`);
  const current = new Map<number, Current>();
  const at = (chain_seq: number): Current => {
    const entry = current.get(chain_seq) ?? { summary: null, runs: [], results: new Map() };
    current.set(chain_seq, entry);
    return entry;
  };
  for (const { chain_seq, ...summary } of summaries) at(chain_seq).summary = summary;
  for (const { chain_seq, ...run } of runs) at(chain_seq).runs.push(run);
  for (const { chain_seq, mandate_id, result } of evaluations) at(chain_seq).results.set(mandate_id, result);
  return current;
}

const SummaryRow = z.object({
  chain_seq: z.number(),
  verification_result: VerificationResult.nullable(),
  verification_kind: z.string().nullable(),
  mandate_result: MandateResult.nullable(),
  mandate_id: z.string().nullable(),
});
const RunRow = z.object({
  chain_seq: z.number(),
  kind: z.enum(verificationKinds),
  evidence_id: z.string().nullable(),
  result: VerificationResult,
  checks: z.array(ShownCheck),
  verifier_version: z.string(),
});
const EvaluationRow = z.object({ chain_seq: z.number(), mandate_id: z.string(), result: MandateResult });
