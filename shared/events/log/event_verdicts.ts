import { z } from 'zod';
import { type Db, sql, timeText } from '#shared/platform/db.ts';
import { Id } from '#shared/interface/ids.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';

export const VerificationResult = z.enum(['verified', 'failed', 'inconclusive']).meta({ id: 'VerificationResult' });
export const MandateResult = z.enum(['compliant', 'breach', 'unresolved']).meta({ id: 'MandateResult' });
export type MandateResult = z.infer<typeof MandateResult>;

export const ShownCheck = z
  .object({
    name: z.string(),
    result: z.enum(['pass', 'fail', 'skip']),
    code: z.string().optional().meta({ description: 'why it failed or could not be done' }),
    detail: z.string().optional(),
  })
  .meta({ id: 'VerificationCheck' });

export const VerificationRun = z
  .object({
    id: Id('vrf'),
    event_id: Id('evt'),
    evidence_id: Id('evd').nullable().meta({ description: 'null: the signature of the event itself' }),
    kind: z.string(),
    result: VerificationResult,
    checks: z.array(ShownCheck),
    verifier_version: z.string(),
    at: Timestamp,
  })
  .meta({ id: 'VerificationRun' });
export type VerificationRun = z.infer<typeof VerificationRun>;

export const ConstraintVerdict = z
  .object({
    type: z.string(),
    result: MandateResult,
    code: z.string().optional(),
    observed: z.string().nullable(),
    limit: z.string().nullable(),
    remaining: z.string().optional(),
    over: z.number().optional().meta({ description: 'observed ÷ limit, where it is a limit of amount or count' }),
  })
  .meta({
    id: 'ConstraintVerdict',
    description: 'Money in the unit of the constraint: minor units of its currency, or atomic units of its asset.',
  });

export const MandateEvaluationFull = z
  .object({
    mandate_id: Id('mnd'),
    version: z.int().min(0).meta({ description: 'of the mandate; 0 where there is no such mandate' }),
    result: MandateResult,
    constraints: z.array(ConstraintVerdict),
    at: Timestamp.meta({ description: 'when it was evaluated' }),
  })
  .meta({ id: 'MandateEvaluation' });

export const VerificationPreview = VerificationRun.omit({ id: true, event_id: true, evidence_id: true, at: true }).meta(
  {
    id: 'VerificationPreview',
  },
);
export const MandatePreview = MandateEvaluationFull.omit({ at: true }).meta({ id: 'MandateEvaluationPreview' });

const Verdicts = z.object({
  verification_runs: z.array(VerificationRun),
  mandate_evaluations: z.array(MandateEvaluationFull),
});

/**
 * The current verdicts on an event: the latest run of each verifier on each piece of evidence, and the latest evaluation by each mandate.
 */
export const verdictsOf = (db: Db, { org_id, environment }: Tenant, chain_seq: number) =>
  db.one(sql.type(Verdicts)`
    select
      coalesce((select jsonb_agg(jsonb_build_object('id', r.id, 'event_id', r.event_id, 'evidence_id', r.evidence_id, 'kind', r.kind,
          'result', r.result, 'checks', r.checks, 'verifier_version', r.verifier_version, 'at', ${timeText(sql.fragment`r.at`)}) order by r.id)
        from (
          select distinct on (v.kind, v.evidence_id) v.*, e.id as event_id
          from verification_runs v
          join events e on e.org_id = v.org_id and e.environment = v.environment and e.chain_seq = v.chain_seq
          where v.org_id = ${org_id} and v.environment = ${environment} and v.chain_seq = ${chain_seq}
          order by v.kind, v.evidence_id, v.number desc) r), '[]') as verification_runs,
      coalesce((select jsonb_agg(jsonb_build_object('mandate_id', m.mandate_id, 'version', m.version, 'result', m.result,
          'constraints', m.constraints::jsonb, 'at', ${timeText(sql.fragment`m.at`)})
          order by array_position(array['breach', 'unresolved', 'compliant'], m.result), m.mandate_id)
        from (
          select distinct on (mandate_id) * from mandate_evaluations
          where org_id = ${org_id} and environment = ${environment} and chain_seq = ${chain_seq}
          order by mandate_id, number desc) m), '[]') as mandate_evaluations`);
