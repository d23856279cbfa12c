import { z } from 'zod';
import { emptyHistory, type History } from '#shared/detection/model/history.ts';
import { bigMax } from '#shared/detection/model/score.ts';
import { isDearest, isFarAbove, LATEST_LIKE, LEAST_OF_ONE, ON_THE_LIST } from '#shared/detection/model/price_record.ts';
import type { PayeeState } from '#shared/detection/model/payees.ts';
import { holding } from '#shared/events/log/holding.ts';
import { counts, type DetectionEvent, type Payment } from '#shared/events/log/payment.ts';
import { lastPlace, paymentKey } from '#shared/events/ranges/load.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';

/** The resources of payments without their queries, by `paymentKey`. */
export type Endpoints = ReadonlyMap<string, string>;

type PaymentId = Pick<DetectionEvent, 'agent_id' | 'payment_id'>;
type Known = {
  histories: ReadonlyMap<string, History>;
  payees: ReadonlyMap<string, Pick<PayeeState, 'payers'>>;
};

/**
 * The endpoints of payments to payees that are paid more than one lower price that they got again and again, and that is not on their list yet:
 * of those at hand and those of the range. Most payments are to no such payee, and cost nothing more.
 */
export async function loadEndpoints(
  db: Db,
  tenant: Tenant,
  events: readonly DetectionEvent[],
  known: Known,
): Promise<Endpoints> {
  const asked = askedPayments(events, known);
  if (asked.length === 0) return new Map();
  const last = lastPlace(events);
  const rows = await db.any(sql.type(ResourceRow)`
    select g.agent_id, g.payment_id, n.url
    from ${sql.unnest(
      asked.map(({ agent_id, payment_id }) => [agent_id, payment_id]),
      ['text', 'text'],
    )} as g (agent_id, payment_id)
    cross join lateral (
      select e.input::jsonb ->> 'resource_url' as url from events e
      where ${holding('payment_id', tenant, sql.fragment`g.payment_id`)} and e.agent_id = g.agent_id and e.chain_seq <= ${last}
        and strpos(e.input, '"resource_url":') > 0
      order by e.chain_seq desc limit 1) n`);
  return new Map(
    rows.flatMap(({ url, ...payment }): [string, string][] => {
      const endpoint = endpointOf(url ?? '');
      return endpoint === null ? [] : [[paymentKey(payment), endpoint]];
    }),
  );
}

const ResourceRow = z.object({ agent_id: z.string(), payment_id: z.string(), url: z.string().nullable() });

/** A resource without its query, such as `api.example.com/v1/geocode`; null for what is no URL. */
export function endpointOf(resource_url: string): string | null {
  const url = URL.parse(resource_url);
  return url && `${url.host}${url.pathname}`;
}

/** The payments whose endpoints are asked for, each once. */
export function askedPayments(events: readonly DetectionEvent[], { histories, payees }: Known): PaymentId[] {
  const mayBeDear = (event: DetectionEvent, payee_id: string, amount: bigint) => {
    const payee = payees.get(payee_id);
    return amount > 0n && !!payee && isDearest(event, amount, payee);
  };
  const dear = events.filter(event => {
    if (!counts(event.type)) return false;
    const former = histories.get(event.agent_id)?.by_id.get(event.payment_id);
    return (
      mayBeDear(event, event.payee_id, bigMax(event.usd_micro ?? 0n, former?.paid_micro ?? 0n)) ||
      (former !== undefined && mayBeDear(event, former.payee_id, former.paid_micro))
    );
  });
  if (dear.length === 0) return [];
  const byAgent = Map.groupBy(events, ({ agent_id }) => agent_id);
  return [...Map.groupBy(dear, ({ agent_id }) => agent_id)].flatMap(([agent_id, dearOfAgent]) => {
    const ids = new Set(dearOfAgent.map(({ payment_id }) => payment_id));
    const asked = askedOfAgent(histories.get(agent_id) ?? emptyHistory(), byAgent.get(agent_id) ?? [], ids);
    return [...asked].map(payment_id => ({ agent_id, payment_id }));
  });
}

