import { z } from 'zod';
import type { AsOf } from '#shared/assessment/assess.ts';
import { booksFor, loadBooks } from '#shared/assessment/books.ts';
import { keepFirstCrossings, markExhausted } from '#shared/assessment/budget_marks.ts';
import { loadCurrent } from '#shared/assessment/current.ts';
import { isEvaluated, type Plan, type EvaluationStep } from '#shared/assessment/evaluation_plan.ts';
import { endOfEffect, judgePlan, widest } from '#shared/assessment/judge_plan.ts';
import { withApprovals } from '#shared/assessment/approvals.ts';
import { loadReports } from '#shared/assessment/load_reports.ts';
import type { MandateSet } from '#shared/assessment/mandate_set.ts';
import { type PaymentSum, positionOf, withPaidEvent } from '#shared/assessment/paid.ts';
import { loadPaid, paidKey, savePaid } from '#shared/assessment/paid_store.ts';
import { requestReevaluations } from '#shared/events/ranges/rechecks.ts';
import { isSameSum } from './costs_over_time.ts';
import { saveEvaluated } from './save_evaluated.ts';
import type { Changed } from './tell_changes.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { holding } from '#shared/events/log/holding.ts';
import { type LoggedEvent, readEvents } from '#shared/events/ranges/load.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** A payment and a mandate that turned out later to apply to it. */
export type LatePayment = { mandate_id: string; agent_id: string; payment_id: string };

/**
 * Evaluates payments against mandates that became known later: all their events, in the order of the log. A payment of which all is held against the
 * mandate already is left alone. Returns the events with new verdicts.
 */
export async function applyMandates(
  tx: Db,
  tenant: Tenant,
  wanted: readonly LatePayment[],
  mandates: MandateSet,
  { now, rates }: AsOf,
): Promise<Changed[]> {
  const payments = [...new Map(wanted.map(held => [paidKey(held.mandate_id, held.payment_id), held])).values()];
  if (payments.length === 0) return [];
  const events = await eventsOf(tx, tenant, payments);
  const held = await loadPaid(tx, tenant, [...new Set(payments.map(({ payment_id }) => payment_id))]);
  const reports = await withApprovals(tx, tenant, await loadReports(tx, tenant, events), mandates, null);
  const current = await loadCurrent(
    tx,
    tenant,
    events.map(event => event.chain_seq),
  );
  const plan: Plan = { steps: [], unknown: [], paid: new Map() };
  const before = new Map<string, PaymentSum | null>();
  for (const { chain_seq, ...logged } of events) {
    const event = reports.get(chain_seq);
    const ofPayment = payments.filter(
      ({ agent_id, payment_id }) => agent_id === logged.agent_id && payment_id === logged.payment_id,
    );
    for (const { mandate_id, payment_id } of ofPayment) {
      const key = paidKey(mandate_id, payment_id);
      const former = before.get(key) ?? null;
      const begun = former && (former.paid ?? former.latest);
      if ((!begun || logged.occurred_at < begun.at) && !begins(logged, mandate_id, mandates)) continue;
      const after = event ? withPaidEvent(former, { ...event, chain_seq }) : null;
      const position = positionOf({ at: logged.occurred_at, seq: chain_seq }, after);
      const mandate = mandates.versionAt(mandate_id, position.at);
      if (!event || !mandate) continue;
      before.set(key, after);
      if (after) plan.paid.set(key, { mandate_id, payment_id, paid: after });
      const judged = isEvaluated(event) && !current.get(chain_seq)?.results.has(mandate_id);
      const step: EvaluationStep = {
        report: { chain_seq, event, signed_hashes: [] },
        mandate,
        judged,
        before: former,
        after,
        position,
      };
      plan.steps.push(step);
    }
  }
  const keyOf = ({ mandate, report }: EvaluationStep) => paidKey(mandate.id, report.event.payment_id);
  const unjudged = new Set(plan.steps.filter(({ judged }) => judged).map(keyOf));
  // More of a payment may have come, and been held, before this was looked at. It is held anew, unless nothing was missed.
  const known = [...plan.paid].flatMap(([key, entry]) => {
    const former = held.get(key);
    return former ? [{ key, entry, former, is_whole: isSameSum(former.paid, entry.paid) && !unjudged.has(key) }] : [];
  });
  const whole = new Set(known.filter(({ is_whole }) => is_whole).map(({ key }) => key));
  const anew = known.filter(({ is_whole }) => !is_whole);
  plan.steps = plan.steps.filter(step => !whole.has(keyOf(step)));
  if (plan.steps.length === 0) return [];
  for (const key of whole) plan.paid.delete(key);
  for (const { key, entry } of anew) plan.paid.set(key, { ...entry, paid: { ...entry.paid, moved: true } });
  await forgetPaid(
    tx,
    tenant,
    anew.map(({ entry }) => entry),
  );
  const books = await loadBooks(tx, tenant, booksFor(plan.steps), mandates, rates);
  const { verdicts, late } = judgePlan(plan, books, mandates, rates);
  for (const { former } of anew) {
    const { mandate_id, paid } = former;
    const reopened = paid.paid && { from: paid.paid, until: endOfEffect(mandates, mandate_id, paid.paid.at) };
    if (reopened) late.set(mandate_id, widest(late.get(mandate_id) ?? reopened, reopened));
  }
  await keepFirstCrossings(tx, tenant, verdicts);
  await savePaid(tx, tenant, plan.paid);
  await markExhausted(tx, tenant, new Set(plan.steps.map(step => step.mandate.id)), mandates, books);
  await forgetBooks(tx, tenant, [...new Set(plan.steps.map(({ mandate }) => mandate.id))]);
  await requestReevaluations(tx, tenant, late, now);
  return saveEvaluated(tx, tenant, events, verdicts, now);
}

