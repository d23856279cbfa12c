import { ulid } from 'ulid';

type Json = Record<string, unknown>;

let count = 0;

/** A new event id with the time of the event in it. Random bytes drawn one by one, as ulid does by itself, cost 60 µs an id. */
export const eventId = (at: number) => `evt_${ulid(at, Math.random)}`;

export type EventOptions = {
  at?: number;
  agent?: string;
  payee?: string;
  payee_name?: string;
  /** Decimal cents of `currency`. */
  cents?: string;
  currency?: string;
  payment_id?: string;
  type?: string;
  status?: string;
  rail?: string;
  more?: Json;
};

/** A sound event for the API: a card payment of $12.50, unless told otherwise. */
export function event(options: EventOptions = {}): Json & { id: string } {
  count += 1;
  const at = options.at ?? Date.now() - 60_000;
  const type = options.type ?? 'payment.settled';
  return {
    id: eventId(at),
    type,
    occurred_at: new Date(at).toISOString(),
    agent: { external_id: options.agent ?? 'agent-1' },
    owner: { external_id: 'owner-1' },
    payment: {
      payment_id: options.payment_id ?? `pay_${count}_${at}`,
      rail: options.rail ?? 'card',
      status: options.status ?? type.slice('payment.'.length),
      amount: { value: options.cents ?? '1250', unit: 'minor', currency: options.currency ?? 'USD' },
      payee: {
        key: options.payee ?? 'domain:shop.example.com',
        ...(options.payee_name && { name: options.payee_name }),
      },
    },
    ...options.more,
  };
}
