import { openFactBook } from './facts.ts';
import { loadProofs, type Proofs } from './load_reports.ts';
import type { Trust } from './trust.ts';
import { type RepeatedUse, type Run, summaryOf, type Verdict } from './verdict.ts';
import type { Statement } from '#shared/platform/bulk.ts';
import type { Db } from '#shared/platform/db.ts';
import type { LoggedEvent } from '#shared/events/ranges/load.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type {
  ChainLookup,
  ChainReader,
  OpenMandate,
  VerificationKind,
  Verifier,
} from '#shared/verification/verifier.ts';
import { type Verified, verifyEvent } from '#shared/verification/verify_event.ts';

/** The result of verifying an event. */
export type VerifiedReport = {
  verification: Verdict['verification'];
  replays: RepeatedUse[];
  lookups: ChainLookup[];
  /** Open mandates whose signature was verified. */
  open_mandates: OpenMandate[];
  threw: VerificationKind[];
};

type Verification = {
  verifiers: readonly Verifier[];
  trust: Trust;
  chainOf: (chain_seq: number) => ChainReader;
};

/**
 * Verifies the evidence and signatures of these events, in the order of the log, and sees to it that what may be used once is used by
 * one payment. `factsStatement` writes what was used. What is `known` already of some of them is not asked again.
 */
export async function verifyReports(
  tx: Db,
  tenant: Tenant,
  events: readonly LoggedEvent[],
  reports: ReadonlyMap<number, ReportedEvent>,
  verification: Verification,
  earlier_outcomes: Outcomes = new Map(),
): Promise<{ verified: Map<number, VerifiedReport>; factsStatement: () => Statement | null }> {
  const unchecked = events.filter(event => !earlier_outcomes.has(event.chain_seq));
  const outcomes = new Map([
    ...earlier_outcomes,
    ...(await checkReports(tx, tenant, unchecked, reports, verification)),
  ]);
  const facts = await openFactBook(
    tx,
    tenant,
    [...outcomes.values()].flatMap(({ list }) => list.flatMap(outcome => outcome.facts)),
  );
  const verified = new Map<number, VerifiedReport>();
  for (const event of events) {
    const outcome = outcomes.get(event.chain_seq);
    if (outcome) verified.set(event.chain_seq, applyFacts(event, outcome, facts));
  }
  return { verified, factsStatement: () => facts.statement(tenant) };
}

/** The verifiers' results by chain_seq; single uses are checked later. */
export type Outcomes = ReadonlyMap<number, { list: Verified[]; threw: VerificationKind[] }>;

/** Asks the verifiers about the evidence and signatures of these events: what only the log and what is believed decide. */
export async function checkReports(
  db: Db,
  tenant: Tenant,
  events: readonly LoggedEvent[],
  reports: ReadonlyMap<number, ReportedEvent>,
  verification: Verification,
): Promise<Outcomes> {
  const outcomes = new Map<number, { list: Verified[]; threw: VerificationKind[] }>();
  for await (const part of loadProofs(db, tenant, events.filter(isProven))) {
    for (const [chain_seq, proofs] of part) {
      const event = reports.get(chain_seq);
      if (event) outcomes.set(chain_seq, await verifyReport(chain_seq, event, proofs, verification));
    }
  }
  return outcomes;
}

export const isProven = ({ evidence_count, signed }: LoggedEvent) => evidence_count > 0 || signed;

async function verifyReport(
  chain_seq: number,
  event: ReportedEvent,
  proofs: Proofs,
  { verifiers, trust, chainOf }: Verification,
) {
  const threw: VerificationKind[] = [];
  const list = await verifyEvent(
    {
      event,
      ...proofs,
      keys: trust.keys(event.source_id),
      webhook_secret: trust.webhookSecret(event.source_id),
      chain: chainOf(chain_seq),
    },
    verifiers,
    kind => void threw.push(kind),
  );
  return { list, threw };
}

/** Fails the runs whose facts another payment has used before. */
export function applyFacts(
  event: { agent_id: string; payment_id: string; chain_seq: number },
  { list, threw }: { list: Verified[]; threw: VerificationKind[] },
  facts: { use: Awaited<ReturnType<typeof openFactBook>>['use'] },
): VerifiedReport {
  const report: VerifiedReport = { verification: null, replays: [], lookups: [], open_mandates: [], threw };
  const runs: Run[] = [];
  for (const { facts: used, lookups, open_mandate, ...outcome } of list) {
    const replays = facts.use(event, used, outcome.result);
    const run: Run = {
      ...outcome,
      result: replays.some(({ is_claimed }) => !is_claimed) ? 'failed' : outcome.result,
      checks: [...storableJson(outcome.checks), ...replays.map(replayCheck)],
    };
    if (used.length > 0 && replays.length === 0) run.checks.push({ name: 'single_use', result: 'pass' });
    runs.push(run);
    report.replays.push(...replays);
    report.lookups.push(...lookups);
    if (open_mandate && run.result === 'verified') report.open_mandates.push(storableJson(open_mandate));
  }
  const summary = summaryOf(runs);
  report.verification = summary && { ...summary, runs };
  return report;
}

const replayCheck = ({ code, payment_id, is_claimed }: RepeatedUse) => ({
  name: 'single_use',
  result: is_claimed ? ('skip' as const) : ('fail' as const),
  code,
  detail: `It was used before, in payment ${payment_id}.`,
});

/** Where no chain has been read. */
export const nothingRead: ChainReader = { transaction: () => undefined };

/** Text as the database can hold it: without NUL and halves of surrogate pairs, which evidence may contain. */
const storableText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();

/** JSON as the database can hold it, names included. */
function storableJson<T>(value: T): T;
function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(item => storableJson<unknown>(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [storableText(name), storableJson<unknown>(member)]),
  );
}
