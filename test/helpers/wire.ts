import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';

/** An HTTP answer as its bytes say it; header names in lower case. */
export type WireAnswer = { status: number; headers: Record<string, string>; body: string };

export type Wire = {
  socket: Socket;
  send(...pieces: (string | Uint8Array)[]): void;
  /** The next answer on this connection; null when the server closed it instead. */
  next(options?: { head?: boolean }): Promise<WireAnswer | null>;
};

/** A bare connection to the API, for what no HTTP client would send. Closed when the test ends. */
export async function wire(t: ExecutionContext, address: string): Promise<Wire> {
  const connection = await connectWire(address);
  t.teardown(() => connection.socket.destroy());
  return connection;
}

/** The same, which whoever opens it closes. */
export async function connectWire(address: string): Promise<Wire> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  await once(socket, 'connect');
  let received = Buffer.alloc(0);
  let closed = false;
  let wake = () => {};
  socket.on('data', chunk => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  // A server that has said enough may reset a connection; what it said before is still here.
  socket.on('error', () => {});
  for (const end of ['end', 'close']) {
    socket.on(end, () => {
      closed = true;
      wake();
    });
  }
  return {
    socket,
    send: (...pieces) => {
      for (const piece of pieces) socket.write(piece);
    },
    async next({ head = false } = {}) {
      for (;;) {
        const taken = takeAnswer(received, head);
        if (taken) {
          received = taken.rest;
          return taken.answer;
        }
        if (closed) return null;
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    },
  };
}

/** The first whole answer in these bytes and what follows it. */
function takeAnswer(
  bytes: Buffer<ArrayBuffer>,
  head: boolean,
): { answer: WireAnswer; rest: Buffer<ArrayBuffer> } | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const length = head ? 0 : Number(headers['content-length'] ?? 0);
  if (bytes.length < end + 4 + length) return null;
  const body = bytes.subarray(end + 4, end + 4 + length).toString();
  return { answer: { status: Number(first.split(' ')[1]), headers, body }, rest: bytes.subarray(end + 4 + length) };
}
