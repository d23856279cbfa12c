import { Agent, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import type { Route } from '#api/route.ts';
import { fullEvent, idFor } from './inhabit.ts';
import { mutated, pathPieces, queries } from './mutate.ts';
import { exampleBody, unusedId } from './routes.ts';

/** A request as it goes out. */
export type Sent = { method: string; path: string; headers: Record<string, string>; body: Buffer | undefined };

const json = { 'content-type': 'application/json' };

/** Requests of one route: most nearly sound, some far from it. */
export function requestsOf(route: Route, ids: string[]): fc.Arbitrary<Sent> {
  const id = route.params
    ? fc.oneof(fc.constant(idFor(route, ids) ?? unusedId(route)), fc.constantFrom(...ids), pathPieces)
    : fc.constant('');
  const known = Object.keys(route.query?.shape ?? {});
  const body = route.body
    ? fc.oneof(
        {
          weight: 8,
          arbitrary: fc
            .constant(null)
            .chain(() => mutated(soundBody(route, ids)))
            .map(value => Buffer.from(JSON.stringify(value) ?? '')),
        },
        { weight: 1, arbitrary: fc.json().map(text => Buffer.from(text)) },
        { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)) },
      )
    : fc.constant(undefined);
  const form = fc.oneof(
    { weight: 12, arbitrary: fc.constant<Record<string, string>>({}) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Record<string, string>>(
        { 'content-encoding': 'gzip' },
        { 'content-encoding': 'br' },
        { 'content-type': 'text/plain' },
        { authorization: 'Bearer hk_test_nobody' },
        { cookie: 'a=b' },
        { range: 'bytes=0-1' },
        { 'if-none-match': '*' },
      ),
    },
  );
  const method = fc.oneof(
    { weight: 15, arbitrary: fc.constant(route.method.toUpperCase()) },
    { weight: 1, arbitrary: fc.constantFrom('HEAD', 'PUT', 'OPTIONS', 'DELETE') },
  );
  return fc
    .tuple(id, queries(known), body, form, method, fc.boolean())
    .map(([piece, query, bytes, more, verb, zipped]) => ({
      method: verb,
      path: route.path.replaceAll(/\{\w+\}/g, () => piece) + (query && (route.query || zipped) ? `?${query}` : ''),
      headers: { ...json, ...(bytes && zipped && { 'content-encoding': 'gzip' }), ...more },
      body: bytes && zipped ? gzipSync(bytes) : bytes,
    }));
}

const soundBody = (route: Route, ids: string[]) =>
  route.operation_id === 'sendEvents'
    ? fullEvent()
    : route.operation_id === 'validateEvents'
      ? { events: [fullEvent()] }
      : exampleBody(route, ids);

/** What came back. `status` 0: the connection ended without an answer. */
export type Answered = { status: number; text: string; type: string };

/** Sends what fetch would tidy up first, over connections that are kept until `close`. */
export function sendRaw(address: string, connections = Infinity) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(address);
  const send = ({ method, path, headers, body }: Sent): Promise<Answered> => {
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    const options = { agent, hostname, port, method, path, headers };
    const outgoing = request(options, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString(),
          type: response.headers['content-type'] ?? '',
        }),
      );
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
    return promise;
  };
  return { send, close: () => agent.destroy() };
}
