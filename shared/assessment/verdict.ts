import type {
  BudgetUse,
  ConstraintResult,
  EvaluationResult,
  JudgedMandate,
  Position,
} from '#shared/mandates/evaluation.ts';
import type { Check, Result, VerificationKind } from '#shared/verification/verifier.ts';

/** The result of assessing an event: its evidence verified and its payment judged against its mandates. */
export type Verdict = {
  /** Null where there was nothing to verify. */
  verification: { result: Result; kind: VerificationKind; runs: Run[] } | null;
  /** Facts that another payment had used before. */
  replays: RepeatedUse[];
  /** Null where nothing is held against mandates: failures, refunds and the like. Empty where no mandate applies. */
  evaluations: MandateVerdict[] | null;
};

/** One verification of one piece of evidence; `evidence_id` is null for the signature of the event itself. */
export type Run = {
  evidence_id: string | null;
  kind: VerificationKind;
  result: Result;
  checks: Check[];
  verifier_version: string;
};

/** `chain_seq` is the event that used it first. */
export type RepeatedUse = {
  code: string;
  scope: string;
  payment_id: string;
  chain_seq: number;
  /** It is not known whose it is. */
  is_claimed?: boolean;
};

export type MandateVerdict = {
  mandate: NamedMandate;
  position: Position;
  result: EvaluationResult;
  constraints: ConstraintResult[];
  budgets: BudgetUse[];
  /** Thresholds that a budget crossed with this payment, for the first time in its period. */
  crossed: Crossing[];
};

export type Crossing = BudgetUse & { percent: number };

/** The mandate as it is stored, with the name people know it by. */
export type NamedMandate = JudgedMandate & { name: string; source: 'native' | 'ap2'; external_ref: string | null };

/** Any failed: failed; else any verified: verified; else inconclusive. `kind` is the one that decided. Null where nothing ran. */
export function summaryOf(runs: readonly Run[]): { result: Result; kind: VerificationKind } | null {
  for (const result of ['failed', 'verified', 'inconclusive'] as const) {
    const run = runs.find(candidate => candidate.result === result);
    if (run) return { result, kind: run.kind };
  }
  return null;
}

/** Breach, then unresolved, then compliant. */
export const worstFirst = (evaluations: readonly MandateVerdict[]): MandateVerdict[] =>
  evaluations.toSorted((a, b) => severity[b.result] - severity[a.result] || (a.mandate.id < b.mandate.id ? -1 : 1));

/** The worst of the evaluations, which the event shows. */
export const worstOf = (evaluations: readonly MandateVerdict[]): MandateVerdict | null =>
  worstFirst(evaluations)[0] ?? null;

const severity: Record<EvaluationResult, number> = { compliant: 0, unresolved: 1, breach: 2 };

/** Of an event that has nothing to assess. */
export const noVerdict: Verdict = { verification: null, replays: [], evaluations: null };
