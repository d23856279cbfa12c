import type { EventType } from '#shared/values/event_types.ts';

/** What a webhook says of a payment, as far as it can be held against an event. Null and empty: it does not say. */
export type PspStatement = {
  /** Tells the notice from all others of the service. */
  notice: string | null;
  /** When what it speaks of happened, in ms since 1970. */
  happened_at: number | null;
  /** Whatever may be the payment's id: the service's own ids, and references of the merchant. */
  references: readonly string[];
  /** Texts of the merchant's own (metadata): one may be the payment's id, the others say nothing of it. */
  mentions: readonly string[];
  /** Any of these is right: minor units as ISO 4217 has them; null for an amount that is no whole number of them. */
  amounts: readonly (bigint | null)[];
  /** A dispute may be about a part of the payment. */
  partial: boolean;
  /** ISO 4217. */
  currency: string | null;
  /** Types of event that it bears out. */
  types: readonly EventType[] | null;
  /** The service's ids of whoever is paid. */
  merchants: readonly string[];
  /** Real money, or a test. */
  live: boolean | null;
};

export const silent: PspStatement = {
  notice: null,
  happened_at: null,
  references: [],
  mentions: [],
  amounts: [],
  partial: false,
  currency: null,
  types: null,
  merchants: [],
  live: null,
};
