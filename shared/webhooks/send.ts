import type { Dispatcher } from 'undici';
import { asError } from '#shared/interface/errors.ts';
import { guardedConnector } from '#shared/outbound/connector.ts';
import { failureText } from '#shared/outbound/failure.ts';
import { type Resolve, TargetBlocked } from '#shared/outbound/target.ts';
import { undici } from '#shared/outbound/undici.ts';
import type { Config } from '#shared/settings/config.ts';
import { SECOND } from '#shared/values/time.ts';

/**
 * The result of one attempt: acknowledged (2xx); refused for good (a 3xx, another 4xx); failed but worth another attempt (5xx, 429, no
 * response); or blocked, because webhooks may not be sent to the target.
 */
export type Attempt = {
  outcome: 'delivered' | 'refused' | 'failed' | 'blocked';
  /** HTTP status, null without a response. */
  status: number | null;
  error: string | null;
  /** The first 4 KB of the response. */
  response: string | null;
  ms: number;
};

export type Send = (url: string, headers: Record<string, string>, body: Buffer) => Promise<Attempt>;

export type SenderOptions = {
  allow_private: boolean;
  https_only: boolean;
  /** Total milliseconds for one attempt. */
  timeout?: number;
  resolve?: Resolve;
};

/** Creates the sender of a process: it POSTs one attempt, follows no redirect, keeps connections open, and never throws. */
export function createSender({ allow_private, https_only, timeout = 10 * SECOND, resolve }: SenderOptions): Send {
  const open = () =>
    new (undici().Agent)({
      connect: guardedConnector({ allow_private, timeout, resolve }),
      // As many connections as attempts: at a host that many customers share, a hanging one must not delay the others.
      connections: null,
      allowH2: false,
      keepAliveMaxTimeout: 10 * SECOND,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  let dispatcher: Dispatcher | undefined;
  return async (url, headers, body) => {
    dispatcher ??= open();
    const began = performance.now();
    const result = await attempt(url, { dispatcher, method: 'POST', headers, body }, https_only, timeout);
    return { ...result, ms: Math.round(performance.now() - began) };
  };
}

/** The sender by this deployment's settings. */
export const senderOf = ({
  webhook_allow_private,
  environment,
}: Pick<Config, 'webhook_allow_private' | 'environment'>) =>
  createSender({ allow_private: webhook_allow_private, https_only: environment === 'production' });

type Options = { dispatcher: Dispatcher; method: 'POST'; headers: Record<string, string>; body: Buffer };

async function attempt(url: string, options: Options, https_only: boolean, timeout: number) {
  const deadline = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  // undici notices an abort only once connected; the race ends an attempt that never got that far.
  const timer = setTimeout(() => {
    const error = new DOMException(`no answer within ${timeout / SECOND} s`, 'TimeoutError');
    deadline.abort(error);
    reject(error);
  }, timeout);
  try {
    if (https_only && !url.startsWith('https:'))
      throw new TargetBlocked('only https targets are allowed in production');
    const answer = await Promise.race([undici().request(url, { ...options, signal: deadline.signal }), late]);
    const status = answer.statusCode;
    return { outcome: outcomeOf(status), status, error: null, response: await startOf(answer.body) };
  } catch (thrown) {
    const error = asError(thrown);
    const outcome = error instanceof TargetBlocked ? ('blocked' as const) : ('failed' as const);
    return { outcome, status: null, error: failureText(error), response: null };
  } finally {
    clearTimeout(timer);
  }
}

function outcomeOf(status: number): 'delivered' | 'refused' | 'failed' {
  if (status >= 200 && status < 300) return 'delivered';
  return status >= 500 || status === 429 ? 'failed' : 'refused';
}

const MOST_BYTES = 4_096;
/** The status decides; the text is only for the log and not worth a long wait. */
const TEXT_TIME = SECOND;

/** The start of a response's body as text that Postgres accepts; without anything that does not arrive in time. */
async function startOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  body.on('error', () => {});
  const timer = setTimeout(() => body.destroy(), TEXT_TIME);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MOST_BYTES) break;
    }
  } catch {
    // The response broke off: its beginning counts.
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  const bytes = Buffer.concat(chunks).subarray(0, MOST_BYTES);
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '');
}
