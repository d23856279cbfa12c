import type { Client } from './client.ts';
import { type AxiosLike, type FetchLike, listenTo, type SentPayment } from './x402_traffic.ts';
import { type EventsOf, type Payer, readPayment } from './x402_event.ts';

export type ObserveOptions = Payer & {
  client: Pick<Client, 'events'>;
  /** Hears why a payment could not be reported. The payment itself goes on. */
  onError?: (error: Error) => void;
};

/** How many payments may wait to be reported; beyond it they are not, and `onError` hears of it. */
const MOST_WAITING = 1_000;

/**
 * Reports what an agent pays over x402: what was asked for, what was signed and what was settled, as the events of one payment with the
 * messages as their evidence. Give it what x402 sends its requests with: `wrapFetchWithPayment(observeX402(fetch, …), x402)`, or
 * `wrapAxiosWithPayment(observeX402(axios.create(), …), x402)`. It neither delays a payment nor lets one fail: it reports in the background.
 */
export function observeX402<T extends FetchLike | AxiosLike>(target: T, options: ObserveOptions): T {
  const { client } = options;
  const readings = new WeakMap<SentPayment, Promise<EventsOf>>();
  let waiting = 0;
  const tell = (thrown: unknown) => {
    try {
      options.onError?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } catch {
      // What listens must not make a payment fail either.
    }
  };
  const report = (act: () => Promise<unknown>) => {
    if (waiting >= MOST_WAITING) return tell(new Error('Too many payments wait to be reported; one was left out.'));
    waiting += 1;
    void act()
      .catch(tell)
      .finally(() => {
        waiting -= 1;
      });
  };
  return listenTo(target, {
    sent: payment =>
      report(async () => {
        const reading = readPayment(payment, options);
        readings.set(payment, reading);
        const { requested, authorized } = await reading;
        await Promise.all([client.events.add(requested()), client.events.add(authorized())]);
      }),
    answered: (payment, answer) =>
      report(async () => {
        const event = (await readings.get(payment)?.catch(() => null))?.ended(answer);
        if (event) await client.events.add(event);
      }),
  });
}
