import { reopenApproved, withApprovals } from './approvals.ts';
import { keepFirstCrossings, markExhausted } from './budget_marks.ts';
import { booksFor, loadBooks } from './books.ts';
import { lookupsStatement } from './chain_lookups.ts';
import { isEvaluated, planEvaluations, type EventReport } from './evaluation_plan.ts';
import { judgePlan } from './judge_plan.ts';
import { importMandates } from './import_mandates.ts';
import { loadReports } from './load_reports.ts';
import { hasMandates, loadMandates, type MandateSet, noMandates } from './mandate_set.ts';
import type { Assessor } from './assessor.ts';
import type { ReadAhead } from './read_ahead.ts';
import { loadPaid, type PaidMap, paidStatement } from './paid_store.ts';
import { type Assessed, summaryOfVerdict, verdictStatements } from './save_verdicts.ts';
import type { Verdict } from './verdict.ts';
import { isProven, nothingRead, type VerifiedReport, verifyReports } from './verify_reports.ts';
import { type Statement, writeInTurn } from '#shared/platform/bulk.ts';
import type { Db } from '#shared/platform/db.ts';
import type { LoggedEvent } from '#shared/events/ranges/load.ts';
import type { Late } from '#shared/events/ranges/rechecks.ts';
import type { Rates } from '#shared/values/price_in_usd.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** When and at what rates something is judged; read before the transaction. */
export type AsOf = { now: number; rates: Rates };

/** An event that a verifier or a mandate failed on. */
type AssessmentFailure = { chain_seq: number; detector: string };

type Assessment = {
  verdictOf: (event: Pick<LoggedEvent, 'chain_seq' | 'type'>) => Verdict;
  failures: AssessmentFailure[];
  /** Mandates whose later payments must be assessed again. */
  late: ReadonlyMap<string, Late>;
  /** Most of the events had to be read in full. */
  read_most: boolean;
  /** Writes the verdicts. It begins at once; the transaction takes no other statement until it is done. */
  save(): Promise<{ /** Mandates were imported, or are used up now. */ mandates_changed: boolean }>;
};

/**
 * Verifies the evidence of events and checks their payments against their mandates, in the order of the log; `save` writes the verdicts.
 * Runs in the transaction that holds the log's cursor, so no other uses up a nonce or a budget meanwhile.
 */
export async function assessEvents(
  tx: Db,
  tenant: Tenant,
  events: readonly LoggedEvent[],
  assessor: Assessor,
  { now, rates }: AsOf,
  ahead?: ReadAhead,
): Promise<Assessment> {
  const { mandates, paid } = await loadTerms(tx, tenant, events);
  const toRead = eventsToRead(events, mandates, paid);
  const unread = toRead.filter(({ chain_seq }) => !ahead?.reports.has(chain_seq));
  const reports = new Map([...(ahead?.reports ?? []), ...(await loadReports(tx, tenant, unread))]);
  const { verified, factsStatement } = await verify(tx, tenant, events, reports, assessor, ahead);
  const imported = await importMandates(tx, tenant, reports, verified, mandates, now);

  const approved = await withApprovals(tx, tenant, reports, mandates, null);
  const plan = planEvaluations(reportsInOrder(events, approved, verified), mandates, paid);
  const books = await loadBooks(tx, tenant, booksFor(plan.steps), mandates, rates, assessor.books);
  const { verdicts, late, failures } = judgePlan(plan, books, mandates, rates);
  await reopenApproved(tx, tenant, plan.steps, late);
  await keepFirstCrossings(tx, tenant, verdicts);

  const verdictOf = ({ chain_seq, type }: Pick<LoggedEvent, 'chain_seq' | 'type'>): Verdict => ({
    verification: verified.get(chain_seq)?.verification ?? null,
    replays: verified.get(chain_seq)?.replays ?? [],
    evaluations: isEvaluated({ type, ...(reports.get(chain_seq)?.erased && { erased: true }) })
      ? (verdicts.get(chain_seq) ?? [])
      : null,
  });
  const assessed = events.map((event): Assessed => {
    const verdict = verdictOf(event);
    return {
      event,
      runs: verdict.verification?.runs ?? [],
      evaluations: verdict.evaluations ?? [],
      before: null,
      after: summaryOfVerdict(verdict),
    };
  });
  return {
    verdictOf,
    read_most: toRead.length * 2 > events.length,
    async save() {
      await writeInTurn(tx, [
        ...verdictStatements(tenant, assessed, now),
        () => paidStatement(tenant, plan.paid),
        factsStatement,
        () => lookupsStatement(tenant, verified, assessor.networks, now),
      ]);
      const judged = new Set(plan.steps.map(step => step.mandate.id));
      return { mandates_changed: (await markExhausted(tx, tenant, judged, mandates, books)) || imported };
    },
    failures: [
      ...[...verified].flatMap(([chain_seq, { threw }]) => threw.map(detector => ({ chain_seq, detector }))),
      ...failures.map(chain_seq => ({ chain_seq, detector: 'mandates' })),
    ],
    late,
  };
}

