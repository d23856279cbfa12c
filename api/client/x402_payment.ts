/** A payment on its way: a request that carries one (x402 version 1 or 2), and the terms that were asked for before, as they came. */
export type SentPayment = {
  url: string;
  /** Whether only the seller says that this is the address. */
  is_declared?: boolean;
  /** Empty where it is not known. */
  method: string;
  /** The header `PAYMENT-SIGNATURE`, or `X-PAYMENT` of version 1. */
  payload: string;
  /** When it was sent, in milliseconds since 1970. */
  at: number;
  /** The header `PAYMENT-REQUIRED`, or the body of version 1; null where what is paid was not asked for here. */
  required: Promise<Asking | null>;
};

/** `forget` says that it is paid. */
export type Asking = { at: number; text: string; forget: () => void };

/** What came back for a payment: the header `PAYMENT-RESPONSE` or `X-PAYMENT-RESPONSE`, and what is required after all. */
export type PaymentAnswer = { status: number; at: number; settlement: string | null; required: string | null };

export type Listener = {
  /** Holds the payment until it is done; what it throws, whoever pays gets instead of an answer. */
  before?: (payment: SentPayment) => Promise<void>;
  sent?: (payment: SentPayment) => void;
  answered?: (payment: SentPayment, answer: PaymentAnswer) => void;
  /** Something was paid that did not pass here. */
  missed?: (url: string) => void;
};
