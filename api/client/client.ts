import { type ArgsOf, type DataOf, type Operation, requestOf } from './call.ts';
import { errorOf } from './error.ts';
import { type BufferOptions, createEventBuffer, type EventBuffer } from './event_buffer.ts';
import { type Connection, createRequest } from './request.ts';
import { createSendEvents, type Sending } from './send_events.ts';

export type ClientOptions = Connection & {
  /** How events are collected and sent. */
  events?: BufferOptions & Sending;
};

export type CallOptions = {
  /** Identifies what a POST does, so that it is done once, however often it is sent. Generated when omitted. */
  idempotency_key?: string;
  /** How long the request is retried, in milliseconds; the client's `patience` when omitted. */
  patience?: number;
  /** Ends the call, which then throws. */
  signal?: AbortSignal;
};

/** The arguments and options of a call; optional when the operation needs none. */
type CallArgs<O extends Operation> =
  Record<string, never> extends ArgsOf<O>
    ? [args?: ArgsOf<O>, options?: CallOptions]
    : [args: ArgsOf<O>, options?: CallOptions];

/** The operations that return pages, and their items. */
export type ListOperation = { [O in Operation]: DataOf<O> extends Page ? O : never }[Operation];
export type ItemOf<O extends Operation> = Extract<DataOf<O>, Page>['data'][number];
type Page = { data: readonly unknown[]; next_cursor: string | null };

export type Client = ReturnType<typeof createClient>;

/**
 * Creates a client of the service: `createClient({ url, key })`. It waits and retries while the service is busy or unreachable, and does
 * nothing twice. Throws a TypeError where `url` is no http or https URL.
 */
export function createClient(options: ClientOptions) {
  const request = createRequest(options);
  const patience = options.events?.patience ?? options.patience;
  const send = createSendEvents(request, options.url, { ...options.events, patience });
  let buffer: EventBuffer | undefined;

  /**
   * Calls the API and returns its answer: `client.call('GET /v1/events/{id}', { params: { id } })`. Options are the third argument, also where
   * there are no arguments: `client.call('GET /v1/me', {}, { signal })`; in the second one they have no effect. Throws OversightError, and a
   * TypeError where `params` lack one of the path.
   */
  async function call<O extends Operation>(operation: O, ...[args, how = {}]: CallArgs<O>): Promise<DataOf<O>> {
    const { method, path, text } = requestOf(operation, args ?? ({} as ArgsOf<O>));
    const { idempotency_key = crypto.randomUUID(), patience, signal } = how;
    // Events have ids of their own.
    const is_named = method === 'POST' && !operation.startsWith('POST /v1/events');
    const reply = await request({
      method,
      path,
      text,
      lane: operation,
      repeatable: method !== 'PATCH',
      patience,
      signal,
      ...(is_named && { headers: { 'idempotency-key': idempotency_key } }),
    });
    if (reply.status < 200 || reply.status >= 300) throw errorOf(reply, options.url);
    return reply.body as DataOf<O>;
  }

  return {
    call,

    /** Iterates over all items of a list: `for await (const alert of client.list('GET /v1/alerts', { query }))`. Throws OversightError. */
    async *list<O extends ListOperation>(operation: O, ...[args, how]: CallArgs<O>): AsyncGenerator<ItemOf<O>> {
      let cursor: string | null | undefined;
      do {
        const input = args as { query?: object } | undefined;
        const query = { limit: 200, ...input?.query, ...(cursor && { cursor }) };
        const page = (await call(operation, ...([{ ...input, query }, how] as unknown as CallArgs<O>))) as Page;
        yield* page.data as ItemOf<O>[];
        cursor = page.next_cursor;
      } while (cursor !== null);
    },

    /**
     * Sends many existing events, and yields their outcomes in order. It takes arrays of `{ json, agent }`: the event with its id, as
     * `JSON.stringify(paymentEvent(…))` makes it, and the agent whose events keep their order. See `Outgoing`.
     */
    send,

    /** Collects events as they happen and sends them in the background. */
    get events(): EventBuffer {
      buffer ??= createEventBuffer(send, options.events, options.signal);
      return buffer;
    },
  };
}
