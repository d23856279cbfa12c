import { z } from 'zod';
import type { Assessor } from '#shared/assessment/assessor.ts';
import { booksFor, loadBooks } from '#shared/assessment/books.ts';
import { isEvaluated, planEvaluations, type EventReport } from '#shared/assessment/evaluation_plan.ts';
import { unknownVerdict } from '#shared/assessment/judge_plan.ts';
import { openFactBook } from '#shared/assessment/facts.ts';
import { previewImports, type ShownMandates } from '#shared/assessment/import_mandates.ts';
import { evidenceOf } from '#shared/assessment/load_reports.ts';
import { loadMandates } from '#shared/assessment/mandate_set.ts';
import { loadPaid } from '#shared/assessment/paid_store.ts';
import type { Trust } from '#shared/assessment/trust.ts';
import { type MandateVerdict, noVerdict, type Verdict } from '#shared/assessment/verdict.ts';
import { applyFacts, nothingRead, type VerifiedReport } from '#shared/assessment/verify_reports.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { EventType, Rail } from '#shared/values/event_types.ts';
import { evaluate } from '#shared/mandates/evaluate.ts';
import type { NormalizedEvent } from '#shared/events/input/event_normalize.ts';
import { reportedEvent } from '#shared/events/log/reported_event.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Verified, verifyEvent } from '#shared/verification/verify_event.ts';

/**
 * What assessing these events would come to if they arrived now, each by itself: their evidence verified, their payments held against
 * the mandates there are. Stores nothing and reads no chain.
 */
export async function previewEvents(
  db: Db,
  tenant: Tenant,
  events: readonly NormalizedEvent[],
  default_source_id: string,
  assessor: Assessor,
  now: number,
): Promise<Verdict[]> {
  if (events.length === 0) return [];
  const reports = await reportsOf(db, tenant, events, default_source_id);
  const verified = await verifyAll(db, tenant, events, reports, assessor);
  const evaluated = await evaluateAll(db, tenant, withSigned(reports, verified), assessor, now);
  return reports.map(({ event, chain_seq }, index) => ({
    ...noVerdict,
    verification: verified[index]?.verification ?? null,
    replays: verified[index]?.replays ?? [],
    evaluations: isEvaluated(event) ? (evaluated.get(chain_seq) ?? []) : null,
  }));
}

/** A report with the open mandates that were signed in its evidence. */
type PreviewReport = EventReport & ShownMandates;

const withSigned = (reports: readonly EventReport[], verified: readonly VerifiedReport[]): PreviewReport[] =>
  reports.map((report, index) => {
    const open_mandates = verified[index]?.open_mandates ?? [];
    return { ...report, open_mandates, signed_hashes: open_mandates.map(({ hash }) => hash) };
  });

/** Each event as it would stand at the end of the log. */
async function reportsOf(
  db: Db,
  tenant: Tenant,
  events: readonly NormalizedEvent[],
  default_source_id: string,
): Promise<EventReport[]> {
  const agents = await agentIds(db, tenant, events);
  return events.map((event, index) => ({
    chain_seq: AFTER_ALL + index,
    signed_hashes: [],
    event: reportedEvent(
      {
        id: event.id,
        type: event.type as EventType,
        occurred_at: Date.parse(event.occurred_at),
        environment: tenant.environment,
        source_id: event.source_id ?? default_source_id,
        agent_id: 'id' in event.agent ? event.agent.id : (agents.get(event.agent.external_id) ?? ''),
        owner_id: 'id' in event.owner ? event.owner.id : '',
        mandate_id: event.mandate_id,
        payment_id: event.payment_id,
        rail: event.rail as Rail,
        usd_micro: event.usd_micro === null ? null : BigInt(event.usd_micro),
      },
      event.input,
    ),
  }));
}

/** Beyond every log. */
const AFTER_ALL = 2 ** 52;