/** The ids of the payments of an agent that are asked for. `dear` are those of its `events` in the range that may cost more than any before. */
function askedOfAgent(
  history: History,
  events: readonly DetectionEvent[],
  dear: ReadonlySet<string>,
): ReadonlySet<string> {
  const reports = Map.groupBy(events, ({ payment_id }) => payment_id);
  const isNamed = (payment_id: string) =>
    !!history.by_id.get(payment_id)?.resource_key ||
    !!reports.get(payment_id)?.some(({ resource_key }) => resource_key !== null);
  // What the range may change, or push out of those at hand, is not counted on.
  const isOnList = (stage: Stage) => {
    let count = 0;
    for (let at = history.payments.length - 1; at >= events.length; at -= 1) {
      const other = history.payments[at];
      if (!other || !isLike(other, stage) || other.paid_micro < stage.amount || reports.has(other.payment_id)) continue;
      count += 1;
      if (count === ON_THE_LIST) return true;
    }
    return false;
  };
  const stages = [...dear]
    .filter(isNamed)
    .flatMap(payment_id => stagesOf(history.by_id.get(payment_id), reports.get(payment_id) ?? []))
    .filter(stage => !isOnList(stage));
  const asked = new Set<string>();
  for (const [payee_id, ofPayee] of Map.groupBy(stages, stage => stage.payee_id)) {
    const before = history.payments.filter(other => other.payee_id === payee_id && other.resource_key !== null);
    // Whatever their events say: they may give a payment its tool, or an earlier beginning.
    const own = events.filter(
      event =>
        isNamed(event.payment_id) &&
        (event.payee_id === payee_id || history.by_id.get(event.payment_id)?.payee_id === payee_id),
    );
    const least = lowestOfMany([
      ...history.payments.filter(other => other.payee_id === payee_id),
      ...own.map(({ price_key, usd_micro }) => ({ price_key, paid_micro: usd_micro ?? 0n })),
    ]);
    const far = ofPayee.filter(({ amount }) => least !== null && isFarAbove(amount, least));
    if (far.length === 0) continue;
    for (const { payment_id } of own) asked.add(payment_id);
    for (const stage of far) {
      // An event of the range may take one of the latest away.
      let wanted = LATEST_LIKE + events.length;
      for (let at = before.length - 1; at >= 0 && wanted > 0; at -= 1) {
        const other = before[at];
        if (!other || !isLike(other, stage)) continue;
        asked.add(other.payment_id);
        wanted -= 1;
      }
    }
  }
  return asked;
}

/** What is known of a payment at one of its events: for whom it is, from when on, by which tool; and the most that it may come to. */
type Stage = Pick<Payment, 'payee_id' | 'started_at' | 'tool_key'> & { amount: bigint };

/** The stages a payment goes through in a range, each once: usually one. What is on the list, or not far above, at the most it comes to is so at less. */
function stagesOf(former: Payment | undefined, reports: readonly DetectionEvent[]): Stage[] {
  const amount = reports.reduce(
    (most, { type, usd_micro }) => (counts(type) ? bigMax(most, usd_micro ?? 0n) : most),
    former?.paid_micro ?? 0n,
  );
  const payees = new Set([...(former ? [former.payee_id] : []), ...reports.map(({ payee_id }) => payee_id)]);
  const stages = new Map<string, Stage>();
  let last: Pick<Stage, 'started_at' | 'tool_key'> = former ?? { started_at: Infinity, tool_key: null };
  for (const report of reports) {
    last = {
      started_at: Math.min(last.started_at, report.occurred_at),
      tool_key: report.tool_key ?? last.tool_key,
    };
    for (const payee_id of payees)
      stages.set(`${last.started_at} ${last.tool_key} ${payee_id}`, { ...last, payee_id, amount });
  }
  return [...stages.values()];
}

/** Whether a payment was settled before, to the payee, by the tool, for a resource. */
const isLike = (other: Payment, { payee_id, started_at, tool_key }: Stage): boolean =>
  other.payee_id === payee_id &&
  other.resource_key !== null &&
  other.tool_key === tool_key &&
  other.settled &&
  other.paid_micro > 0n &&
  other.started_at < started_at;

/** The least that was paid of prices that were paid so often that each may be the one; null where there is none. */
function lowestOfMany(paid: readonly Pick<Payment, 'price_key' | 'paid_micro'>[]): bigint | null {
  const prices = new Map<string, { count: number; least: bigint }>();
  for (const { price_key, paid_micro } of paid) {
    if (paid_micro === 0n) continue;
    const price = prices.get(price_key) ?? { count: 0, least: paid_micro };
    prices.set(price_key, price);
    price.count += 1;
    if (paid_micro < price.least) price.least = paid_micro;
  }
  let lowest: bigint | null = null;
  for (const { count, least } of prices.values())
    if (count >= LEAST_OF_ONE && (lowest === null || least < lowest)) lowest = least;
  return lowest;
}
