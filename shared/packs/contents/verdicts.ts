import { type Db, sql } from '#shared/platform/db.ts';
import { inChunks } from './chunks.ts';
import { PackEvaluation, PackVerification } from '#shared/packs/pack_files.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

const CHUNK = 500;

/** The elements of `verifications.json`: every run on these events, each with the hashes of its inputs. */
export async function* readVerifications(
  db: Db,
  { org_id, environment }: Tenant,
  chain_seqs: readonly number[],
): AsyncGenerator<PackVerification> {
  for (const chunk of inChunks(chain_seqs, CHUNK))
    yield* await db.any(sql.type(PackVerification)`
      select r.id, e.id as event_id, r.chain_seq, r.evidence_id, r.kind, r.result, r.checks, r.verifier_version, r.at,
        r.number < max(r.number) over (partition by r.chain_seq, r.kind, r.evidence_id) as superseded,
        jsonb_build_object('event_digest', encode(e.event_digest, 'hex'), 'evidence_sha256', (
          select encode(d.sha256, 'hex') from evidence d
          where d.org_id = e.org_id and d.environment = e.environment and d.event_id = e.id and d.id = r.evidence_id)) as inputs
      from verification_runs r
      join events e on e.org_id = r.org_id and e.environment = r.environment and e.chain_seq = r.chain_seq
      where r.org_id = ${org_id} and r.environment = ${environment} and r.chain_seq = any(${sql.array(chunk, 'int8')})
      order by r.chain_seq, r.number, r.id`);
}

/** The elements of `evaluations.json`: every evaluation of these events by a mandate. */
export async function* readEvaluations(
  db: Db,
  { org_id, environment }: Tenant,
  chain_seqs: readonly number[],
): AsyncGenerator<PackEvaluation> {
  for (const chunk of inChunks(chain_seqs, CHUNK))
    yield* await db.any(sql.type(PackEvaluation)`
      select e.id as event_id, m.chain_seq, m.mandate_id, m.version, m.result, m.constraints::jsonb as constraints, m.at,
        m.number < max(m.number) over (partition by m.chain_seq, m.mandate_id) as superseded
      from mandate_evaluations m
      join events e on e.org_id = m.org_id and e.environment = m.environment and e.chain_seq = m.chain_seq
      where m.org_id = ${org_id} and m.environment = ${environment} and m.chain_seq = any(${sql.array(chunk, 'int8')})
      order by m.chain_seq, m.mandate_id, m.number`);
}
