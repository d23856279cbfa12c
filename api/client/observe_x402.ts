import type { Client } from './client.ts';
import type { NewEvent } from './event_buffer.ts';
import { errorFrom, tell } from './listeners.ts';
import type { SentPayment } from './x402_payment.ts';
import { listenTo, type Payable } from './x402_traffic.ts';
import { type EventsOf, type Payer, readPayment } from './x402_event.ts';

export type ObserveOptions = Payer & {
  client: Pick<Client, 'events'>;
  /** Called when a payment could not be reported, or its events were refused. The payment itself goes on. */
  onError?: (error: Error) => void;
};

/** How many events may be waiting; beyond that they are not reported, and `onError` is called. */
const MOST_WAITING = 2_000;

/**
 * Reports what an agent pays over x402: what was asked for, signed and settled, as the events of one payment with the messages as their
 * evidence. Wrap what x402 sends its requests with: `wrapFetchWithPayment(observeX402(fetch, …), x402)`, or
 * `wrapAxiosWithPayment(observeX402(axios.create(), …), x402)`. It reports in the background, so that no payment is delayed or fails by it.
 * Wrapped around the paying fetch, it sees no payments, and `onError` is told. If the inner fetch is not accessible, wrap the x402 client:
 * then the requested address is unknown, and for version 1 the outcome of payments.
 */
export function observeX402<T extends Payable>(target: T, options: ObserveOptions): T {
  const { client, onError } = options;
  const readings = new WeakMap<SentPayment, Promise<EventsOf>>();
  let waiting = 0;
  const report = (event: Promise<NewEvent | null>) => {
    if (waiting >= MOST_WAITING) {
      event.catch(() => {});
      return tell(onError, new Error('Too many payments wait to be reported; one was left out.'));
    }
    waiting += 1;
    client.events
      .add(event, ({ status, error }) => {
        if (status === 'rejected' || status === 'conflict')
          tell(
            onError,
            new Error(`A payment was not taken (${status}): ${error?.message ?? 'its id is another event’s'}`),
          );
      })
      .catch((thrown: unknown) => tell(onError, errorFrom(thrown)))
      .finally(() => {
        waiting -= 1;
      });
  };
  return listenTo(target, {
    sent(payment) {
      const reading = readPayment(payment, options);
      readings.set(payment, reading);
      report(reading.then(events => events.requested()));
      // The reason is reported once.
      report(
        reading.then(
          events => events.authorized(),
          () => null,
        ),
      );
    },
    answered(payment, answer) {
      const reading = readings.get(payment) ?? Promise.resolve(null);
      report(
        reading.then(
          events => events?.ended(answer) ?? null,
          () => null,
        ),
      );
    },
    missed: url =>
      tell(
        onError,
        new Error(
          `A payment to ${url} was not seen: give observeX402 the inner fetch: wrapFetchWithPayment(observeX402(fetch, …), x402).`,
        ),
      ),
  });
}
