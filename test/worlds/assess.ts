import type { BookEntry } from '#shared/assessment/books.ts';
import { isEvaluated, planEvaluations, type EventReport } from '#shared/assessment/evaluation_plan.ts';
import { judgePlan } from '#shared/assessment/judge_plan.ts';
import { type MandateSet, noMandates } from '#shared/assessment/mandate_set.ts';
import { noVerdict, type RepeatedUse, type Verdict } from '#shared/assessment/verdict.ts';
import { applyFacts, nothingRead, type VerifiedReport } from '#shared/assessment/verify_reports.ts';
import type { EventType, Rail } from '#shared/values/event_types.ts';
import { createBook } from '#shared/mandates/book.ts';
import { Constraint } from '#shared/mandates/constraints.ts';
import type { Rates } from '#shared/values/price_in_usd.ts';
import type { EventInput } from '#shared/events/input/event_input.ts';
import type { NormalizedEvent } from '#shared/events/input/event_normalize.ts';
import { type ReportedEvent, reportedEvent } from '#shared/events/log/reported_event.ts';
import { verifiers } from '#shared/verification/index.ts';
import { createKeyResolver } from '#shared/verification/keys.ts';
import { verifyEvent } from '#shared/verification/verify_event.ts';
import type { Agreed } from '#bin/demo/agree.ts';
import { normalized, ratesOf } from './log.ts';
import type { PlannedMandate } from '#bin/demo/mandates.ts';

/**
 * Assesses a world without a database, event by event in the order they are sent. Two things only the service does: it makes mandates of
 * the AP2 mandates it finds, and it looks at payments again when earlier ones come late. `judgeWorld` takes the answer.
 */
export async function assessWorld(
  { events, agreed }: { events: readonly EventInput[]; agreed: Agreed },
  now: number,
): Promise<(event: { chain_seq: number }) => Verdict> {
  const rates = ratesOf(now);
  const { name, kid, jwk } = agreed.issuer;
  const [issuer, kind, use] = [name, 'jwk', 'ap2_issuer'] as const;
  const row = { kid, use, issuer, kind, jwk, certificate: null, thumbprint: kid, not_before: null, not_after: null };
  const keys = createKeyResolver([row], null);
  const use_once = factBook();
  const verified = new Map<number, VerifiedReport>();
  const reports: EventReport[] = [];
  for (const [index, taken] of normalized(events, now).entries()) {
    const chain_seq = index + 1;
    const event = reportOf(taken);
    reports.push({ chain_seq, event, signed_hashes: [] });
    const pieces = events[index]?.evidence;
    if (!pieces) continue;
    const evidence = pieces.map((piece, number) => ({ ...piece, id: `evd_${number}` }));
    const shown = { event, evidence, signature: null, keys, webhook_secret: null, chain: nothingRead };
    const list = await verifyEvent(shown, verifiers);
    verified.set(chain_seq, applyFacts({ ...event, chain_seq }, { list, threw: [] }, use_once));
  }
  const evaluations = evaluate(reports, mandatesOf(agreed.mandates), rates);
  return ({ chain_seq }) => {
    const event = reports[chain_seq - 1]?.event;
    const { verification, replays } = verified.get(chain_seq) ?? noVerdict;
    const isHeld = event !== undefined && isEvaluated(event);
    return { verification, replays, evaluations: isHeld ? (evaluations.get(chain_seq) ?? []) : null };
  };
}

function evaluate(reports: readonly EventReport[], mandates: MandateSet, rates: Rates) {
  const entries = new Map<string, BookEntry>();
  const entry = (id: string): BookEntry => {
    const known = entries.get(id) ?? {
      book: createBook(rates),
      from: null,
      book_version: 0,
      rates,
      newest: null,
      changed: null,
    };
    entries.set(id, known);
    return known;
  };
  return judgePlan(planEvaluations(reports, mandates, new Map()), { entry }, mandates, rates).verdicts;
}

function mandatesOf(planned: readonly PlannedMandate[]): MandateSet {
  const mandates = noMandates();
  for (const { id, agent, name, valid_from = null, valid_until = null, constraints } of planned)
    mandates.add({
      id,
      agent_id: agent.external_id,
      version: 1,
      name,
      source: 'native',
      external_ref: null,
      state: 'active',
      valid_from,
      valid_until,
      anchor: valid_from ?? 0,
      human_presence: 'not_required',
      constraints: constraints.map(constraint => Constraint.parse(constraint)),
      began: 0,
      book_version: 0,
      exhausted: false,
    });
  return mandates;
}

/** What may be used once, and which payment used it first. */
function factBook(): Parameters<typeof applyFacts>[2] {
  const holders = new Map<string, { agent_id: string; payment_id: string; chain_seq: number }>();
  return {
    use: (event, facts, result) =>
      facts.flatMap(({ scope, value, code }): RepeatedUse[] => {
        const holder = holders.get(`${scope} ${value}`);
        if (!holder && result !== 'failed') holders.set(`${scope} ${value}`, event);
        const isOther = holder && (holder.payment_id !== event.payment_id || holder.agent_id !== event.agent_id);
        return isOther ? [{ code, scope, payment_id: holder.payment_id, chain_seq: holder.chain_seq }] : [];
      }),
  };
}

/** As the log would give it to verifiers and mandates; agents go by the client's ids. */
function reportOf(event: NormalizedEvent): ReportedEvent {
  const row = {
    id: event.id,
    type: event.type as EventType,
    occurred_at: Date.parse(event.occurred_at),
    environment: 'sandbox',
    source_id: 'src_demo',
    agent_id: 'external_id' in event.agent ? event.agent.external_id : event.agent.id,
    owner_id: '',
    mandate_id: event.mandate_id,
    payment_id: event.payment_id,
    rail: event.rail as Rail,
    usd_micro: event.usd_micro === null ? null : BigInt(event.usd_micro),
  };
  return reportedEvent(row, event.input);
}