/**
 * Whether a payment comes under the mandate with this event: it names it, or the mandate is in force then, or the payment's evidence has it. What
 * was reported of the payment before is not held against it, as it would not have been then.
 */
function begins(
  { mandate_id: named, occurred_at }: Pick<LoggedEvent, 'mandate_id' | 'occurred_at'>,
  mandate_id: string,
  mandates: MandateSet,
): boolean {
  const isSigned = mandates.versionAt(mandate_id, occurred_at)?.source === 'ap2';
  return isSigned || named === mandate_id || mandates.isActive(mandate_id, occurred_at);
}

/** Takes payments off their mandates' books, to be entered anew. */
async function forgetPaid(
  tx: Db,
  { org_id, environment }: Tenant,
  payments: readonly { mandate_id: string; payment_id: string }[],
): Promise<void> {
  if (payments.length === 0) return;
  await tx.query(sql.unsafe`
    delete from mandate_payments p using ${tableOf('w', payments, { mandate_id: 'text', payment_id: 'text' })}
    where p.org_id = ${org_id} and p.environment = ${environment} and p.mandate_id = w.mandate_id and p.payment_id = w.payment_id`);
}

/** The events of these payments that have been analyzed. */
async function eventsOf(tx: Db, tenant: Tenant, held: readonly LatePayment[]): Promise<readonly LoggedEvent[]> {
  const { org_id, environment } = tenant;
  const chain_seqs = await tx.anyFirst(sql.type(z.object({ chain_seq: z.number() }))`
    select e.chain_seq
    from ${tableOf('h', held, { agent_id: 'text', payment_id: 'text' })}
    join events e on ${holding('payment_id', tenant, sql.fragment`h.payment_id`)} and e.agent_id = h.agent_id
    where e.chain_seq <= (select seq from detection_cursors where org_id = ${org_id} and environment = ${environment})`);
  return readEvents(tx, tenant, [...new Set(chain_seqs)]);
}

/** Makes processes that cache the books of these mandates reload them. */
export const forgetBooks = (tx: Db, { org_id, environment }: Tenant, mandate_ids: string[]) =>
  tx.query(sql.unsafe`
    update mandates set book_version = book_version + 1
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array(mandate_ids, 'text')})`);