async function agentIds(db: Db, { org_id, environment }: Tenant, events: readonly NormalizedEvent[]) {
  const external = events.flatMap(({ agent }) => ('external_id' in agent ? [agent.external_id] : []));
  const rows = await db.any(sql.type(z.object({ external_id: z.string(), id: z.string() }))`
    select external_id, id from agents
    where org_id = ${org_id} and environment = ${environment} and external_id = any(${sql.array([...new Set(external)], 'text')})`);
  return new Map(rows.map(({ external_id, id }) => [external_id, id]));
}

async function verifyAll(
  db: Db,
  tenant: Tenant,
  events: readonly NormalizedEvent[],
  reports: readonly EventReport[],
  { verifiers, readTrust }: Assessor,
) {
  const proven = events.some(event => event.evidence.length > 0 || event.signed_input !== null);
  if (!proven) return [];
  const trust = await readTrust(db, tenant);
  const lists: Verified[][] = [];
  for (const [index, normalized] of events.entries()) {
    const report = reports[index];
    lists.push(report ? await verifyOne(normalized, report, trust, verifiers) : []);
  }
  const facts = await openFactBook(
    db,
    tenant,
    lists.flatMap(list => list.flatMap(outcome => outcome.facts)),
  );
  // Each by itself: what one would use up is free for the next. What failed uses up nothing.
  const looked: typeof facts.use = (event, used) => facts.use(event, used, 'failed');
  return reports.map(({ event, chain_seq }, index) =>
    applyFacts({ ...event, chain_seq }, { list: lists[index] ?? [], threw: [] }, { use: looked }),
  );
}

function verifyOne(
  normalized: NormalizedEvent,
  { event }: EventReport,
  trust: Trust,
  verifiers: Assessor['verifiers'],
) {
  const { signature } = JSON.parse(normalized.input) as { signature?: string };
  return verifyEvent(
    {
      event,
      evidence: normalized.evidence.map(item => evidenceOf({ ...item, id: '' })),
      signature:
        signature === undefined || normalized.signed_input === null
          ? null
          : { jws: signature, signed_input: normalized.signed_input },
      keys: trust.keys(event.source_id),
      webhook_secret: trust.webhookSecret(event.source_id),
      chain: nothingRead,
    },
    verifiers,
  );
}

async function evaluateAll(db: Db, tenant: Tenant, reports: readonly PreviewReport[], assessor: Assessor, now: number) {
  const paid = await loadPaid(db, tenant, [...new Set(reports.map(({ event }) => event.payment_id))]);
  const times = [...paid.values()].flatMap(entry => entry.paid.paid?.at ?? []);
  const mandates = await loadMandates(db, tenant, {
    agent_ids: [...new Set(reports.map(({ event }) => event.agent_id))],
    mandate_ids: [
      ...new Set([
        ...reports.flatMap(({ event }) => event.mandate_id ?? []),
        ...[...paid.values()].map(entry => entry.mandate_id),
      ]),
    ],
    earliest: Math.min(...times, ...reports.map(({ event }) => event.occurred_at)),
  });
  await previewImports(db, tenant, reports, mandates, now);
  // Each by itself: what one would cost does not count for the next.
  const plans = reports.map(report => planEvaluations([report], mandates, new Map(paid)));
  const rates = await assessor.rates.current();
  const books = await loadBooks(db, tenant, booksFor(plans.flatMap(plan => plan.steps)), mandates, rates);
  const evaluated = new Map<number, MandateVerdict[]>();
  for (const { steps, unknown } of plans) {
    for (const { report, mandate, position, judged } of steps) {
      if (!judged) continue;
      const evaluation = evaluate(mandate, report.event, { position, meter: books.entry(mandate.id).book, rates });
      const list = evaluated.get(report.chain_seq) ?? [];
      list.push({ ...evaluation, mandate, position, crossed: [] });
      evaluated.set(report.chain_seq, list);
    }
    for (const report of unknown) evaluated.set(report.chain_seq, [unknownVerdict(report)]);
  }
  return evaluated;
}
