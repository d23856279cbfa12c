import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { loadReader } from './json_body.ts';
import { createApp } from './app.ts';
import { BOUNDS, type Bounds, serveInOrder } from './connections.ts';
import { createApiServices } from './services.ts';
import { newId } from '#shared/interface/ids.ts';
import { listen } from '#shared/running/listen.ts';
import type { ProcessServices } from '#shared/running/services.ts';
import { addressOf } from '#shared/settings/address.ts';
import { SECOND } from '#shared/values/time.ts';

/** The running API. `stop` turns readiness red, lets requests finish within a bound, and closes. */
export type RunningApi = { address: string; port: number; stop(): Promise<void> };

/** Changes with every release, and with the shape of an answer: the committed description is in step with the routes. */
const revision = createHash('sha256')
  .update(readFileSync(new URL('./openapi.json', import.meta.url)))
  .digest('hex');

/** How long requests under way may take when the server stops. */
const DRAIN = 10 * SECOND;
/** How often connections that have become idle meanwhile are looked for. */
const SWEEP = 100;
/** How long a refused connection may take to close. */
const LINGER = 2 * SECOND;

/** Serves the API on the configured host and port. Throws an Error that says so when the port is taken. */
export async function startApi(services: ProcessServices, bounds: Bounds = BOUNDS): Promise<RunningApi> {
  const { config, log } = services;
  let ready = true;
  const server = createServer({
    // Longer than the idle time of common load balancers, so that they and not we end an idle connection.
    keepAliveTimeout: 75 * SECOND,
    headersTimeout: 15 * SECOND,
    requestTimeout: 60 * SECOND,
    maxHeaderSize: 16_384,
    // Node would answer these two without a body and a Request-Id.
    requireHostHeader: false,
  });
  refuseWhatIsNotHttp(server);
  const connections = new Set<Socket>();
  server.on('connection', connection => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
  });
  const port = await listen(server, config, 'PORT');
  const address = addressOf(config.host, port);
  // PORT=0 takes any free port, known only now. No connection has been read from before this turn ends.
  const base_url = new URL(config.base_url).port === '0' ? address : config.base_url;
  const api = createApiServices({ ...services, config: { ...config, base_url } }, revision, bounds);
  services.lists.watch();
  serveInOrder(server, createApp(api, () => ready).callback(), bounds);
  log.info({ address, environment: config.environment }, 'api listening');
  void loadReader();
  return {
    address,
    port,
    async stop() {
      ready = false;
      const nobodyWaits = api.waiting.close();
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeIdleConnections();
      // To Node a connection that has not said anything yet is not idle, and would hold us up.
      for (const connection of connections) if (connection.bytesRead === 0) connection.destroy();
      const cut = setTimeout(() => server.closeAllConnections(), DRAIN);
      // An answer that was being compressed a moment ago left without `Connection: close`; its connection is idle only after it.
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP);
      await closed;
      await nobodyWaits;
      clearInterval(sweep);
      clearTimeout(cut);
      await api.callers.close();
      await api.ingest_counts.close();
      await api.mailer.close();
      api.rate_limits.close();
      api.pressure.close();
    },
  };
}

/** What was asked on the same connection before the fault is answered first. */
function refuseWhatIsNotHttp(server: Server): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request, response) => latest.set(request.socket, response));
  server.on('clientError', (error, socket) => {
    const answer = latest.get(socket);
    const inBody = answer && !answer.req.complete;
    // A request has one answer: be it given already, or this one.
    if (inBody && answer.headersSent) socket.destroy();
    else if (answer && !inBody && !answer.writableFinished) answer.once('close', () => refuse(error, socket));
    else refuse(error, socket);
  });
}

/** Answers what is not HTTP, or has too large a header, in the form of every other error, and closes. */
function refuse(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const timeout = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const status = tooLarge ? '431 Request Header Fields Too Large' : timeout ? '408 Request Timeout' : '400 Bad Request';
  const message = tooLarge
    ? 'The request headers are too large.'
    : timeout
      ? 'The request took too long to arrive.'
      : 'This is not a well-formed HTTP request.';
  const request_id = newId('req');
  const body = JSON.stringify({ error: { code: 'invalid_request', message }, request_id });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nRequest-Id: ${request_id}\r\n` +
      `X-Content-Type-Options: nosniff\r\nContent-Security-Policy: default-src 'none'; base-uri 'none'; frame-ancestors 'none'\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // Closing with bytes unread would reset the connection, and the answer might be lost with it.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER).unref();
}
