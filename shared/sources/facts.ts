import type { EventInput } from '#shared/events/input/event_input.ts';
import type { CaptureNotice } from './captures.ts';
import type { RefundNotice } from './refunds.ts';
import type { EventType, PaymentStatus, Rail } from '#shared/values/event_types.ts';

/** The contents of a payment service's notice, as far as present, from which an event is made. */
export type NoticeFacts = {
  /** Identical whenever the service repeats this notice. */
  notice: string;
  type: EventType;
  status: PaymentStatus;
  payment_id: string;
  /** External ids. */
  agent: string;
  owner: string;
  payee: { key: string; name?: string | undefined; country?: string | undefined };
  category: string;
  rail: Rail;
  amount: EventInput['payment']['amount'];
  /** Milliseconds since 1970. */
  occurred_at: number;
  failure: { code?: string | undefined; message?: string | undefined };
  /** The refund it reports, if other notices may report it too. */
  refund: RefundNotice;
  /** The capture it reports, if its authorization may have several. */
  capture: CaptureNotice;
};

/** Why a notice could not become an event. `item` is its position in the body; `path` is in the body, or in the event made from it. */
export type ReadingProblem = { item: number; code: string; message: string; path?: string | undefined };

/** The facts that are present. */
export const withoutMissing = <T extends object>(facts: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null && value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };

/** A service's text as one line, as in the members of an event; null when nothing remains. */
export function oneLineOf(value: unknown, most: number): string | null {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string') return null;
  const line = text
    .slice(0, most * 2)
    .replaceAll(controls, ' ')
    .trim();
  return line.slice(0, most).toWellFormed().trim() || null;
}

// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f-\u009f]+/g;
