import { EventInput } from '#shared/events/input/event_input.ts';
import { noRates } from '#shared/values/price_in_usd.ts';
import { normalizeEvent } from '#shared/events/input/event_normalize.ts';

/** The moment tests of event input take for now. */
export const now = Date.parse('2026-11-20T10:00:00.000Z');

type Json = Record<string, unknown>;

/** A sound x402 event; `changes` replace members, `undefined` removes them, objects are merged. */
export const eventInput = (changes: Json = {}): Json =>
  merge(
    {
      id: 'evt_01KADG3M5QJ8V2X4Z6B7C9D0EF',
      type: 'payment.settled',
      occurred_at: '2026-11-20T09:30:00.000Z',
      agent: { external_id: 'agent-7', name: 'Research agent' },
      owner: { external_id: 'acct_1', country: 'DE' },
      payment: {
        payment_id: 'pay_1',
        rail: 'x402',
        status: 'settled',
        amount: {
          value: '1000',
          unit: 'atomic',
          asset: { network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
        },
        payee: { key: 'eip155:8453:0x209693Bc6afc0C5328bA36FaF03C514EF312287C' },
      },
    },
    changes,
  );

/** The same event paid in cents of `currency`. */
export const cents = (value: string, currency: string, changes: Json = {}): Json => {
  const event = eventInput(changes);
  return { ...event, payment: { ...(event['payment'] as Json), amount: { value, unit: 'minor', currency } } };
};

/** Its normal form, or a thrown list of problems. */
export function normalized(input: unknown, rates = noRates) {
  const result = normalizeEvent(input, { now, max_age_days: 400, rates });
  if (!result.ok) throw new Error(JSON.stringify(result.issues, null, 1));
  return result.event;
}

/** Its problems as `path code`. */
export function problems(input: unknown): string[] {
  const result = normalizeEvent(input, { now, max_age_days: 400, rates: noRates });
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code}`);
}

function merge(base: Json, changes: Json): Json {
  const merged = { ...base };
  for (const [name, change] of Object.entries(changes)) {
    const old = merged[name];
    if (change === undefined) delete merged[name];
    else merged[name] = isObject(old) && isObject(change) ? merge(old, change) : change;
  }
  return merged;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The example in the OpenAPI document. */
export const documentedEvent = EventInput.meta()?.['examples'] as unknown[];
