import { z } from 'zod';
import { ChainUnavailable } from './chain_unavailable.ts';
import { JsonError, parseStrictJson } from '#shared/json/strict_json.ts';

/** Where and how to call; `timeout` in milliseconds covers the whole answer. */
export type CallOptions = {
  fetch: typeof fetch;
  url: string;
  headers: Record<string, string>;
  network: string;
  timeout: number;
};

/** One JSON-RPC 2.0 call over HTTP; returns the result as `schema` reads it, throws `ChainUnavailable` and nothing else. */
export async function callRpc<T>(
  options: CallOptions,
  method: string,
  params: readonly unknown[],
  schema: z.ZodType<T>,
): Promise<T> {
  const { network } = options;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = Envelope.safeParse(parse(await post(options, body), network));
  if (!answer.success) throw new ChainUnavailable('invalid_answer', network);
  if (answer.data.error !== undefined && answer.data.error !== null) throw new ChainUnavailable('rpc_error', network);
  const result = schema.safeParse(answer.data.result);
  if (!result.success) throw new ChainUnavailable('invalid_answer', network);
  return result.data;
}

const Envelope = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.literal(1).nullable(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});

const MOST_BYTES = 1_048_576;

async function post({ fetch, url, headers, network, timeout }: CallOptions, body: string): Promise<Buffer> {
  const signal = AbortSignal.timeout(timeout);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
      body,
      signal,
      // A redirect could lead the key in the URL, or the call, anywhere.
      redirect: 'manual',
    });
    if (response.status === 200) return await readBody(response, network);
    await response.body?.cancel();
    throw new ChainUnavailable(faultOf(response.status), network);
  } catch (error) {
    if (error instanceof ChainUnavailable) throw error;
    throw new ChainUnavailable(signal.aborted ? 'timeout' : 'unreachable', network);
  }
}

function faultOf(status: number) {
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'unreachable' : 'refused';
}

async function readBody(response: Response, network: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new ChainUnavailable('answer_too_large', network);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(bytes: Buffer, network: string): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (error instanceof JsonError) throw new ChainUnavailable('invalid_answer', network);
    throw error;
  }
}
