import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { BOUNDS, type Bounds, serveInOrder } from '#api/connections.ts';
import { startApi } from '#api/server.ts';
import { event } from '#test/helpers/make.ts';
import { until } from '#test/helpers/until.ts';
import { wire } from '#test/helpers/wire.ts';
import { world } from '#test/helpers/world.ts';

/** A service that has less patience than others. */
async function impatient(t: ExecutionContext, bounds: Partial<Bounds>) {
  const w = await world(t);
  const api = await startApi(w.services, { ...BOUNDS, ...bounds });
  t.teardown(api.stop);
  return { ...w, api };
}

const json = 'Host: localhost\r\nContent-Type: application/json\r\n';
const signIn = (length: number) => `POST /v1/sign-in HTTP/1.1\r\n${json}Content-Length: ${length}\r\n\r\n`;

test('a body of a stranger that is announced too large is refused before any of it has come', async t => {
  const { api } = await world(t);
  const stranger = await wire(t, api.address);
  stranger.send(signIn(20_000));
  t.is((await stranger.next())?.status, 413);
});

test('a body of a stranger that grows too large in pieces is refused', async t => {
  const { api } = await world(t);
  const stranger = await wire(t, api.address);
  stranger.send(`POST /v1/sign-in HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n`);
  stranger.send(`5000\r\n${' '.repeat(0x50_00)}\r\n`);
  t.is((await stranger.next())?.status, 413);
});

test('a stranger who falls silent in the middle of a body is answered, and the connection ends', async t => {
  const { api } = await impatient(t, { stranger_patience: 50, rest: 50 });
  for (const path of ['/v1/sign-in', '/v1/sources/src_01JZZZZZZZZZZZZZZZZZZZZZZZ/webhooks']) {
    const stranger = await wire(t, api.address);
    stranger.send(signIn(1_000).replace('/v1/sign-in', path), '{"email":');
    t.is((await stranger.next())?.status, 400, path);
    t.is(await stranger.next(), null);
  }
});

test('a request whose key is unknown is answered before its body has come, and the connection ends unless the body does', async t => {
  const { api, full } = await impatient(t, { rest: 50 });
  const head = (key: string, length: number) =>
    `POST /v1/events HTTP/1.1\r\n${json}Authorization: Bearer ${key}\r\nContent-Length: ${length}\r\n\r\n`;
  const stranger = await wire(t, api.address);
  stranger.send(head('nonsense', 1_000_000), '{');
  t.is((await stranger.next())?.status, 401);
  t.is(await stranger.next(), null);

  const slow = await wire(t, api.address);
  const body = JSON.stringify(event());
  slow.send(head(full.key, body.length), body.slice(0, 9));
  await new Promise(resolve => setTimeout(resolve, 100));
  slow.send(body.slice(9));
  t.is((await slow.next())?.status, 201, 'who has shown a key may be slow');
});

test('of so many connections is the rest of a refused body read at a time, of others it is not', async t => {
  const { api, full } = await impatient(t, { rests: 1, rest: 60_000 });
  const head = (key: string) =>
    `POST /v1/events HTTP/1.1\r\n${json}Authorization: Bearer ${key}\r\nContent-Length: 100000\r\n\r\n`;
  const [first, second, third] = [await wire(t, api.address), await wire(t, api.address), await wire(t, api.address)];
  const next = `GET /v1/agents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${full.key}\r\n\r\n`;
  first.send(head('nonsense'), '{');
  t.is((await first.next())?.status, 401);
  second.send(head('nonsense'), '{');
  t.deepEqual([(await second.next())?.status, await second.next()], [401, null]);
  first.send(' '.repeat(99_999), next);
  t.is((await first.next())?.status, 200);
  third.send(head('nonsense'), '{');
  t.is((await third.next())?.status, 401);
  third.send(' '.repeat(99_999), next);
  t.is((await third.next())?.status, 200);
});

test('the requests of a connection are answered in their order, and one that asks for more than may wait is ended', async t => {
  const { api, full } = await impatient(t, { pipelined: 3 });
  const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${full.key}\r\n\r\n`;
  const client = await wire(t, api.address);
  client.send(['/v1/events', '/nothing', '/v1/agents', '/nothing'].map(ask).join(''));
  for (const status of [200, 404, 200, 404]) t.is((await client.next())?.status, status);
  client.send(ask('/v1/events').repeat(5));
  t.is(await client.next(), null);
});

test('a connection whose answers are not read is ended, and one that waits for its answer is not', async t => {
  const server = createServer();
  const waiting: ServerResponse[] = [];
  // More than the buffers of two sockets hold.
  const answer = Buffer.alloc(50_000_000);
  const handle = (request: IncomingMessage, response: ServerResponse) =>
    request.url === '/later' ? void waiting.push(response) : void response.end(answer);
  serveInOrder(server, handle, { ...BOUNDS, unread: 50 });
  server.listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const patient = await wire(t, address);
  patient.send('GET /later HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => waiting.length === 1);
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const unread = await wire(t, address);
  unread.socket.pause();
  unread.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [theirs] = await connected;
  await until(() => theirs.destroyed);
  waiting[0]?.end('done');
  t.is((await patient.next())?.status, 200);
});
