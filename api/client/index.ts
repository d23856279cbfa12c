// What `agent-payment-oversight/client` exports.
export { createClient } from './client.ts';
export type { CallOptions, Client, ClientOptions, ItemOf, ListOperation } from './client.ts';
export type { AnswerOf, ArgsOf, BodyOf, DataOf, Operation, QueryOf } from './call.ts';
export { OversightError } from './error.ts';
export type { ErrorBody, ErrorDetail } from './error.ts';
export type { BufferOptions, EventBuffer, NewEvent, SentEvent } from './event_buffer.ts';
export type { Connection, Fetch } from './request.ts';
export type { Outcome, Outgoing, Refusal, Sending, Status } from './send_events.ts';
export { createEventId } from './ids.ts';
export { atomic, minor } from './amounts.ts';
export type { Currency, Token } from './amounts.ts';
export {
  ach,
  balance,
  card,
  fps,
  lightning,
  paymentEvent,
  pix,
  rtp,
  sepa,
  stablecoin,
  upi,
  wire,
  x402,
} from './payment_events.ts';
export type { Paid, PaymentFacts, Step } from './payment_events.ts';
export { guard } from './guard.ts';
export type { Breach, GuardOptions } from './guard.ts';
export { observeX402 } from './observe_x402.ts';
export type { ObserveOptions } from './observe_x402.ts';
export { verifyWebhook } from './webhook.ts';
export type { Delivery, WebhookEvent } from './webhook.ts';
