import { z } from 'zod';
import { emptyHistory, type History } from '#shared/detection/model/history.ts';
import { isDearest, isFarAbove, LATEST_LIKE, LEAST_OF_ONE, ON_THE_LIST } from '#shared/detection/model/price_record.ts';
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
  const dear = events.filter(event => {
    const payee = payees.get(event.payee_id);
    return counts(event.type) && event.usd_micro !== null && !!payee && isDearest(event, event.usd_micro, payee);
  });
  if (dear.length === 0) return [];
  const byAgent = Map.groupBy(events, ({ agent_id }) => agent_id);
  return [...Map.groupBy(dear, ({ agent_id }) => agent_id)].flatMap(([agent_id, dearOfAgent]) => {
    const asked = askedOfAgent(histories.get(agent_id) ?? emptyHistory(), byAgent.get(agent_id) ?? [], dearOfAgent);
    return [...new Set(asked)].map(payment_id => ({ agent_id, payment_id }));
  });
}

/** The ids of the payments of an agent that are asked for. `dear` are those of its `events` in the range that may cost more than any before. */
function askedOfAgent(history: History, events: readonly DetectionEvent[], dear: readonly DetectionEvent[]): string[] {
  const reports = Map.groupBy(events, ({ payment_id }) => payment_id);
  const isNamed = ({ payment_id }: DetectionEvent) =>
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
  const stages = dear
    .filter(isNamed)
    .flatMap(event => stagesOf(event, history.by_id.get(event.payment_id), reports.get(event.payment_id) ?? []))
    .filter(stage => !isOnList(stage));
  return [...Map.groupBy(stages, ({ payee_id }) => payee_id)].flatMap(([payee_id, ofPayee]) => {
    const before = history.payments.filter(other => other.payee_id === payee_id && other.resource_key !== null);
    const own = events.filter(event => event.payee_id === payee_id && counts(event.type) && isNamed(event));
    const least = lowestOfMany([
      ...before.map(({ price_key, paid_micro }) => [price_key, paid_micro] as const),
      ...own.map(({ price_key, usd_micro }) => [price_key, usd_micro ?? 0n] as const),
    ]);
    const far = ofPayee.filter(({ amount }) => least !== null && isFarAbove(amount, least));
    if (far.length === 0) return [];
    // An event of the range may take one of the latest away.
    const latest = far.map(stage => before.filter(other => isLike(other, stage)).slice(-LATEST_LIKE - events.length));
    return [...latest.flat(), ...own].map(({ payment_id }) => payment_id);
  });
}

/** What is known of a payment at one of its events: for whom it is, from when on, by which tool; and how much the event says. */
type Stage = Pick<Payment, 'payee_id' | 'started_at' | 'tool_key'> & { amount: bigint };

/** The stages a payment goes through in a range until its amount is that of `event`, and after: usually one. */
function stagesOf(
  { payee_id, usd_micro }: DetectionEvent,
  former: Payment | undefined,
  reports: readonly DetectionEvent[],
): Stage[] {
  const stages: Stage[] = [];
  let last: Pick<Stage, 'started_at' | 'tool_key'> = former ?? { started_at: Infinity, tool_key: null };
  for (const report of reports) {
    const started_at = Math.min(last.started_at, report.occurred_at);
    const tool_key = report.tool_key ?? last.tool_key;
    if (stages.length === 0 || started_at !== last.started_at || tool_key !== last.tool_key)
      stages.push({ payee_id, started_at, tool_key, amount: usd_micro ?? 0n });
    last = { started_at, tool_key };
  }
  return stages;
}

/** Whether a payment was settled before, to the payee, by the tool, for a resource. */
const isLike = (other: Payment, { payee_id, started_at, tool_key }: Stage): boolean =>
  other.payee_id === payee_id &&
  other.resource_key !== null &&
  other.tool_key === tool_key &&
  other.settled &&
  other.paid_micro > 0n &&
  other.started_at < started_at;

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
