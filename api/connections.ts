import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND } from '#shared/values/time.ts';

/** What a client may have us hold without doing its part; times in milliseconds. */
export type Bounds = {
  /** The most bytes of a body of somebody who has shown no credential. */
  stranger_body: number;
  /** How long such a body may take to arrive. */
  stranger_patience: number;
  /** How long the rest of a body may take whose request was answered before its end. */
  rest: number;
  /** How long nothing of an answer may be read; Node notices when it is over for the first or the second time. */
  unread: number;
  /** The most requests that wait on a connection for the one before to be answered. */
  pipelined: number;
};

export const BOUNDS: Bounds = {
  stranger_body: 16_384,
  stranger_patience: 5 * SECOND,
  rest: 5 * SECOND,
  unread: 15 * SECOND,
  pipelined: 50,
};

type Line = { at_work: number; waiting: (() => void)[] };

/**
 * Serves the requests of a connection one after the other, as they are answered, and ends a connection whose client leaves answers unread,
 * does not end a body that nobody waits for, or asks much more than it reads.
 */
export function serveInOrder(server: Server, handle: RequestListener, bounds: Bounds): void {
  const lines = new WeakMap<Socket, Line>();

  const listener: RequestListener = (request, response) => {
    const { socket } = request;
    // Node goes through what it has read of a connection that has ended.
    if (socket.destroyed) return;
    const line = lines.get(socket) ?? { at_work: 0, waiting: [] };
    lines.set(socket, line);
    const begin = () => {
      line.at_work += 1;
      response.once('close', () => {
        line.at_work -= 1;
        // What still comes is read and dropped for a while: to close with bytes unread might lose the answer.
        if (!request.complete) setTimeout(() => request.complete || socket.destroy(), bounds.rest).unref();
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
  // Node tells of a connection on which nothing has moved; an idle one, too, when its time is over.
  server.setTimeout(bounds.unread, socket => {
    const waits = lines.get(socket)?.at_work ?? 0;
    if (waits === 0 || socket.writableLength > 0) socket.destroy();
  });
}
