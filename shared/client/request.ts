import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';

export type RequestOptions = {
  /** The address of the service, such as `https://oversight.example.com`. */
  url: string;
  /** An API key with the scope `events:write`. */
  key: string;
  /** How long the service may go without one good answer, in milliseconds, before it is given up; 15 minutes when left out. */
  patience?: number;
  /** Whether bodies are sent compressed; when left out, where the service is on another machine. */
  compress?: boolean;
  /** Ends everything at once; what is under way then may be stored. */
  signal?: AbortSignal;
  /** Hears why, and for how many milliseconds, nothing is sent. */
  onWait?: (reason: string, milliseconds: number) => void;
  clock?: Clock;
};

/** `now` in milliseconds from anywhere on. */
export type Clock = { now: () => number; sleep: (milliseconds: number, signal?: AbortSignal) => Promise<unknown> };

export type Reply = { status: number; body: unknown };

/** Why nothing can be sent any more. `code` is that of the service's answer; `unavailable` when there was none for too long. */
export class IngestError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'IngestError';
    this.code = code;
  }
}

const SECOND = 1_000;
const PATIENCE = 15 * 60 * SECOND;
/** How long one answer may take, and how long the first and the longest pauses are that the service has not asked for. */
const ANSWER_WITHIN = 60 * SECOND;
const FIRST_PAUSE = SECOND / 2;
const LONGEST_PAUSE = 30 * SECOND;
/** The longest pause that the service may ask for. */
const LONGEST_ASKED = 60 * 60 * SECOND;

const realClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) => pause(milliseconds, undefined, { signal }),
};

/**
 * Asks the service until it answers. Where it says when to come again (`Retry-After`), all requests wait until then; where it fails or is
 * away, each waits by itself, longer each time. Throws `IngestError` when patience ends, and the reason of `signal`.
 */
export function createRequest(options: RequestOptions) {
  const { url, patience = PATIENCE, signal, onWait = () => {}, clock = realClock } = options;
  const { compress = !isNear(url) } = options;
  let open_at = clock.now();
  let failing_since: number | null = null;

  return async (method: 'GET' | 'POST', path: string, text?: string): Promise<Reply> => {
    const body = text !== undefined && compress ? await squeeze(text, FAST) : text;
    for (let failures = 0; ; failures += 1) {
      while (clock.now() < open_at) await clock.sleep(open_at - clock.now(), signal);
      const tried = await attempt(options, method, path, body, compress);
      signal?.throwIfAborted();
      if ('status' in tried) {
        failing_since = null;
        return tried;
      }
      failing_since ??= clock.now();
      if (clock.now() - failing_since >= patience)
        throw new IngestError(
          'unavailable',
          `${url} has not taken anything for ${Math.round(patience / SECOND)} s: ${tried.reason}.`,
        );
      const backoff = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures) * (1 + Math.random()) * 0.5;
      // A wait of nothing, or a time that is over by this clock, is no reason to hurry.
      const wait = Math.max(tried.retry_after ?? 0, backoff);
      onWait(tried.reason, wait);
      if (tried.retry_after === null) await clock.sleep(wait, signal);
      else open_at = Math.max(open_at, clock.now() + wait);
    }
  };
}

type Tried = Reply | { reason: string; retry_after: number | null };

async function attempt(
  { url, key, signal }: RequestOptions,
  method: string,
  path: string,
  body: Buffer | string | undefined,
  compress: boolean,
): Promise<Tried> {
  const timeout = AbortSignal.timeout(ANSWER_WITHIN);
  try {
    const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    // Not fetch: it takes a third more time and twice the memory for bodies of this size.
    const { request, agent } = url.startsWith('https:') ? secure : plain;
    const headers = {
      authorization: `Bearer ${key}`,
      ...(compress && { 'accept-encoding': 'gzip' }),
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(compress && { 'content-encoding': 'gzip' }),
      }),
    };
    request(
      url.replace(/\/+$/, '') + path,
      { method, headers, agent, signal: signal ? AbortSignal.any([signal, timeout]) : timeout },
      resolve,
    )
      .on('error', reject)
      .end(body);
    const response = await answered;
    const { statusCode: status = 0, headers: told } = response;
    const bytes = await buffer(response);
    const text = String(told['content-encoding'] === 'gzip' ? await expand(bytes) : bytes);
    if (status === 429 || status === 408 || status >= 500)
      return { reason: `it answers ${status}`, retry_after: retryAfter(told['retry-after']) };
    // What is answered in part was not answered.
    if (status === 200) return { status, body: JSON.parse(text) as unknown };
    return { status, body: jsonOrNull(text) };
  } catch (thrown) {
    return { reason: timeout.aborted ? 'it does not answer in time' : failureOf(thrown), retry_after: null };
  }
}

const plain = { request: http.request, agent: new http.Agent({ keepAlive: true }) };
const secure = { request: https.request, agent: new https.Agent({ keepAlive: true }) };

/** Milliseconds until the time that a Retry-After names: seconds, or an HTTP date (RFC 9110, 10.2.3). Null where it names none. */
function retryAfter(text: string | undefined): number | null {
  if (!text) return null;
  const wait = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - Date.now();
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), LONGEST_ASKED);
}

function failureOf(thrown: unknown): string {
  if (thrown instanceof SyntaxError) return 'its answer is not JSON';
  const { code } = thrown as { code?: unknown };
  return typeof code === 'string' ? `it does not answer (${code})` : 'the connection broke';
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const [squeeze, expand] = [promisify(gzip), promisify(gunzip)];
/** What it saves on the way, it must not cost here. */
const FAST = { level: constants.Z_BEST_SPEED };

const isNear = (url: string): boolean => /^(localhost|127\..*|\[::1\])$/.test(new URL(url).hostname);
