import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { arrayBuffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Connection, Fetch } from '#api/client/request.ts';

/**
 * What sends the requests of the client here, with bodies compressed where the service is on another machine. Not the global fetch: it takes
 * a third more time and twice the memory for bodies of this size.
 */
export function createNodeFetch(url: string): Pick<Connection, 'fetch' | 'compress'> {
  const { protocol, hostname } = new URL(url);
  const { request, Agent } = protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true });
  const is_near = /^(localhost|127\..*|\[::1\])$/.test(hostname);
  const fetch: Fetch = async (target, { method, headers, body, signal }) => {
    const bytes = typeof body === 'string' && !is_near ? await squeeze(body, FAST) : body;
    const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = { ...headers, ...(bytes !== body && { 'content-encoding': 'gzip' }) };
    request(target, { method, headers: sent, agent, signal }, resolve)
      .on('error', reject)
      .end(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes);
    const response = await answered;
    return {
      status: response.statusCode ?? 0,
      headers: { get: name => String(response.headers[name] ?? '') || null },
      arrayBuffer: () => arrayBuffer(response),
    };
  };
  return { fetch, compress: false };
}

const squeeze = promisify(gzip);
/** What it saves on the way, it must not cost here. */
const FAST = { level: constants.Z_BEST_SPEED };
