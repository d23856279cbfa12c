import type { Listener, SentPayment } from './x402_payment.ts';

/** As much of the `x402Client` of @x402/core as is needed. */
export type X402ClientLike = {
  onAfterPaymentCreation(
    hook: (made: { paymentRequired: PaymentRequired; paymentPayload: object }) => Promise<void>,
  ): unknown;
  onPaymentResponse(
    hook: (came: { paymentPayload: object; settleResponse?: object; paymentRequired?: object }) => Promise<void>,
  ): unknown;
};
type PaymentRequired = { accepts: readonly object[]; resource?: object };

/**
 * Listens to the payments of an x402 client, wherever its requests go. It does not see the requested address, only what the seller calls
 * it, nor the outcome of version 1 payments.
 */
export function listenToClient(client: X402ClientLike, listener: Listener): void {
  const payments = new WeakMap<object, SentPayment>();
  client.onAfterPaymentCreation(async ({ paymentRequired, paymentPayload }) => {
    const at = Date.now();
    const required = Promise.resolve({ at, text: JSON.stringify(paymentRequired), forget: () => {} });
    const payment = {
      url: urlOf(paymentRequired),
      is_declared: true,
      method: '',
      payload: header(paymentPayload),
      at,
      required,
    };
    await listener.before?.(payment);
    payments.set(paymentPayload, payment);
    listener.sent?.(payment);
  });
  client.onPaymentResponse(async ({ paymentPayload, settleResponse, paymentRequired }) => {
    const payment = payments.get(paymentPayload);
    if (!payment || !(settleResponse || paymentRequired)) return;
    listener.answered?.(payment, {
      status: paymentRequired ? 402 : 200,
      at: Date.now(),
      settlement: settleResponse ? JSON.stringify(settleResponse) : null,
      required: paymentRequired ? JSON.stringify(paymentRequired) : null,
    });
  });
}

function urlOf({ resource, accepts }: PaymentRequired): string {
  const [first] = accepts;
  const declared = [resource && 'url' in resource && resource.url, first && 'resource' in first && first.resource];
  return declared.find(each => typeof each === 'string') ?? '';
}

/** In the form of the header, so that a payment has one digest. */
const header = (payload: object): string =>
  btoa(Array.from(new TextEncoder().encode(JSON.stringify(payload)), byte => String.fromCharCode(byte)).join(''));