/** The mandates that apply to these events, and the amounts already paid under them. */
async function loadTerms(
  tx: Db,
  tenant: Tenant,
  events: readonly LoggedEvent[],
): Promise<{ mandates: MandateSet; paid: PaidMap }> {
  if (!(await hasMandates(tx, tenant))) return { mandates: noMandates(), paid: new Map() };
  const paid = await loadPaid(tx, tenant, [...new Set(events.map(event => event.payment_id))]);
  const times = [...paid.values()].flatMap(entry => entry.paid.paid?.at ?? []);
  const mandates = await loadMandates(tx, tenant, {
    agent_ids: [...new Set(events.map(event => event.agent_id))],
    mandate_ids: [
      ...new Set([
        ...events.flatMap(event => event.mandate_id ?? []),
        ...[...paid.values()].map(entry => entry.mandate_id),
      ]),
    ],
    earliest: Math.min(...times, ...events.map(event => event.occurred_at)),
  });
  return { mandates, paid };
}

/** Most events have neither evidence nor a mandate, and need not be read in full. */
function eventsToRead(events: readonly LoggedEvent[], mandates: MandateSet, paid: PaidMap): LoggedEvent[] {
  const held = new Set([...paid.values()].map(entry => entry.payment_id));
  return events.filter(
    event =>
      isProven(event) || event.mandate_id !== null || mandates.concerns(event.agent_id) || held.has(event.payment_id),
  );
}

async function verify(
  tx: Db,
  tenant: Tenant,
  events: readonly LoggedEvent[],
  reports: ReadonlyMap<number, ReportedEvent>,
  { verifiers, readTrust }: Assessor,
  ahead: ReadAhead | undefined,
): Promise<{ verified: Map<number, VerifiedReport>; factsStatement: () => Statement | null }> {
  const proven = events.filter(isProven);
  if (proven.length === 0) return { verified: new Map(), factsStatement: () => null };
  const trust = await readTrust(tx, tenant);
  // The trusted keys may have changed since.
  const earlier_outcomes = ahead?.trust === trust ? ahead.outcomes : undefined;
  return verifyReports(tx, tenant, proven, reports, { verifiers, trust, chainOf: () => nothingRead }, earlier_outcomes);
}

const reportsInOrder = (
  events: readonly LoggedEvent[],
  reports: ReadonlyMap<number, ReportedEvent>,
  verified: ReadonlyMap<number, VerifiedReport>,
): EventReport[] =>
  events.flatMap(({ chain_seq }) => {
    const event = reports.get(chain_seq);
    const signed_hashes = verified.get(chain_seq)?.open_mandates.map(({ hash }) => hash) ?? [];
    return event ? [{ chain_seq, event, signed_hashes }] : [];
  });
