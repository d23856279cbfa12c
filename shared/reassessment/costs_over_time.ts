import { z } from 'zod';
import { isSameCost } from '#shared/assessment/books.ts';
import {
  isAfter,
  type PaidEvent,
  type PaymentSum,
  type SpendRecord,
  spentOn,
  withPaidEvent,
} from '#shared/assessment/paid.ts';
import { everChanged, loadPaid, paidKey } from '#shared/assessment/paid_store.ts';
import { holdingAny } from '#shared/events/log/holding.ts';
import { type NormalAmount, reportedAmount } from '#shared/events/log/reported_event.ts';
import { countedMicro, MicroUsd, Milliseconds } from '#shared/events/ranges/load.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Position } from '#shared/mandates/evaluation.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { EventType } from '#shared/values/event_types.ts';
import { timestamp } from '#shared/values/time.ts';

/** A payment whose cost was not always what it is now: from each of these places on it was another. */
export type ChangedPayment = {
  now: SpendRecord | null;
  costs: readonly { place: Position; cost: SpendRecord | null }[];
};

/** Times, in milliseconds since 1970: of payments made at `from` or later (null: all) and at most at `until`, what happened at `since` or later. */
export type Span = { from: number | null; until: number; since: number };

/** The payments under a mandate whose cost changed, of a span. */
export type CostsOverTime = Span & { payments: readonly ChangedPayment[] };

/**
 * What payments under a mandate cost over time, by the events up to `seq`: `known` with what is missing of the span. Only what costs need is read,
 * page by page: a mandate may have any number of payments.
 */
export async function readCostsOverTime(
  tx: Db,
  tenant: Tenant,
  of: { mandate_id: string; agent_id: string; seq: number },
  { from, until, since }: Span,
  known: CostsOverTime | null,
): Promise<CostsOverTime> {
  const isBegun =
    known !== null && since >= known.since && (known.from === null || (from !== null && from >= known.from));
  if (isBegun && until <= known.until) return known;
  const payments: ChangedPayment[] = isBegun ? [...known.payments] : [];
  const begin = isBegun ? known : { from, since };
  const first = isBegun ? known.until + 1 : from;
  let after: Page[number] | null = null;
  for (;;) {
    const page: Page = await readPage(tx, tenant, of.mandate_id, { from: first, until, since: begin.since }, after);
    payments.push(...(await costsOf(tx, tenant, of, page)));
    after = page.at(-1) ?? null;
    if (page.length < MOST_AT_ONCE) return { from: begin.from, since: begin.since, until, payments };
  }
}

/** Payments that are looked up at a time. */
const MOST_AT_ONCE = 5_000;

const PageRow = z.object({ payment_id: z.string(), paid_at: z.string(), paid_seq: z.number() });
type Page = readonly z.infer<typeof PageRow>[];

/** The next payments of a span that may have cost something else before. */
const readPage = (
  tx: Db,
  { org_id, environment }: Tenant,
  mandate_id: string,
  { from, until, since }: Span,
  after: Page[number] | null,
) =>
  tx.any(sql.type(PageRow)`
    select payment_id, paid_at, paid_seq from mandate_payments
    where org_id = ${org_id} and environment = ${environment} and mandate_id = ${mandate_id}
      and paid_at >= ${after?.paid_at ?? (from === null ? '-infinity' : timestamp(from))} and paid_at <= ${timestamp(until)}
      and (paid_at, paid_seq) > (${after?.paid_at ?? '-infinity'}, ${after?.paid_seq ?? 0})
      and latest_at >= ${timestamp(since)} and ${everChanged}
    order by paid_at, paid_seq limit ${MOST_AT_ONCE}`);

const EventRow = z.object({
  chain_seq: z.number(),
  payment_id: z.string(),
  type: EventType,
  occurred_at: Milliseconds,
  usd_micro: MicroUsd,
  amount: z.string().transform(text => reportedAmount(JSON.parse(text) as NormalAmount)),
});

async function costsOf(
  tx: Db,
  tenant: Tenant,
  { mandate_id, agent_id, seq }: { mandate_id: string; agent_id: string; seq: number },
  page: Page,
): Promise<ChangedPayment[]> {
  if (page.length === 0) return [];
  const payment_ids = page.map(({ payment_id }) => payment_id);
  const paid = await loadPaid(tx, tenant, payment_ids);
  const events = await tx.any(sql.type(EventRow)`
    select e.chain_seq, e.payment_id, e.type, e.occurred_at, ${countedMicro} as usd_micro, (e.input::json #> '{payment,amount}')::text as amount
    from events e
    where ${holdingAny('payment_id', tenant, payment_ids)} and e.agent_id = ${agent_id} and e.chain_seq <= ${seq}
    order by e.chain_seq`);
  return [...Map.groupBy(events, ({ payment_id }) => payment_id)].flatMap(([payment_id, own]) => {
    const sum = paid.get(paidKey(mandate_id, payment_id))?.paid;
    return (sum && changesOf(own, sum)) ?? [];
  });
}

/** What a payment cost from when it was made on, by its events in the order of the log; null where that is what it costs now. */
function changesOf(events: readonly PaidEvent[], sum: PaymentSum): ChangedPayment | null {
  const now = spentOn(sum);
  let so_far: PaymentSum | null = null;
  const costs = heldOf(events, sum)
    .toSorted((one, two) => (isAfter(placeOf(one), placeOf(two)) ? 1 : -1))
    .flatMap(event => {
      so_far = withPaidEvent(so_far, event);
      return so_far?.paid ? [{ place: placeOf(event), cost: spentOn(so_far) }] : [];
    });
  return costs.every(({ cost }) => isSameCost(cost, now)) ? null : { now, costs };
}

/**
 * Those events that were held against the mandate: from the one on with which they add up to what the payment comes to under it. What was reported
 * before the mandate applied, or of another that it named, does not count.
 */
function heldOf(events: readonly PaidEvent[], sum: PaymentSum): readonly PaidEvent[] {
  const start = events.findIndex((_, index) => {
    const total = events.slice(index).reduce<PaymentSum | null>(withPaidEvent, null);
    return total !== null && isSameSum(total, sum);
  });
  return start < 0 ? [] : events.slice(start);
}

export const isSameSum = (a: PaymentSum, b: PaymentSum) =>
  a.paid?.seq === b.paid?.seq &&
  a.latest.seq === b.latest.seq &&
  a.counted?.seq === b.counted?.seq &&
  a.refunded_value === b.refunded_value;

const placeOf = ({ occurred_at, chain_seq }: PaidEvent): Position => ({ at: occurred_at, seq: chain_seq });
