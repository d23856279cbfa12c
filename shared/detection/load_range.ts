import type { Db } from '#shared/db.ts';
import { firstFrom, type History } from '#shared/detection/history.ts';
import type { HistoryCache } from '#shared/detection/history_cache.ts';
import { loadHours, loadPaidPairs, loadPayments } from '#shared/detection/load.ts';
import { counts, type DetectionEvent, type Payment } from '#shared/detection/payment.ts';
import { loadHistories } from '#shared/detection/load_histories.ts';
import type { Tenant } from '#shared/schemas.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';

/** What the detectors need to know of the past to judge a range: a few queries, however many events it has. */
export type LoadedRange = {
  histories: Map<string, History>;
  /** Payments of the range that are older than what their agent's history holds. */
  outside: Map<string, Payment>;
};

/** Clocks of clients may be this far ahead, so an event can have occurred so long after it arrived. */
const MOST_AHEAD = 5 * MINUTE;
/** Beyond this many an agent's known payees are looked up again instead of being remembered. */
const MOST_PAYEES = 5_000;

/** Loads what is not in the cache, as it was at `cursor`: histories, payments too old for them, known payees, and hours where they may matter. */
export async function loadRange(
  db: Db,
  tenant: Tenant,
  events: readonly DetectionEvent[],
  cursor: number,
  cache: HistoryCache,
): Promise<LoadedRange> {
  const byAgent = Map.groupBy(events, event => event.agent_id);
  const histories = new Map<string, History>();
  for (const agent_id of byAgent.keys()) {
    const known = cache.get(tenant, agent_id);
    if (known) histories.set(agent_id, known);
  }
  const missing = [...byAgent.keys()].filter(agent_id => !histories.has(agent_id));
  const newest = (events[0]?.received_at ?? 0) + MOST_AHEAD;
  for (const [agent_id, history] of await loadHistories(db, tenant, missing, cursor, newest))
    histories.set(agent_id, history);

  const unseen = events
    .filter(event => !histories.get(event.agent_id)?.by_id.has(event.payment_id))
    .map(event => event.payment_id);
  const outside = await loadPayments(db, tenant, [...new Set(unseen)], cursor);
  await addPaidPayees(db, tenant, events, histories);
  await addHours(db, tenant, byAgent, histories);
  for (const [agent_id, history] of histories) cache.set(tenant, agent_id, history);
  return { histories, outside };
}

async function addPaidPayees(
  db: Db,
  tenant: Tenant,
  events: readonly DetectionEvent[],
  histories: Map<string, History>,
): Promise<void> {
  const pairs = new Map<string, { agent_id: string; payee_id: string }>();
  for (const { type, agent_id, payee_id } of events) {
    const paid = histories.get(agent_id)?.paid_payees;
    if (paid && paid.size > MOST_PAYEES) paid.clear();
    if (counts(type) && !paid?.has(payee_id)) pairs.set(`${agent_id} ${payee_id}`, { agent_id, payee_id });
  }
  if (pairs.size === 0) return;
  for (const { agent_id, payee_id } of await loadPaidPairs(db, tenant, [...pairs.values()]))
    histories.get(agent_id)?.paid_payees.add(payee_id);
}

/** An agent's hours are loaded once it has done, or may do within this range, what a baseline is asked for. */
async function addHours(
  db: Db,
  tenant: Tenant,
  byAgent: Map<string, DetectionEvent[]>,
  histories: Map<string, History>,
): Promise<void> {
  const times: number[] = [];
  const wanted = [...byAgent].flatMap(([agent_id, events]) => {
    const history = histories.get(agent_id);
    if (!history || history.hours || !mayNeedBaseline(history, events)) return [];
    for (const event of events) times.push(event.occurred_at);
    return [agent_id];
  });
  if (wanted.length === 0) return;
  const hours = await loadHours(db, tenant, wanted, Math.min(...times), Math.max(...times));
  for (const agent_id of wanted) {
    const history = histories.get(agent_id);
    if (history) history.hours = hours.get(agent_id) ?? [];
  }
}

/** True whenever a detector could ask for the baseline while it judges these events: counts and sums here are upper bounds of theirs. */
function mayNeedBaseline(history: History, events: DetectionEvent[]): boolean {
  const { payments } = history;
  const earliest = events.reduce((least, event) => Math.min(least, event.occurred_at), Infinity);
  const since = (length: number) => payments.length - firstFrom(payments, earliest - length) + events.length;
  if (since(MINUTE) >= 21 || since(HOUR) >= 201) return true;
  const spent = events.reduce((sum, event) => sum + (event.usd_micro ?? 0n), history.spend_micro);
  if (spent > 50_000_000n) return true;
  const reachesDay = (payments[0]?.started_at ?? Infinity) > earliest - DAY;
  return reachesDay && (history.truncated || payments.length + events.length > 256);
}
