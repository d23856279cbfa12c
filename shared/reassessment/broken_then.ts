import { z } from 'zod';
import { type BookEntry, putSpent } from '#shared/assessment/books.ts';
import { loadReports } from '#shared/assessment/load_reports.ts';
import { isAfter, type PaymentSum, type SpendRecord, spentOn, withPaidEvent } from '#shared/assessment/paid.ts';
import { loadPaid, paidKey } from '#shared/assessment/paid_store.ts';
import { holdingAny } from '#shared/events/log/holding.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { readEvents } from '#shared/events/ranges/load.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { evaluate } from '#shared/mandates/evaluate.ts';
import type { JudgedMandate, Position } from '#shared/mandates/evaluation.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { timestamp } from '#shared/values/time.ts';

/** A payment that broke a mandate, where it stands now. */
type Broken = {
  chain_seq: number;
  event: ReportedEvent;
  position: Position;
  mandate: JudgedMandate;
  stood_later: boolean;
};

/** Payments that are looked up for one part of a re-evaluation, at most. */
const MOST_PAYMENTS = 5_000;

/**
 * Which of these payments broke their mandate when they were made: by what the others cost then, before some of it came back. What comes back is for
 * later payments to spend and excuses no earlier one, whatever is reported late. Where more payments changed since than are looked up, all of them.
 */
export async function brokenThen(
  tx: Db,
  tenant: Tenant,
  mandate_id: string,
  payments: readonly Broken[],
  entry: BookEntry,
): Promise<ReadonlySet<number>> {
  const agent_id = payments[0]?.mandate.agent_id;
  if (agent_id === undefined) return new Set();
  const times = payments.map(({ position }) => position.at);
  const changed = await changedSince(tx, tenant, mandate_id, entry.from, [Math.min(...times), Math.max(...times)]);
  if (changed.length > MOST_PAYMENTS) return new Set(payments.map(({ chain_seq }) => chain_seq));
  const costs = await costsOf(tx, tenant, mandate_id, agent_id, changed);
  const broken = payments.filter(({ event, position, mandate, stood_later }) => {
    const differing = costs.map(costOf => costOf(position));
    for (const { now, earlier } of differing) putSpent(entry, now, earlier);
    const { result } = evaluate(mandate, event, { position, meter: entry.book, rates: entry.rates, stood_later });
    for (const { now, earlier } of differing) putSpent(entry, earlier, now);
    return result === 'breach';
  });
  return new Set(broken.map(({ chain_seq }) => chain_seq));
}

const PaymentId = z.object({ payment_id: z.string() });

/** Payments that were made before the last of these times, and of which something happened after the first. */
const changedSince = (
  tx: Db,
  { org_id, environment }: Tenant,
  mandate_id: string,
  from: number | null,
  [first, last]: readonly [number, number],
) =>
  tx.anyFirst(sql.type(PaymentId)`
    select payment_id from mandate_payments
    where org_id = ${org_id} and environment = ${environment} and mandate_id = ${mandate_id}
      and paid_at >= ${from === null ? '-infinity' : timestamp(from)} and paid_at <= ${timestamp(last)} and latest_at >= ${timestamp(first)}
      and latest_seq <> paid_seq
    limit ${MOST_PAYMENTS + 1}`);

/** What a payment costs now, and what it cost by all that had happened at a position. */
type CostOf = (position: Position) => { now: SpendRecord | null; earlier: SpendRecord | null };

async function costsOf(
  tx: Db,
  tenant: Tenant,
  mandate_id: string,
  agent_id: string,
  payment_ids: readonly string[],
): Promise<CostOf[]> {
  if (payment_ids.length === 0) return [];
  const seqs = await tx.anyFirst(sql.type(z.object({ chain_seq: z.number() }))`
    select e.chain_seq from events e where ${holdingAny('payment_id', tenant, payment_ids)} and e.agent_id = ${agent_id}`);
  const events = await readEvents(tx, tenant, [...seqs]);
  const reports = await loadReports(tx, tenant, events);
  const paid = await loadPaid(tx, tenant, payment_ids);
  const reported = events.flatMap(({ chain_seq }) => {
    const event = reports.get(chain_seq);
    return event ? [{ ...event, chain_seq, place: { at: event.occurred_at, seq: chain_seq } }] : [];
  });
  return [...Map.groupBy(reported, ({ payment_id }) => payment_id)].map(([payment_id, told]): CostOf => {
    const now = spentOn(paid.get(paidKey(mandate_id, payment_id))?.paid ?? null);
    return position => {
      const known = told.filter(({ place }) => !isAfter(place, position));
      const sum = known.reduce<PaymentSum | null>((sofar, event) => withPaidEvent(sofar, event), null);
      return { now, earlier: spentOn(sum) };
    };
  });
}
