import { repriceIncidents } from '#shared/casework/count_events.ts';
import type { Assessor } from '#shared/assessment/assessor.ts';
import { lockCursor } from '#shared/detection/consumer/cursor.ts';
import type { Raised } from '#shared/detection/consumer/raise_alerts.ts';
import { recentSpendStatement, spentRecently } from '#shared/detection/load/recent_spend.ts';
import { spendStatement } from '#shared/detection/load/totals.ts';
import { type ActivityChange, hoursStatement } from '#shared/detection/model/hours.ts';
import { spendOf } from '#shared/events/log/payment.ts';
import { type LoggedEvent, MOST_MICRO, paymentsOf, readPaymentEvents } from '#shared/events/ranges/load.ts';
import type { RateTable } from '#shared/events/input/fx_rates.ts';
import { endRepricing, moveRepricing, readRepricing, type RepricingRow } from '#shared/events/ranges/repricings.ts';
import { type Price, readUnpriced, savePrices, type UnpricedEvent } from '#shared/events/ranges/unpriced.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { writeInTurn } from '#shared/platform/bulk.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import { priceInUsd, type Rates } from '#shared/values/price_in_usd.ts';
import { timestamp } from '#shared/values/time.ts';
import { judgePriced } from './judge_priced.ts';
import { repriceMandates } from './reprice_mandates.ts';

/**
 * Events that are looked at together, and how far those of them stand from each other at most that get a price: what is between is judged with
 * them. Where one gets a price, live detection of the log waits so long.
 */
const EVENTS_AT_ONCE = 100;
const FARTHEST = 500;

type With = { table: RateTable; assessor: Pick<Assessor, 'verifiers' | 'readTrust'> };

/** How many events were priced, which alerts are new, and their webhooks; `fault`: why detectors could not judge the events. */
type Repriced = { events: number; raised: Raised[]; jobs: Jobs['webhook'][]; fault?: unknown };

const nothing: Repriced = { events: 0, raised: [], jobs: [] };

/**
 * Gives the next events of a log that have no price the one that rates say by now, and brings what was made of them up to date: what
 * their agents spent, what incidents come to, what was paid under mandates, which are then evaluated again, and what detectors find in
 * them. Only what is analyzed is priced: detection has what comes after from the log. Holds the log's cursor in a transaction only where
 * something gets a price. Returns null when there is nothing to do now.
 */
export async function repriceNext(
  db: Pool,
  tenant: Tenant,
  { table, assessor }: With,
  now: number,
): Promise<Repriced | null> {
  const request = await readRepricing(db, tenant);
  if (!request) return null;
  // Read after the request, they are the rates that it was made for, or later ones.
  const rates = await table.current();
  const part = await readUnpriced(db, tenant, request, EVENTS_AT_ONCE);
  const last = part.at(-1);
  if (!last) {
    await endRepricing(db, tenant, request, rates.currencies);
    return null;
  }
  if (pricesOf(part, rates).size > 0)
    return db.transaction(tx => pricePart(tx, tenant, { request, rates, assessor }, now));
  await moveRepricing(db, tenant, request, last.chain_seq);
  return nothing;
}

/** Prices the next part as it stands when the log's cursor is held: another process may have priced some of it. */
async function pricePart(
  tx: Db,
  tenant: Tenant,
  { request, rates, assessor }: { request: RepricingRow; rates: Rates } & Pick<With, 'assessor'>,
  now: number,
): Promise<Repriced> {
  const seq = await lockCursor(tx, tenant);
  const current = await readRepricing(tx, tenant);
  if (current?.rate_version !== request.rate_version) return nothing;
  const candidates = await readUnpriced(tx, tenant, current, EVENTS_AT_ONCE);
  const [first = Infinity] = pricesOf(candidates, rates).keys();
  const part = candidates.filter(({ chain_seq }) => chain_seq < first + FARTHEST);
  const last = part.at(-1);
  if (!last) return nothing;
  const prices = pricesOf(part, rates);
  if (prices.size > 0) {
    const payment_ids = part.flatMap(event => (prices.has(event.chain_seq) ? [event.payment_id] : []));
    await price(tx, tenant, { prices, payment_ids: [...new Set(payment_ids)], seq }, now);
  }
  await moveRepricing(tx, tenant, current, last.chain_seq);
  if (prices.size === 0) return nothing;
  try {
    const outcome = await tx.transaction(inner => judgePriced(inner, tenant, [...prices.keys()], assessor, now));
    return { events: prices.size, ...outcome };
  } catch (fault) {
    // What cannot be judged keeps its price all the same, and does not hold up those after it.
    return { ...nothing, events: prices.size, fault };
  }
}

function pricesOf(events: readonly UnpricedEvent[], rates: Rates): Map<number, Price> {
  const prices = new Map<number, Price>();
  for (const { chain_seq, occurred_at, currency, value } of events) {
    const rate = rates.rateFor(currency, timestamp(occurred_at).slice(0, 'YYYY-MM-DD'.length));
    const usd = rate && priceInUsd({ amount: value, currency, rate: rate.usd_per_unit });
    if (usd) prices.set(chain_seq, { usd, rate });
  }
  return prices;
}

type Priced = { prices: ReadonlyMap<number, Price>; payment_ids: string[]; seq: number };

async function price(tx: Db, tenant: Tenant, { prices, payment_ids, seq }: Priced, now: number): Promise<void> {
  const { org_id, environment } = tenant;
  const before = await readPaymentEvents(tx, tenant, payment_ids, seq);
  const after = before.map(event => ({ ...event, usd_micro: microOf(prices.get(event.chain_seq)) ?? event.usd_micro }));
  await savePrices(tx, tenant, prices);
  const changes = spendChanges(before, after);
  if (changes.size > 0)
    await writeInTurn(tx, [
      () => hoursStatement(tenant, changes),
      () => spendStatement(tenant, [], changes),
      () => recentSpendStatement(tenant, spentRecently(changes, now)),
    ]);
  const priced = after.filter(({ chain_seq }) => prices.has(chain_seq));
  await repriceMandates(tx, tenant, priced, now);
  await repriceIncidents(tx, tenant, [...prices.keys()]);
  await tx.query(sql.unsafe`
    update detection_cursors set repriced = repriced + 1 where org_id = ${org_id} and environment = ${environment}`);
  await moveVersions(tx, tenant, ['alerts', 'mandates', 'verdicts']);
}

/** What detection counts with. */
function microOf(price: Price | undefined): bigint | null {
  if (!price) return null;
  const { usd_micro } = price.usd;
  return usd_micro > BigInt(MOST_MICRO) ? BigInt(MOST_MICRO) : usd_micro;
}

/** What payments cost more, or less, by agent. When and whom they paid is as it was. */
function spendChanges(before: readonly LoggedEvent[], after: readonly LoggedEvent[]) {
  const changes = new Map<string, ActivityChange[]>();
  const former = paymentsOf(before);
  for (const [key, payment] of paymentsOf(after)) {
    const previous = former.get(key);
    const spend_micro = spendOf(payment) - (previous ? spendOf(previous) : 0n);
    const { payee_id, rail, paid_at: at } = payment;
    if (spend_micro === 0n || at === null) continue;
    const agent_id = key.slice(0, key.indexOf(' '));
    const change = { at, payee_id, rail, payments: 0, spend_micro, busiest_minute: 0 };
    changes.set(agent_id, [...(changes.get(agent_id) ?? []), change]);
  }
  return changes;
}
