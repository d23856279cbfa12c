import { z } from 'zod';
import { type BookEntry, putSpent } from '#shared/assessment/books.ts';
import { loadReports } from '#shared/assessment/load_reports.ts';
import {
  isAfter,
  type PaidEvent,
  type PaymentSum,
  type SpendRecord,
  spentOn,
  withPaidEvent,
} from '#shared/assessment/paid.ts';
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
 * `seq`: the last event that counts. Leaves `entry` as it is.
 */
export async function brokenThen(
  tx: Db,
  tenant: Tenant,
  mandate_id: string,
  payments: readonly Broken[],
  { entry, seq }: { entry: BookEntry; seq: number },
): Promise<ReadonlySet<number>> {
  const agent_id = payments[0]?.mandate.agent_id;
  if (agent_id === undefined) return new Set();
  const times = payments.map(({ position }) => position.at);
  const changed = await changedSince(tx, tenant, mandate_id, entry.from, [Math.min(...times), Math.max(...times)]);
  if (changed.length > MOST_PAYMENTS) return new Set(payments.map(({ chain_seq }) => chain_seq));
  const others = await othersOf(tx, tenant, { mandate_id, agent_id, seq }, changed);
  const steps = others
    .flatMap(other => other.told.map(({ event, place }) => ({ other, event, place })))
    .toSorted((one, two) => (isAfter(one.place, two.place) ? 1 : -1));
  const enter = (other: Other, cost: SpendRecord | null) => {
    putSpent(entry, other.entered, cost);
    other.entered = cost;
  };
  for (const other of others) enter(other, null);
  const broken = new Set<number>();
  let next = 0;
  for (const { chain_seq, event, position, mandate, stood_later } of inOrder(payments)) {
    for (let step = steps[next]; step && !isAfter(step.place, position); step = steps[(next += 1)]) {
      step.other.sum = withPaidEvent(step.other.sum, step.event);
      enter(step.other, spentOn(step.other.sum));
    }
    const { result } = evaluate(mandate, event, { position, meter: entry.book, rates: entry.rates, stood_later });
    if (result === 'breach') broken.add(chain_seq);
  }
  for (const other of others) enter(other, other.now);
  return broken;
}

const inOrder = (payments: readonly Broken[]) =>
  payments.toSorted((one, two) => (isAfter(one.position, two.position) ? 1 : -1));

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

/** Another payment under the mandate: what it costs now, what was told of it, and what that comes to so far, as it is entered in the book. */
type Other = {
  now: SpendRecord | null;
  told: { event: PaidEvent; place: Position }[];
  sum: PaymentSum | null;
  entered: SpendRecord | null;
};

async function othersOf(
  tx: Db,
  tenant: Tenant,
  { mandate_id, agent_id, seq }: { mandate_id: string; agent_id: string; seq: number },
  payment_ids: readonly string[],
): Promise<Other[]> {
  if (payment_ids.length === 0) return [];
  const seqs = await tx.anyFirst(sql.type(z.object({ chain_seq: z.number() }))`
    select e.chain_seq from events e
    where ${holdingAny('payment_id', tenant, payment_ids)} and e.agent_id = ${agent_id} and e.chain_seq <= ${seq}`);
  const events = await readEvents(tx, tenant, [...seqs]);
  const reports = await loadReports(tx, tenant, events);
  const paid = await loadPaid(tx, tenant, payment_ids);
  return [...Map.groupBy(events, ({ payment_id }) => payment_id)].map(([payment_id, own]): Other => {
    const sum = paid.get(paidKey(mandate_id, payment_id))?.paid ?? null;
    const now = spentOn(sum);
    const told = own.flatMap(({ chain_seq }) => {
      const event = reports.get(chain_seq);
      const place = { at: event?.occurred_at ?? 0, seq: chain_seq };
      // What was authorized before the mandate began does not count by that.
      const isHeld = sum?.paid && !isAfter(sum.paid, place);
      return event && isHeld ? [{ event: { ...event, chain_seq }, place }] : [];
    });
    return { now, told, sum: null, entered: now };
  });
}
