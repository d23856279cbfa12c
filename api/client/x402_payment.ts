/** A payment being sent: a request that carries one (x402 version 1 or 2), and the terms that were asked for before, unchanged. */
export type SentPayment = {
  url: string;
  /** Whether the address is only what the seller says it is. */
  is_declared?: boolean;
  /** Empty if unknown. */
  method: string;
  /** The header `PAYMENT-SIGNATURE`, or `X-PAYMENT` of version 1. */
  payload: string;
  /** When it was sent, in milliseconds since 1970. */
  at: number;
  /** The header `PAYMENT-REQUIRED`, or the body of version 1; null if the payment was not asked for here. */
  required: Promise<Asking | null>;
};

/** `forget` marks it as paid. */
export type Asking = { at: number; text: string; forget: () => void };

/** The answer to a payment: the header `PAYMENT-RESPONSE` or `X-PAYMENT-RESPONSE`, and the terms if payment is still required. */
export type PaymentAnswer = { status: number; at: number; settlement: string | null; required: string | null };

export type Listener = {
  /** Holds the payment until it resolves; what it throws is thrown to the payer instead of an answer. */
  before?: (payment: SentPayment) => Promise<void>;
  sent?: (payment: SentPayment) => void;
  answered?: (payment: SentPayment, answer: PaymentAnswer) => void;
  /** A payment was made that did not pass through here. */
  missed?: (url: string) => void;
};
