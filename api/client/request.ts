import { type ErrorBody, errorOf, OversightError } from './error.ts';
import { tell } from './listeners.ts';

export type Connection = {
  /** The address of the service, such as `https://oversight.example.com`. */
  url: string;
  /** An API key. */
  key: string;
  /** How long a request is retried without a successful answer, in milliseconds; a minute when omitted. */
  patience?: number;
  /** Whether to compress bodies; by default only when the service is on another machine. */
  compress?: boolean;
  /** Aborts everything at once; requests in progress may still be stored. */
  signal?: AbortSignal;
  /** Called with the reason and the milliseconds whenever sending pauses. */
  onWait?: (reason: string, milliseconds: number) => void;
  /** Sends a request; the global `fetch` when omitted. */
  fetch?: Fetch;
  clock?: Clock;
};

/** As much of `fetch` as is needed here. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string | ArrayBuffer;
    signal: AbortSignal;
    redirect: 'manual';
  },
) => Promise<{ status: number; headers: { get(name: string): string | null }; arrayBuffer(): Promise<ArrayBuffer> }>;

/** `now` in milliseconds, from any starting point. */
export type Clock = { now: () => number; sleep: (milliseconds: number, signal?: AbortSignal) => Promise<unknown> };

export type ClientRequest = {
  method: string;
  path: string;
  text?: string;
  headers?: Record<string, string>;
  /** Requests of one lane pause together when the service asks for a pause. */
  lane: string;
  /** Whether it may be sent twice; otherwise it is repeated only if the service said that it did nothing. */
  repeatable: boolean;
  patience?: number;
  signal?: AbortSignal;
};

/** `body` is the parsed JSON, or the bytes of a file; null if there is none. `retry_after` is in seconds. */
export type Reply = {
  status: number;
  headers: { get(name: string): string | null };
  body: unknown;
  retry_after: number | null;
};

const SECOND = 1_000;
const PATIENCE = 60 * SECOND;
/** How long one answer may take; the first and the longest pauses that the service has not asked for. */
const ANSWER_WITHIN = 60 * SECOND;
const FIRST_PAUSE = SECOND / 2;
const LONGEST_PAUSE = 30 * SECOND;
/** The longest pause that the service may ask for, and the shortest body worth compressing. */
const LONGEST_ASKED = 60 * 60 * SECOND;
const WORTH_COMPRESSING = 1_024;

/**
 * Sends a request until it is answered. When the service says when to retry (`Retry-After`, or `RateLimit` with nothing left), all requests
 * of the lane wait until then; when it fails or is unreachable, each waits by itself, longer each time. Returns the answer, errors
 * included. Throws OversightError when patience ends or the address does not speak TLS, and the reason of `signal`; and at once a TypeError
 * where `url` is not one of http or https.
 */
export function createRequest(connection: Connection): (asked: ClientRequest) => Promise<Reply> {
  const { url, onWait, clock = realClock } = connection;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new TypeError(
      `url must begin with https:// or http://, such as https://oversight.example.com. It was ${url}.`,
    );
  const { compress = !isNear(url) && 'CompressionStream' in globalThis } = connection;
  const opens = new Map<string, number>();

  return async request => {
    const { text = '', lane, patience = connection.patience ?? PATIENCE } = request;
    const body = compress && text.length > WORTH_COMPRESSING ? await squeeze(text) : request.text;
    const signal = anyOf([connection.signal, request.signal]);
    let failing_since: number | null = null;
    for (let failures = 0; ; failures += 1) {
      signal?.throwIfAborted();
      for (let wait = waitOf(opens, lane, clock); wait > 0; wait = waitOf(opens, lane, clock))
        await clock.sleep(wait, signal);
      const { reply, reason } = await attempt(connection, request, body, signal);
      signal?.throwIfAborted();
      const now = clock.now();
      const exhausted = exhaustedFor(reply?.headers.get('ratelimit'));
      if (exhausted > 0) opens.set(lane, now + exhausted);
      if (reply && !isPassing(reply, request)) return reply;
      failing_since ??= now;
      const asked_wait = reply && reply.retry_after !== null ? reply.retry_after * SECOND : null;
      const is_over = now - failing_since >= patience || (asked_wait ?? 0) > patience || !(reply || request.repeatable);
      if (is_over && hasWords(reply)) throw errorOf(reply, url);
      if (is_over)
        throw new OversightError(
          'unavailable',
          `${url} has not taken anything for ${Math.round((now - failing_since) / SECOND)} s: ${reason}.`,
          { status: reply?.status, retry_after: reply?.retry_after },
        );
      const backoff = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures) * (1 + Math.random()) * 0.5;
      // A pause of zero, or a time already past by this clock, is no reason to hurry.
      const wait = Math.max(asked_wait ?? 0, backoff);
      tell(() => onWait?.(reason, wait), null);
      if (asked_wait === null) await clock.sleep(wait, signal);
      else opens.set(lane, Math.max(opens.get(lane) ?? 0, now + wait));
    }
  };
}

