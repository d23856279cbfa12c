import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { event } from '#test/helpers/make.ts';

/** Payments a request; how long a client waits before it asks again, and before it sends the next, in milliseconds. */
const BATCH = 20;
const AGAIN = 200;
const PACE = 300;
/** A client that was told nothing for so long gives up and sends the same again. */
const TIMEOUT = 30_000;

type Sent = ReturnType<typeof event>;

/**
 * What a client was told while a fault lasted: answers by status (0: none came), the longest that it waited, in milliseconds, and how many refusals
 * did not say when to try again.
 */
export type Answers = { statuses: Map<number, number>; worst: number; untold: number };

/** A client that sends events without a pause, and writes down which of them were acknowledged. */
export type Book = {
  acknowledged: Set<string>;
  /** Answers from now on are counted anew. */
  open(): void;
  answers(): Answers;
  /**
   * Sends a payment that is made twice for one tool call, until it is acknowledged; returns the id of the second event. Throws an Error where it
   * is not taken within `patience` milliseconds.
   */
  probe(patience: number): Promise<string>;
  close(): Promise<void>;
};

export function keepBook(address: string, key: string, connections: number): Book {
  const dispatcher = new Agent({ connections, headersTimeout: TIMEOUT, bodyTimeout: TIMEOUT });
  const acknowledged = new Set<string>();
  const none = (): Answers => ({ statuses: new Map(), worst: 0, untold: 0 });
  let answers = none();
  let isOpen = true;
  let number = 0;

  const post = async (events: Sent[]): Promise<boolean> => {
    const began = performance.now();
    const told = answers;
    let status = 0;
    try {
      const answer = await request(`${address}/v1/events`, {
        method: 'POST',
        dispatcher,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ events }),
      });
      const body = (await answer.body.json()) as { accepted?: number; duplicates?: number };
      status = answer.statusCode;
      if (status >= 400 && answer.headers['retry-after'] === undefined) told.untold += 1;
      if ((body.accepted ?? 0) + (body.duplicates ?? 0) === events.length)
        for (const { id } of events) acknowledged.add(id);
    } catch {
      // No answer: the connection was refused, cut or silent.
    }
    told.statuses.set(status, (told.statuses.get(status) ?? 0) + 1);
    told.worst = Math.max(told.worst, performance.now() - began);
    return events.every(({ id }) => acknowledged.has(id));
  };
  /** Payments of two hundred agents; the last two are one tool call paid twice, to a payee of its own. */
  const batch = (size: number): Sent[] => {
    number += 1;
    const cents = () => String(500 + ((number * 7919) % 2_000));
    const ordinary = Array.from({ length: size - 2 }, (_, index) =>
      event({
        agent: `agent-${(number * BATCH + index) % 200}`,
        payee: `domain:api-${index % 20}.example.com`,
        cents: cents(),
      }),
    );
    const twice = [1, 2].map(() =>
      event({
        agent: `agent-${number % 200}`,
        payee: `domain:twice-${number}.example.com`,
        more: { context: { tool_call_id: `call-${number}` } },
      }),
    );
    return [...ordinary, ...twice];
  };
  const sending = Array.from({ length: connections }, async () => {
    while (isOpen) {
      const events = batch(BATCH);
      while (isOpen && !(await post(events))) await pause(AGAIN);
      await pause(PACE);
    }
  });
  return {
    acknowledged,
    open: () => void (answers = none()),
    answers: () => answers,
    async probe(patience) {
      const events = batch(2);
      const began = performance.now();
      while (!(await post(events))) {
        if (performance.now() - began > patience) throw new Error('the service takes no event any more');
        await pause(AGAIN);
      }
      return events.at(-1)?.id ?? '';
    },
    async close() {
      isOpen = false;
      await Promise.all(sending);
      await dispatcher.close();
    },
  };
}
