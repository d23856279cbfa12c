import { z } from 'zod';
import type { History } from '#shared/detection/model/history.ts';
import { isDearest, LATEST_LIKE, LEAST_OF_ONE } from '#shared/detection/model/price_record.ts';
import type { PayeeState } from '#shared/detection/model/payees.ts';
import { counts, type DetectionEvent, type Payment } from '#shared/events/log/payment.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';

/** Resources without their queries, by the place of the event in the log that names them. */
export type Endpoints = ReadonlyMap<number, string>;

type Known = { histories: ReadonlyMap<string, History>; payees: ReadonlyMap<string, PayeeState> };

/**
 * The endpoints of events that pay more than the agent ever paid the payee, where it paid one lower price again and again, and of the payments
 * that their price is held against. Most events are no such, and cost nothing more.
 */
export async function loadEndpoints(
  db: Db,
  { org_id, environment }: Tenant,
  events: readonly DetectionEvent[],
  known: Known,
): Promise<Endpoints> {
  const seqs = seqsOf(events, known);
  if (seqs.length === 0) return new Map();
  const rows = await db.any(sql.type(ResourceRow)`
    select chain_seq, input::jsonb ->> 'resource_url' as url from events
    where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${sql.array(seqs, 'int8')})`);
  return new Map(
    rows.flatMap(({ chain_seq, url }) => {
      const endpoint = endpointOf(url ?? '');
      return endpoint === null ? [] : [[chain_seq, endpoint]];
    }),
  );
}

const ResourceRow = z.object({ chain_seq: z.number(), url: z.string().nullable() });

/** A resource without its query, such as `api.example.com/v1/geocode`; null for what is no URL. */
export function endpointOf(resource_url: string): string | null {
  const url = URL.parse(resource_url);
  return url && `${url.host}${url.pathname}`;
}

/** The places of the events whose endpoints are asked for. */
function seqsOf(events: readonly DetectionEvent[], { histories, payees }: Known): number[] {
  const asking = events.filter(event => mayBeDear(event, payees.get(event.payee_id)));
  if (asking.length === 0) return [];
  const groups = Map.groupBy(
    events.filter(({ type, resource_key }) => counts(type) && resource_key !== null),
    keyOf,
  );
  const seqs = [...Map.groupBy(asking, keyOf)].flatMap(([key, [first, ...more]]) => {
    if (!first) return [];
    const own = groups.get(key) ?? [];
    const before = likeOf(first, histories.get(first.agent_id));
    const least = lowestOfMany([
      ...before.map(({ price_key, paid_micro }) => [price_key, paid_micro] as const),
      ...own.map(({ price_key, usd_micro }) => [price_key, usd_micro ?? 0n] as const),
    ]);
    const dear = [first, ...more].filter(({ usd_micro }) => least !== null && (usd_micro ?? 0n) * 2n >= least * 3n);
    const compared = dear.flatMap(({ occurred_at }) =>
      before.filter(({ started_at }) => started_at <= occurred_at).slice(-2 * LATEST_LIKE),
    );
    return dear.length === 0 ? [] : [...own.map(each => each.chain_seq), ...compared.map(each => each.counted_seq)];
  });
  return [...new Set(seqs)];
}

const keyOf = ({ agent_id, payee_id, tool_key }: DetectionEvent) => `${agent_id} ${payee_id} ${tool_key}`;

const LEAST_MICRO = 50_000n;

/** Cheap: a payment for a resource that is larger than all to the payee that are known. */
const mayBeDear = (event: DetectionEvent, payee: PayeeState | undefined): boolean =>
  event.resource_key !== null &&
  counts(event.type) &&
  event.usd_micro !== null &&
  event.usd_micro >= LEAST_MICRO &&
  payee !== undefined &&
  isDearest(event, event.usd_micro, payee);

/** The payments at hand to the payee of an event, for resources by the same tool. */
function likeOf({ payee_id, tool_key }: DetectionEvent, history: History | undefined): Payment[] {
  if (!history?.paid_payees.has(payee_id)) return [];
  const isLike = (payment: Payment) =>
    payment.payee_id === payee_id &&
    payment.resource_key !== null &&
    payment.tool_key === tool_key &&
    payment.counted_seq > 0;
  return history.payments.filter(isLike);
}

/** The lowest of the prices that were paid so often that each may be the one; null where there is none. */
function lowestOfMany(paid: readonly (readonly [price_key: string, micro: bigint])[]): bigint | null {
  const times = new Map<string, number>();
  let lowest: bigint | null = null;
  for (const [price_key, micro] of paid) {
    const count = (times.get(price_key) ?? 0) + 1;
    times.set(price_key, count);
    if (count === LEAST_OF_ONE && (lowest === null || micro < lowest)) lowest = micro;
  }
  return lowest;
}
