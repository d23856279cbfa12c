import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { asError } from '#shared/interface/errors.ts';
import { ErrorBody } from '#shared/interface/schemas.ts';
import { SECOND } from '#shared/values/time.ts';

/** The HTTP API of a service as one of its clients sees it. */
export type Service = { address: string; key: string };

/** How long one request may take, how long the service may be away in all, and the longest pause between two tries. */
const ANSWER_WITHIN = 30 * SECOND;
const PATIENCE = 90 * SECOND;
const LONGEST_PAUSE = 2 * SECOND;

/**
 * Asks, and asks again while the service does not answer, is too busy or fails: it may be killed and started again in the middle.
 * What is sent must therefore mean the same the second time. Throws an Error that says what the service refused, or that it is gone.
 */
export async function ask<S extends z.ZodType>(
  { address, key }: Service,
  method: 'GET' | 'POST',
  path: string,
  answer: S,
  body?: unknown,
): Promise<z.infer<S>> {
  const started = performance.now();
  for (let pause = SECOND / 10; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    const tried = await attempt(address + path, method, key, body);
    if (tried.ok) return answer.parse(tried.body);
    if (!tried.passes) throw new Error(`${method} ${path} was refused: ${tried.reason}`);
    if (performance.now() - started > PATIENCE)
      throw new Error(`${address} has not answered for ${PATIENCE / SECOND} s: ${tried.reason}`);
    await sleep(pause);
  }
}

type Tried = { ok: true; body: unknown } | { ok: false; passes: boolean; reason: string };

async function attempt(url: string, method: string, key: string, body: unknown): Promise<Tried> {
  try {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_WITHIN),
    });
    const text = await response.text();
    if (response.ok) return { ok: true, body: JSON.parse(text) };
    const passes = response.status >= 500 || response.status === 429 || response.status === 408;
    return { ok: false, passes, reason: `${response.status} ${messageOf(text)}` };
  } catch (error) {
    // No connection, one that broke, or no answer in time.
    const { message, cause } = asError(error);
    return { ok: false, passes: true, reason: cause instanceof Error ? cause.message : message };
  }
}

function messageOf(text: string): string {
  try {
    const { error } = ErrorBody.parse(JSON.parse(text));
    return [error.message, ...(error.details ?? []).map(({ path, message }) => `${path} ${message}`)].join(' ');
  } catch {
    return text.slice(0, 200);
  }
}
