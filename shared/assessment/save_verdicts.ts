import { type MandateVerdict, type Run, type Verdict, worstOf } from './verdict.ts';
import { packedRows, type Statement, writeInTurn } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** What is to be written of an event: new runs and evaluations, and what it comes to with them and what it came to before (null: nothing). */
export type Assessed = {
  event: { chain_seq: number; agent_id: string; occurred_at: number };
  runs: readonly Run[];
  evaluations: readonly MandateVerdict[];
  before: Summary | null;
  after: Summary;
};

/** What the lists and totals tell of a verdict. */
export type Summary = {
  verification_result: 'verified' | 'failed' | 'inconclusive' | null;
  verification_kind: string | null;
  mandate_result: 'compliant' | 'breach' | 'unresolved' | null;
  mandate_id: string | null;
};

export function summaryOfVerdict({ verification, evaluations }: Verdict): Summary {
  const worst = worstOf(evaluations ?? []);
  return {
    verification_result: verification?.result ?? null,
    verification_kind: verification?.kind ?? null,
    mandate_result: worst?.result ?? null,
    mandate_id: worst?.mandate.id ?? null,
  };
}

/** Writes verdicts: their evaluations, their runs, the summary that lists show, and each agent's totals by day. */
export const saveVerdicts = (tx: Db, tenant: Tenant, assessed: readonly Assessed[], now: number): Promise<void> =>
  writeInTurn(tx, verdictStatements(tenant, assessed, now));

/** The statements that write verdicts, the longest first. */
export function verdictStatements(
  tenant: Tenant,
  assessed: readonly Assessed[],
  now: number,
): (() => Statement | null)[] {
  const changed = assessed.filter(({ before, after }) => isSome(after) && !isSame(before, after));
  return [
    () => evaluationsStatement(tenant, assessed, now),
    () => runsStatement(tenant, assessed, now),
    () => summariesStatement(tenant, changed),
    () => totalsStatement(tenant, changed),
  ];
}

/** Runs of one assessment share a number; the next has a higher one. */
function runsStatement({ org_id, environment }: Tenant, assessed: readonly Assessed[], now: number): Statement | null {
  const rows = assessed.flatMap(({ event, runs }) =>
    runs.map(run => [
      event.chain_seq,
      newId('vrf', now),
      run.kind,
      run.evidence_id,
      run.result,
      JSON.stringify(run.checks),
      run.verifier_version,
    ]),
  );
  if (rows.length === 0) return null;
  return sql.unsafe`
    insert into verification_runs (org_id, environment, chain_seq, id, kind, evidence_id, result, checks, verifier_version, number, at)
    select ${org_id}, ${environment}, r.*, coalesce((
      select max(v.number) from verification_runs v
      where v.org_id = ${org_id} and v.environment = ${environment} and v.chain_seq = r.chain_seq), 0) + 1, ${timestamp(now)}
    from ${packedRows(rows, ['int8', 'text', 'text', 'text', 'text', 'jsonb', 'text'])}
      as r (chain_seq, id, kind, evidence_id, result, checks, verifier_version)`;
}

/** A further evaluation by the same mandate gets the next number. */
function evaluationsStatement(
  { org_id, environment }: Tenant,
  assessed: readonly Assessed[],
  now: number,
): Statement | null {
  const rows = assessed.flatMap(({ event, evaluations, before }) =>
    evaluations.map(({ mandate, position, result, constraints }) => [
      before === null,
      event.chain_seq,
      mandate.id,
      mandate.version,
      timestamp(position.at),
      position.seq,
      result,
      JSON.stringify(constraints),
    ]),
  );
  if (rows.length === 0) return null;
  return sql.unsafe`
    insert into mandate_evaluations (org_id, environment, chain_seq, mandate_id, version, position_at, position_seq, result, constraints,
      number, at)
    select ${org_id}, ${environment}, r.chain_seq, r.mandate_id, r.version, r.position_at, r.position_seq, r.result, r.constraints,
      case when r.is_first then 1 else coalesce((
        select max(e.number) from mandate_evaluations e
        where e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = r.chain_seq and e.mandate_id = r.mandate_id), 0) + 1 end,
      ${timestamp(now)}
    from ${packedRows(rows, ['bool', 'int8', 'text', 'int4', 'timestamptz', 'int8', 'text', 'text'])}
      as r (is_first, chain_seq, mandate_id, version, position_at, position_seq, result, constraints)`;
}

type Changed = Pick<Assessed, 'event' | 'before' | 'after'>;

function summariesStatement({ org_id, environment }: Tenant, changed: readonly Changed[]): Statement | null {
  if (changed.length === 0) return null;
  const rows = changed.map(({ event, after }) => [
    event.chain_seq,
    after.verification_result,
    after.verification_kind,
    after.mandate_result,
    after.mandate_id,
  ]);
  return sql.unsafe`
    insert into event_verdicts (org_id, environment, chain_seq, verification_result, verification_kind, mandate_result, mandate_id)
    select ${org_id}, ${environment}, r.* from ${packedRows(rows, ['int8', 'text', 'text', 'text', 'text'])} as r
    on conflict (org_id, environment, chain_seq) do update set
      verification_result = excluded.verification_result, verification_kind = excluded.verification_kind,
      mandate_result = excluded.mandate_result, mandate_id = excluded.mandate_id`;
}

const results = ['verified', 'failed', 'inconclusive', 'compliant', 'breach', 'unresolved'] as const;

/** Adds what came, and takes away what it was before. */
function totalsStatement({ org_id, environment }: Tenant, changed: readonly Changed[]): Statement | null {
  const days = new Map<string, { agent_id: string; day: string; counts: number[] }>();
  for (const { event, before, after } of changed) {
    const day = timestamp(event.occurred_at).slice(0, 'YYYY-MM-DD'.length);
    const key = `${event.agent_id} ${day}`;
    const sum = days.get(key) ?? { agent_id: event.agent_id, day, counts: results.map(() => 0) };
    days.set(key, sum);
    sum.counts = results.map(
      (result, index) =>
        (sum.counts[index] ?? 0) + Number(has(after, result)) - Number(before !== null && has(before, result)),
    );
  }
  if (days.size === 0) return null;
  const rows = [...days.values()].map(({ agent_id, day, counts }) => [agent_id, day, ...counts]);
  return sql.unsafe`
    insert into agent_verdict_days as d (org_id, environment, agent_id, day, verified, failed, inconclusive, compliant, breach, unresolved)
    select ${org_id}, ${environment}, r.*
    from ${packedRows(rows, ['text', 'date', 'int8', 'int8', 'int8', 'int8', 'int8', 'int8'])} as r
    on conflict (org_id, environment, agent_id, day) do update set
      verified = d.verified + excluded.verified, failed = d.failed + excluded.failed,
      inconclusive = d.inconclusive + excluded.inconclusive, compliant = d.compliant + excluded.compliant,
      breach = d.breach + excluded.breach, unresolved = d.unresolved + excluded.unresolved`;
}

const has = (summary: Summary, result: string) =>
  summary.verification_result === result || summary.mandate_result === result;
const isSome = (summary: Summary) => summary.verification_result !== null || summary.mandate_result !== null;
const isSame = (before: Summary | null, after: Summary) =>
  before !== null &&
  before.verification_result === after.verification_result &&
  before.verification_kind === after.verification_kind &&
  before.mandate_result === after.mandate_result &&
  before.mandate_id === after.mandate_id;
