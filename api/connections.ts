import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { finished } from 'node:stream';
import { SECOND } from '#shared/values/time.ts';

/** What a client may occupy without doing its part; times in milliseconds. */
export type Bounds = {
  /** The most bytes of a body without a credential. */
  stranger_body: number;
  /** How long such a body may take to arrive. */
  stranger_patience: number;
  /** How long the rest of a body may take after an early response. */
  rest: number;
  /** The most connections of which such a rest is read at a time: what is read to be dropped takes memory, too. */
  rests: number;
  /** How long a response may go unread; Node notices after one or two of these periods. */
  unread: number;
  /** The most requests that wait on a connection for an earlier response. */
  pipelined: number;
};

export const BOUNDS: Bounds = {
  stranger_body: 16_384,
  stranger_patience: 5 * SECOND,
  rest: 5 * SECOND,
  rests: 64,
  unread: 15 * SECOND,
  pipelined: 50,
};

/**
 * Whether the body of a request is sent as it is, or in chunks alone (RFC 9112 §6.1), so that all who read it agree where it ends. Of several codings
 * Node goes by the last, where a proxy in front may go by the first.
 */
export const isFramedPlainly = ({ headersDistinct }: IncomingMessage): boolean => {
  const codings = headersDistinct['transfer-encoding'];
  return codings === undefined || (codings.length === 1 && codings[0]?.toLowerCase() === 'chunked');
};

type Line = { at_work: number; waiting: (() => void)[] };

/**
 * Serves the requests of a connection one after the other, and closes connections whose clients leave responses unread, do not finish an
 * unwanted body, or send far more requests than they read responses.
 */
export function serveInOrder(server: Server, handle: RequestListener, bounds: Bounds): void {
  const lines = new WeakMap<Socket, Line>();
  /** Connections on which nobody can tell where the next request begins. */
  const unclear = new WeakSet<Socket>();
  let rests = 0;
  /** The rest of a body is read and dropped for a while: closing with unread bytes could lose the response. */
  const drop = (request: IncomingMessage) => {
    if (rests >= bounds.rests) {
      request.socket.destroy();
      return;
    }
    rests += 1;
    const timer = setTimeout(() => request.complete || request.socket.destroy(), bounds.rest).unref();
    finished(request, () => {
      rests -= 1;
      clearTimeout(timer);
    });
  };

  const listener: RequestListener = (request, response) => {
    const { socket } = request;
    // Node goes on with data it has read from a closed connection.
    if (socket.destroyed || unclear.has(socket)) return;
    if (!isFramedPlainly(request)) {
      unclear.add(socket);
      response.shouldKeepAlive = false;
    }
    const line = lines.get(socket) ?? { at_work: 0, waiting: [] };
    lines.set(socket, line);
    const begin = () => {
      line.at_work += 1;
      response.once('close', () => {
        line.at_work -= 1;
        if (!request.complete && !socket.destroyed) drop(request);
        if (!socket.destroyed) line.waiting.shift()?.();
      });
      handle(request, response);
    };
    if (line.at_work === 0) {
      begin();
      return;
    }
    line.waiting.push(begin);
    if (line.waiting.length <= bounds.pipelined) return;
    lines.delete(socket);
    socket.destroy();
  };
  server.on('request', listener);
  server.on('checkExpectation', listener);
  // Node reports a connection on which nothing moves, and an idle one at its timeout.
  server.setTimeout(bounds.unread, socket => {
    const waits = lines.get(socket)?.at_work ?? 0;
    if (waits === 0 || socket.writableLength > 0) socket.destroy();
  });
}