type Tried = { reply: Reply | null; reason: string };

async function attempt(
  { url, key, fetch = globalThis.fetch }: Connection,
  { method, path, headers }: ClientRequest,
  body: string | ArrayBuffer | undefined,
  signal: AbortSignal | undefined,
): Promise<Tried> {
  const timeout = AbortSignal.timeout(ANSWER_WITHIN);
  try {
    const response = await fetch(url.replace(/\/+$/, '') + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(body instanceof ArrayBuffer && { 'content-encoding': 'gzip' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      signal: anyOf([signal, timeout]) ?? timeout,
      // The key is for this address alone.
      redirect: 'manual',
    });
    const { status } = response;
    const bytes = await response.arrayBuffer();
    const is_file = /^application\/(?:zip|octet-stream)/.test(response.headers.get('content-type') ?? '');
    const is_good = status >= 200 && status < 300;
    const parsed = is_file || bytes.byteLength === 0 ? { value: is_file ? bytes : null } : jsonOf(bytes);
    // A truncated answer is no answer.
    if (is_good && !parsed) return { reply: null, reason: 'its answer is not JSON' };
    const retry_after = retryAfter(response.headers.get('retry-after'));
    const reply = { status, headers: response.headers, body: parsed?.value ?? null, retry_after };
    const said = messageOf(reply);
    return { reply, reason: said === null ? `it answers ${status}` : `it answers ${status}: ${said}` };
  } catch (thrown) {
    if (codeOf(thrown) === 'ERR_SSL_WRONG_VERSION_NUMBER')
      throw new OversightError('not_found', `${url} does not answer with TLS. Does its address begin with http://?`);
    return { reply: null, reason: timeout.aborted ? 'it does not answer in time' : failureOf(thrown) };
  }
}

/** The service's own words about an error, without the period at their end. */
const messageOf = ({ body }: Reply): string | null => {
  const message = (body as Partial<ErrorBody> | null)?.error?.message;
  return typeof message === 'string' ? message.replace(/\.$/, '') : null;
};

/** Whether a later retry may get another answer and does no harm. */
function isPassing({ status, retry_after }: Reply, { repeatable, headers }: ClientRequest): boolean {
  if (status === 409) return retry_after !== null && headers?.['idempotency-key'] !== undefined;
  if (status === 429 || status === 503) return repeatable || retry_after !== null;
  return repeatable && (status === 408 || status >= 500);
}

const hasWords = (reply: Reply | null): reply is Reply =>
  typeof (reply?.body as { error?: { code?: unknown } } | null)?.error?.code === 'string';

/** The seconds until the time in a Retry-After: seconds, or an HTTP date (RFC 9110, 10.2.3). Null if there is none. */
function retryAfter(text: string | null): number | null {
  if (!text) return null;
  const wait = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - Date.now();
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), LONGEST_ASKED) / SECOND;
}

/** The milliseconds until an exhausted quota is refilled (draft-ietf-httpapi-ratelimit-headers-10). */
function exhaustedFor(text: string | null | undefined): number {
  const members = (text ?? '').matchAll(/;r=(\d+);t=(\d+)/g);
  const waits = [...members].map(([, remaining, seconds]) => (remaining === '0' ? Number(seconds) * SECOND : 0));
  return Math.min(Math.max(0, ...waits), LONGEST_ASKED);
}

const waitOf = (opens: ReadonlyMap<string, number>, lane: string, clock: Clock) => (opens.get(lane) ?? 0) - clock.now();

function jsonOf(bytes: ArrayBuffer): { value: unknown } | null {
  try {
    return { value: JSON.parse(new TextDecoder().decode(bytes)) };
  } catch {
    return null;
  }
}

const codeOf = (thrown: unknown): unknown => {
  const { code, cause } = thrown as { code?: unknown; cause?: { code?: unknown } };
  return code ?? cause?.code;
};

function failureOf(thrown: unknown): string {
  const name = codeOf(thrown);
  return typeof name === 'string' ? `it does not answer (${name})` : 'the connection broke';
}

function anyOf(signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const present = signals.filter(signal => signal !== undefined);
  return present.length > 1 ? AbortSignal.any(present) : present[0];
}

const squeeze = (text: string): Promise<ArrayBuffer> =>
  new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer();

const isNear = (url: string): boolean => /^(localhost|127\..*|\[::1\])$/.test(new URL(url).hostname);

const realClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) =>
    new Promise<void>((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', end);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', end, { once: true });
    }),
};
