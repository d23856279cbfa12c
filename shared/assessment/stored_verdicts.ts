import { z } from 'zod';
import type { Assessor } from './assessor.ts';
import { loadCurrent } from './current.ts';
import { isEvaluated } from './evaluation_plan.ts';
import { loadReports } from './load_reports.ts';
import { hasMandates, loadMandates } from './mandate_set.ts';
import {
  type Crossing,
  type MandateVerdict,
  type NamedMandate,
  type RepeatedUse,
  type Run,
  summaryOf,
  type Verdict,
} from './verdict.ts';
import { isProven, nothingRead, verifyReports } from './verify_reports.ts';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { columnOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { type LoggedEvent, Milliseconds } from '#shared/events/ranges/load.ts';
import { ConstraintVerdict, MandateResult } from '#shared/events/log/event_verdicts.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/**
 * The verdicts of events that were assessed before, as they hold now: what was verified or evaluated again since then counts by its latest
 * result. Writes nothing.
 */
export async function loadStoredVerdicts(
  tx: Db,
  tenant: Tenant,
  events: readonly LoggedEvent[],
  assessor: Pick<Assessor, 'verifiers' | 'readTrust'>,
): Promise<(event: Pick<LoggedEvent, 'chain_seq' | 'type'>) => Verdict> {
  const runs = await loadRuns(tx, tenant, events.filter(isProven));
  const replayed = events.filter(({ chain_seq }) => runs.get(chain_seq)?.some(wasReplayed));
  const replays = await loadReplays(tx, tenant, replayed, assessor);
  const evaluations = await loadEvaluations(tx, tenant, events.filter(isEvaluated));
  return ({ chain_seq, type }) => {
    const list = runs.get(chain_seq) ?? [];
    const summary = summaryOf(list);
    return {
      verification: summary && { ...summary, runs: list },
      replays: replays.get(chain_seq) ?? [],
      evaluations: isEvaluated({ type }) ? (evaluations.get(chain_seq) ?? []) : null,
    };
  };
}

async function loadRuns(tx: Db, tenant: Tenant, events: readonly LoggedEvent[]): Promise<Map<number, Run[]>> {
  if (events.length === 0) return new Map();
  const current = await loadCurrent(
    tx,
    tenant,
    events.map(event => event.chain_seq),
  );
  return new Map([...current].map(([chain_seq, { runs }]) => [chain_seq, runs]));
}

const wasReplayed = ({ checks }: Run) =>
  checks.some(
    ({ name, result, code }) => name === 'single_use' && (result === 'fail' || code === 'transaction_reused'),
  );

/** Who used first what these events used again is not stored with them: their evidence is read once more. */
async function loadReplays(
  tx: Db,
  tenant: Tenant,
  events: readonly LoggedEvent[],
  { verifiers, readTrust }: Pick<Assessor, 'verifiers' | 'readTrust'>,
): Promise<Map<number, RepeatedUse[]>> {
  if (events.length === 0) return new Map();
  const reports = await loadReports(tx, tenant, events);
  const verification = { verifiers, trust: await readTrust(tx, tenant), chainOf: () => nothingRead };
  const { verified } = await verifyReports(tx, tenant, events, reports, verification);
  return new Map([...verified].map(([chain_seq, { replays }]) => [chain_seq, replays]));
}

const EvaluationRow = z.object({
  chain_seq: z.number(),
  mandate_id: z.string(),
  version: z.number(),
  at: Milliseconds,
  seq: z.number(),
  result: MandateResult,
  constraints: z.array(ConstraintVerdict),
});
type EvaluationRow = z.infer<typeof EvaluationRow>;

async function loadEvaluations(tx: Db, tenant: Tenant, events: readonly LoggedEvent[]) {
  const verdicts = new Map<number, MandateVerdict[]>();
  const namesMandate = events.some(({ mandate_id }) => mandate_id !== null);
  if (events.length === 0 || !(namesMandate || (await hasMandates(tx, tenant)))) return verdicts;
  const { org_id, environment } = tenant;
  const seqs = columnOf(events, 'chain_seq', 'int8');
  const rows = await tx.any(sql.type(EvaluationRow)`
    select distinct on (chain_seq, mandate_id) chain_seq, mandate_id, version, position_at as at, position_seq as seq, result,
      constraints::json as constraints
    from mandate_evaluations
    where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${seqs})
    order by chain_seq, mandate_id, number desc`);
  if (rows.length === 0) return verdicts;
  const mandates = await loadMandates(tx, tenant, {
    agent_ids: [],
    mandate_ids: [...new Set(rows.map(({ mandate_id }) => mandate_id))],
    earliest: Math.min(...rows.map(({ at }) => at)),
  });
  const marks = await tx.any(sql.type(MarkRow)`
    select chain_seq, mandate_id, budget, period, percent from budget_marks
    where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${seqs})`);
  const crossed = Map.groupBy(marks, ({ chain_seq, mandate_id }) => `${chain_seq} ${mandate_id}`);
  const agents = new Map(events.map(({ chain_seq, agent_id }) => [chain_seq, agent_id]));
  for (const row of rows) {
    const { chain_seq, mandate_id, version, at, seq, result, constraints } = row;
    const mandate =
      mandates.versionsFrom(mandate_id, -Infinity).find(candidate => candidate.version === version) ??
      unknownMandate(row, agents.get(chain_seq) ?? '');
    const verdict: MandateVerdict = {
      mandate,
      position: { at, seq },
      result,
      constraints,
      budgets: [],
      crossed: crossingsOf(mandate, crossed.get(`${chain_seq} ${mandate_id}`) ?? []),
    };
    verdicts.set(chain_seq, [...(verdicts.get(chain_seq) ?? []), verdict]);
  }
  return verdicts;
}

const MarkRow = z.object({
  chain_seq: z.number(),
  mandate_id: z.string(),
  budget: z.string(),
  period: z.string(),
  percent: z.number(),
});

/** The thresholds that were noted for a payment; how much was used before and after it was not. */
const crossingsOf = ({ constraints }: NamedMandate, marks: readonly z.infer<typeof MarkRow>[]): Crossing[] =>
  marks.flatMap(({ budget, period, percent }) => {
    const constraint = constraints.findIndex(terms => canonicalJson(terms) === budget);
    return constraint < 0 ? [] : [{ constraint, period, percent, before: 0, after: percent * 100 }];
  });

/** In place of a mandate that an event names and that there is not. */
const unknownMandate = ({ mandate_id, version, at }: EvaluationRow, agent_id: string): NamedMandate => ({
  id: mandate_id,
  agent_id,
  version,
  name: mandate_id,
  source: 'native',
  external_ref: null,
  state: 'active',
  valid_from: null,
  valid_until: null,
  anchor: at,
  human_presence: 'not_required',
  constraints: [],
});
