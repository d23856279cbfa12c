import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { fold } from '#shared/values/fold.ts';
import type { NormalizedEvent } from '#shared/events/input/event_normalize.ts';

/** What of an event is read for its columns: its normal form and its price. */
export type ColumnSource = Pick<
  NormalizedEvent,
  | 'type'
  | 'occurred_at'
  | 'payment_id'
  | 'rail'
  | 'status'
  | 'amount_value'
  | 'amount_denomination'
  | 'payee'
  | 'usd_micro'
  | 'usd_minor'
  | 'mandate_id'
  | 'resource_url'
  | 'tool_name'
  | 'tool_call_id'
  | 'attempt'
> & { evidence_count: number; signed: boolean };

/**
 * The columns of `events` that follow from what was reported, by their names. Keys are the first 8 bytes of a SHA-256 in hex. Storing an event
 * and verifying it later both ask here: what was stored must come out the same again.
 */
export const columnsOf = (event: ColumnSource) => ({
  type: event.type,
  occurred_at: event.occurred_at,
  payment_id: event.payment_id,
  rail: event.rail,
  status: event.status,
  amount_usd_micro: event.usd_micro,
  amount_usd_minor: event.usd_minor,
  mandate_id: event.mandate_id,
  evidence_count: event.evidence_count,
  signed: event.signed,
  price_key: shortHash(`${event.amount_value} ${event.amount_denomination}`),
  resource_key: keyOf(event.resource_url),
  tool_key: keyOf(event.tool_name),
  tool_call_key: keyOf(event.tool_call_id),
  attempt: event.attempt,
  payee_country: event.payee.country,
  payee_name_key: remembered(nameKeys, event.payee.name, name => keyOf(fold(name))),
  domain_key: remembered(hostKeys, originOf(event.resource_url), origin => keyOf(hostOf(origin))),
});
export type EventColumns = ReturnType<typeof columnsOf>;

/** First 8 bytes of a SHA-256, in hex: tells equal things from different ones in an index. */
const shortHash = (text: string) => hash('sha256', text).slice(0, 16);

const keyOf = (text: string | null) => (text ? shortHash(text) : null);

/** A URL up to its path: what its host follows from. */
const originOf = (resource_url: string | null) =>
  resource_url && (/^[^/?#]*\/\/[^/?#]*/.exec(resource_url)?.[0] ?? null);

/** The host that a resource is sold at; null where the URL has none. */
const hostOf = (origin: string) => URL.parse(origin)?.hostname ?? null;

// Names and hosts recur; making their keys anew took a tenth of the time of an event.
const nameKeys = new LRUCache<string, { key: string | null }>({ max: 10_000 });
const hostKeys = new LRUCache<string, { key: string | null }>({ max: 10_000 });

function remembered(known: typeof nameKeys, text: string | null, make: (text: string) => string | null): string | null {
  if (!text) return null;
  const found = known.get(text) ?? { key: make(text) };
  known.set(text, found);
  return found.key;
}
