import { z } from 'zod';
import type { History } from '#shared/detection/model/history.ts';
import { isDearest, isFarAbove, isOnTheList, LATEST_LIKE, LEAST_OF_ONE } from '#shared/detection/model/price_record.ts';
import type { PayeeState } from '#shared/detection/model/payees.ts';
import { holding } from '#shared/events/log/holding.ts';
import { counts, type DetectionEvent, type Payment } from '#shared/events/log/payment.ts';
import { paymentKey } from '#shared/events/ranges/load.ts';
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
  const last = events.at(-1);
  if (asked.length === 0 || !last) return new Map();
  const rows = await db.any(sql.type(ResourceRow)`
    select g.agent_id, g.payment_id, n.url
    from ${sql.unnest(
      asked.map(({ agent_id, payment_id }) => [agent_id, payment_id]),
      ['text', 'text'],
    )} as g (agent_id, payment_id)
    cross join lateral (
      select e.input::jsonb ->> 'resource_url' as url from events e
      where ${holding('payment_id', tenant, sql.fragment`g.payment_id`)} and e.agent_id = g.agent_id and e.chain_seq <= ${last.chain_seq}
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
  const named = new Set(events.flatMap(event => (event.resource_key === null ? [] : paymentKey(event))));
  const formerOf = ({ agent_id, payment_id }: DetectionEvent) => histories.get(agent_id)?.by_id.get(payment_id);
  const isNamed = (event: DetectionEvent) => named.has(paymentKey(event)) || !!formerOf(event)?.resource_key;
  const mayBeDear = (event: DetectionEvent) => {
    const payee = payees.get(event.payee_id);
    return counts(event.type) && event.usd_micro !== null && !!payee && isDearest(event, event.usd_micro, payee);
  };
  const asking = events.filter(event => mayBeDear(event) && isNamed(event));
  const byAgent = Map.groupBy(asking.length > 0 ? events : [], ({ agent_id }) => agent_id);
  return [...Map.groupBy(asking, pairOf).values()].flatMap(dear => {
    const [{ agent_id, payee_id } = { agent_id: '', payee_id: '' }] = dear;
    const ofAgent = byAgent.get(agent_id) ?? [];
    const own = ofAgent.filter(event => event.payee_id === payee_id && counts(event.type) && isNamed(event));
    const history = histories.get(agent_id);
    const before = history ? paidTo(payee_id, history.payments) : [];
    const eventsOf = Map.groupBy(ofAgent, ({ payment_id }) => payment_id);
    // What the range may push out of those at hand, or change, is not counted on.
    const kept = new Set(history?.payments.slice(ofAgent.length));
    const isSure = (other: Payment) => kept.has(other) && !eventsOf.has(other.payment_id);
    const asked = dear.flatMap(event =>
      stagesOf(formerOf(event), eventsOf.get(event.payment_id) ?? []).flatMap(stage => {
        const like = before.filter(other => isSettled(other) && isLike(other, stage));
        const amount = event.usd_micro ?? 0n;
        return isOnTheList(amount, like.filter(isSure)) ? [] : [{ amount, like }];
      }),
    );
    const least =
      asked.length === 0
        ? null
        : lowestOfMany([
            ...before.map(({ price_key, paid_micro }) => [price_key, paid_micro] as const),
            ...own.map(({ price_key, usd_micro }) => [price_key, usd_micro ?? 0n] as const),
          ]);
    if (least === null) return [];
    // An event of the range may take one of the latest away.
    const asks = asked
      .filter(({ amount }) => isFarAbove(amount, least))
      .map(({ like }) => like.slice(-LATEST_LIKE - ofAgent.length));
    const ids = asks.length > 0 ? new Set([...asks.flat(), ...own].map(({ payment_id }) => payment_id)) : [];
    return [...ids].map(payment_id => ({ agent_id, payment_id }));
  });
}

/** When a payment began, and by which tool, as far as is known at one of its events. */
type Stage = Pick<Payment, 'started_at' | 'tool_key'>;

/** The stages a payment goes through in a range: usually one. */
function stagesOf(former: Payment | undefined, events: readonly DetectionEvent[]): Stage[] {
  const stages: Stage[] = [];
  let last: Stage = former ?? { started_at: Infinity, tool_key: null };
  for (const event of events) {
    const stage = {
      started_at: Math.min(last.started_at, event.occurred_at),
      tool_key: event.tool_key ?? last.tool_key,
    };
    if (stages.length === 0 || stage.started_at !== last.started_at || stage.tool_key !== last.tool_key)
      stages.push(stage);
    last = stage;
  }
  return stages;
}

const isLike = (other: Payment, { started_at, tool_key }: Stage) =>
  other.tool_key === tool_key && other.started_at < started_at;

const pairOf = ({ agent_id, payee_id }: DetectionEvent) => `${agent_id} ${payee_id}`;

/** Those that were paid to a payee for resources. */
const paidTo = (payee_id: string, payments: readonly Payment[]): Payment[] =>
  payments.filter(payment => payment.payee_id === payee_id && payment.resource_key !== null);

const isSettled = ({ settled, paid_micro }: Payment) => settled && paid_micro > 0n;

/** The lowest of the prices that were paid so often that each may be the one; null where there is none. */
function lowestOfMany(paid: readonly (readonly [price_key: string, micro: bigint])[]): bigint | null {
  const times = new Map<string, number>();
  let lowest: bigint | null = null;
  for (const [price_key, micro] of paid) {
    const count = (times.get(price_key) ?? 0) + 1;
    times.set(price_key, count);
    if (count === LEAST_OF_ONE && micro > 0n && (lowest === null || micro < lowest)) lowest = micro;
  }
  return lowest;
}
