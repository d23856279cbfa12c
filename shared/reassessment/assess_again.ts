import { applyMandates } from './apply_mandates.ts';
import type { Assessor } from '#shared/assessment/assessor.ts';
import type { AsOf } from '#shared/assessment/assess.ts';
import { loadAnswers, lookupsStatement } from '#shared/assessment/chain_lookups.ts';
import { loadCurrent } from '#shared/assessment/current.ts';
import { importMandates } from '#shared/assessment/import_mandates.ts';
import { loadReports } from '#shared/assessment/load_reports.ts';
import { loadMandates } from '#shared/assessment/mandate_set.ts';
import { type Assessed, verdictStatements } from '#shared/assessment/save_verdicts.ts';
import { type Changed, tellChanges } from './tell_changes.ts';
import { type Run, summaryOf } from '#shared/assessment/verdict.ts';
import { isProven, verifyReports } from '#shared/assessment/verify_reports.ts';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { writeInTurn } from '#shared/platform/bulk.ts';
import type { Db } from '#shared/platform/db.ts';
import { readEvents } from '#shared/events/ranges/load.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/**
 * Verifies the evidence of events again, with the keys trusted now and chains' later answers, and evaluates their payments against mandates
 * found in it. Stores and reports the differences; returns the webhooks to send. Runs in a transaction that holds the log's cursor.
 */
export async function assessAgain(
  tx: Db,
  tenant: Tenant,
  chain_seqs: readonly number[],
  assessor: Assessor,
  moment: AsOf,
): Promise<Jobs['webhook'][]> {
  const { now } = moment;
  const proven = (await readEvents(tx, tenant, chain_seqs)).filter(isProven);
  const reports = await loadReports(tx, tenant, proven);
  const events = proven.filter(({ chain_seq }) => !reports.get(chain_seq)?.erased);
  if (events.length === 0) return [];
  const { verified, factsStatement } = await verifyReports(tx, tenant, events, reports, {
    verifiers: assessor.verifiers,
    trust: await assessor.readTrust(tx, tenant),
    chainOf: await loadAnswers(tx, tenant, chain_seqs),
  });
  const current = await loadCurrent(tx, tenant, chain_seqs);
  const assessed: Assessed[] = [];
  const changed: Changed[] = [];
  for (const event of events) {
    const verdicts = current.get(event.chain_seq);
    const report = verified.get(event.chain_seq);
    const runs = report?.verification?.runs ?? [];
    const before = verdicts?.summary ?? null;
    const summary = summaryOf(runs);
    const news = runs.filter(run => !(verdicts?.runs ?? []).some(former => isSame(run, former)));
    if (!report || news.length === 0) continue;
    assessed.push({
      event,
      runs: news,
      evaluations: [],
      before,
      after: {
        verification_result: summary?.result ?? null,
        verification_kind: summary?.kind ?? null,
        mandate_result: before?.mandate_result ?? null,
        mandate_id: before?.mandate_id ?? null,
      },
    });
    // Earlier failures were reported already; only new ones are.
    if (summary?.result === 'failed' && before?.verification_result !== 'failed')
      changed.push({
        event,
        verdict: { verification: report.verification, replays: report.replays, evaluations: null },
      });
  }
  await writeInTurn(tx, [
    factsStatement,
    ...verdictStatements(tenant, assessed, now),
    () => lookupsStatement(tenant, verified, assessor.networks, now),
  ]);

  const mandates = await loadMandates(tx, tenant, {
    agent_ids: [...new Set(events.map(event => event.agent_id))],
    mandate_ids: [],
    earliest: Math.min(...events.map(event => event.occurred_at)),
  });
  await importMandates(tx, tenant, reports, verified, mandates, now);
  const signed = events.flatMap(event =>
    (verified.get(event.chain_seq)?.open_mandates ?? []).flatMap(({ hash }) => {
      const mandate_id = mandates.imported(event.agent_id, hash);
      return mandate_id ? [{ mandate_id, agent_id: event.agent_id, payment_id: event.payment_id }] : [];
    }),
  );
  const held = await applyMandates(tx, tenant, signed, mandates, moment);
  return tellChanges(tx, tenant, [...changed, ...held], now);
}

const isSame = (a: Run, b: Run) =>
  a.kind === b.kind &&
  a.evidence_id === b.evidence_id &&
  a.result === b.result &&
  canonicalJson(a.checks) === canonicalJson(b.checks);
