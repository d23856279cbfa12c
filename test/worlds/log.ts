import { type Purpose, purposeOf } from '#shared/detection/model/purpose.ts';
import type { PayeeRecord } from '#shared/detection/model/payees.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { EventType, Rail } from '#shared/values/event_types.ts';
import { callOf } from '#shared/events/log/event_columns.ts';
import { priceKey } from '#shared/values/amount_keys.ts';
import { fold } from '#shared/values/fold.ts';
import { parsePayeeKey } from '#shared/values/payee_key.ts';
import { referenceRates } from '#shared/events/input/reference_rates.ts';
import type { Rates } from '#shared/values/price_in_usd.ts';
import type { EventInput } from '#shared/events/input/event_input.ts';
import { type NormalizedEvent, normalizeEvent } from '#shared/events/input/event_normalize.ts';
import { exchangeRates } from '#bin/demo/rates.ts';
import { loadedRate } from '#test/helpers/rates.ts';

const amounts = new Map<string, string>();

/** The key of an amount as in a log; what it stands for is kept for `amountOfKey`. */
function keyOfAmount(value: string, denomination: string): string {
  const key = priceKey(value, denomination);
  amounts.set(key, `${value} ${denomination}`);
  return key;
}

/** The amount of a price key of a world, such as `900 EUR`; the key itself where a test made it up. */
export const amountOfKey = (key: string): string => amounts.get(key) ?? key;

/** The events of a world as detection would read them from a log to which they were sent as they occurred. */
export function logOf(inputs: readonly EventInput[], now: number): DetectionEvent[] {
  let received_at = 0;
  return normalized(inputs, now).map((event, index) => {
    received_at = Math.max(received_at, Date.parse(event.occurred_at));
    return detectionEvent(event, index + 1, received_at);
  });
}

/** The same of events that arrive when they are said to; none of what was sent is kept. */
export function logOfArrivals(
  sent: Iterable<{ input: EventInput; received_at: number }>,
  now: number,
): DetectionEvent[] {
  const rates = ratesOf(now);
  const events: DetectionEvent[] = [];
  for (const { input, received_at } of sent)
    events.push(detectionEvent(normalizedEvent(input, now, rates), events.length + 1, received_at));
  return events;
}

/** The events of a world as the service takes them. Throws where it would not. */
export function normalized(inputs: readonly EventInput[], now: number): NormalizedEvent[] {
  const rates = ratesOf(now);
  return inputs.map(input => normalizedEvent(input, now, rates));
}

function normalizedEvent(input: EventInput, now: number, rates: Rates): NormalizedEvent {
  const checked = normalizeEvent(input, { now, max_age_days: 400, rates });
  if (!checked.ok) throw new Error(`the event ${input.id} is not valid: ${JSON.stringify(checked.issues)}`);
  return checked.event;
}

/** The rates of a world as the service would look them up. */
export function ratesOf(now: number): Rates {
  const table = new Map(exchangeRates(now).map(rate => [`${rate.currency} ${rate.date}`, rate.usd_per_unit]));
  return {
    rateFor: (currency, date) =>
      loadedRate(table.get(`${currency} ${date}`), date) ?? referenceRates.get(currency) ?? null,
  };
}

/** What detection knows a payee of a world by: its key in the canonical form. */
export function payeeIdOf(key: string): string {
  const parsed = parsePayeeKey(key);
  return parsed.ok ? parsed.value : key;
}

/** What events say of payees, by `payeeIdOf`: the latest name and type that they give each. */
export type SaidOfPayees = Map<string, Pick<PayeeRecord, 'name' | 'type'>>;

export function notePayee(payees: SaidOfPayees, { payment: { payee } }: EventInput): void {
  const id = payeeIdOf(payee.key);
  const known = payees.get(id);
  payees.set(id, { name: payee.name ?? known?.name ?? null, type: payee.type ?? known?.type ?? null });
}

/** Notes what an event is for, by its place in the log. */
export function notePurpose(
  purposes: Map<number, Purpose>,
  place: number,
  { description, metadata }: EventInput,
): void {
  const members = Object.entries(metadata ?? {}).filter(([, value]) => ['string', 'number'].includes(typeof value));
  const said = Object.fromEntries(members.map(([name, value]) => [name, String(value)]));
  const purpose = purposeOf({ description: description ?? null, metadata: said }, true);
  if (purpose) purposes.set(place, purpose);
}

/** As the log would keep it. Keys are only ever compared, so they need not be the hashes the log has. */
function detectionEvent(event: NormalizedEvent, chain_seq: number, received_at: number): DetectionEvent {
  return {
    chain_seq,
    id: event.id,
    type: event.type as EventType,
    occurred_at: Date.parse(event.occurred_at),
    received_at,
    source_id: event.source_id ?? 'src_demo',
    agent_id: 'external_id' in event.agent ? event.agent.external_id : event.agent.id,
    owner_id: 'external_id' in event.owner ? event.owner.external_id : event.owner.id,
    payee_id: event.payee.key,
    rail: event.rail as Rail,
    payment_id: event.payment_id,
    usd_micro: event.usd_micro === null ? null : BigInt(event.usd_micro),
    price_key: keyOfAmount(event.amount_value, event.amount_denomination),
    resource_key: event.resource_url,
    tool_key: event.tool_name,
    tool_call_key: callOf(event),
    attempt: event.attempt,
    currency: event.amount_unit === 'minor' ? event.amount_denomination : null,
    payee_country: event.payee.country,
    payee_name_key: event.payee.name && fold(event.payee.name),
    domain_key: event.resource_url === null ? null : (URL.parse(event.resource_url)?.hostname ?? null),
  };
}
