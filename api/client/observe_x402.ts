import type { Client } from './client.ts';
import type { NewEvent } from './event_buffer.ts';
import { errorFrom, tell } from './listeners.ts';
import type { SentPayment } from './x402_payment.ts';
import { listenTo, type Payable } from './x402_traffic.ts';
import { type EventsOf, type Payer, readPayment } from './x402_event.ts';

export type ObserveOptions = Payer & {
  client: Pick<Client, 'events'>;
  /** Hears why a payment could not be reported, or was not taken. The payment itself goes on. */
  onError?: (error: Error) => void;
};

/** How many events may wait to be reported; beyond it they are not, and `onError` hears of it. */
const MOST_WAITING = 2_000;

/**
 * Reports what an agent pays over x402: what was asked for, what was signed and what was settled, as the events of one payment with the
 * messages as their evidence. Give it what x402 sends its requests with: `wrapFetchWithPayment(observeX402(fetch, …), x402)`, or
 * `wrapAxiosWithPayment(observeX402(axios.create(), …), x402)`. It neither delays a payment nor lets one fail: it reports in the background.
 * Around the fetch that pays it sees no payment, and `onError` hears so. Where the inner fetch is not at hand, give it the client of x402: then
 * what was requested is not known, nor what came of payments of version 1.
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
      // Why it cannot be read is told once.
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
