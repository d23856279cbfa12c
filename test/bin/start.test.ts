import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { adminOf, adminProcessOf } from '#test/helpers/admin.ts';
import { createClient } from '#test/helpers/client.ts';
import { preparedFolder, serverPid, temporaryFolder, until } from '#test/helpers/embedded_postgres.ts';
import { event } from '#test/helpers/make.ts';
import { addressOf, type Child, run } from '#test/helpers/process.ts';
import { wire } from '#test/helpers/wire.ts';

/** A data directory of this test's own, as an earlier start left it or `fresh`, and `npm start` on it. */
async function home(t: ExecutionContext, { fresh = false } = {}) {
  const DATA_DIR = await (fresh ? temporaryFolder(t) : preparedFolder(t));
  const settings = { DATA_DIR, PORT: '0' };
  const admin = adminProcessOf(t, { DATA_DIR });
  return {
    start: (more: Record<string, string> = {}) => run(t, 'bin/start.ts', [], { ...settings, ...more }),
    admin,
    /** A key of a new organization, made beside the running service. */
    async key(tool = adminOf(t, { DATA_DIR })): Promise<string> {
      await tool.json('org', 'create', '--name', 'Acme');
      return (await tool.json('key', 'create', '--org', 'Acme', '--name', 'first', '--scopes', 'all')).key;
    },
    databaseRuns: async () => (await serverPid({ directory: join(DATA_DIR, 'postgres') })) !== null,
  };
}

/** Stops a service as an operator would, and holds it to a clean end. */
async function stop(t: ExecutionContext, service: Child, signal: NodeJS.Signals = 'SIGTERM') {
  service.kill(signal);
  const { code, stderr } = await service.ended;
  t.is(code, 0, stderr);
  t.regex(stderr, /Stopping…\nStopped\.\n$/);
}

const isClosed = async (address: string): Promise<boolean> => {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  const [error] = await Promise.race([once(socket, 'connect'), once(socket, 'error')]).catch(thrown => [thrown]);
  socket.destroy();
  return error?.code === 'ECONNREFUSED';
};

test('one command starts the whole service; an operator’s key works at once; a signal stops all of it; the data stays', async t => {
  const { start, admin, key, databaseRuns } = await home(t, { fresh: true });
  const service = start();
  const address = await addressOf(service);
  const ready = await fetch(`${address}/readyz`);
  t.deepEqual([ready.status, await ready.json()], [200, { status: 'ok' }]);
  await service.says(/Ctrl-C stops it/);
  t.true(service.output().includes(`${address}/v1/openapi.json`));
  const full = await key(admin);
  const sent = event({ cents: '30000' });
  const as = createClient(t, address, full);
  t.is((await as.post('/v1/events', sent)).status, 201);
  await until(async () => (await as.get('/v1/alerts')).body.data.length > 0);

  await stop(t, service);
  t.true(await isClosed(address));
  t.false(await databaseRuns());

  const again = start();
  const later = createClient(t, await addressOf(again), full);
  t.is((await later.get(`/v1/events/${sent.id}`)).status, 200);
  await stop(t, again, 'SIGINT');
});

test('a link that the operator makes beside the service leads to it, on whatever port it runs', async t => {
  const { start, admin } = await home(t);
  const service = start();
  const address = await addressOf(service);
  await service.says(/Ctrl-C/);
  await admin.json('org', 'create', '--name', 'Acme');
  await admin.json('user', 'create', '--org', 'Acme', '--email', 'ada@example.com', '--role', 'owner');
  const { url } = await admin.json('sign-in-link', '--email', 'ada@example.com');
  t.is(new URL(url).origin, address);
  t.is((await fetch(url)).status, 200);
  await stop(t, service);
});

test('a second start on the same data directory says where the first one runs, and leaves it running', async t => {
  const { start, databaseRuns } = await home(t);
  const first = start();
  const address = await addressOf(first);
  await first.says(/Ctrl-C/);
  const { code, stderr } = await start().ended;
  t.is(code, 1);
  t.true(stderr.includes(`already runs on the data directory`) && stderr.includes(address), stderr);
  t.false(stderr.includes('    at '), 'no stack');
  t.is((await fetch(`${address}/readyz`)).status, 200);
  await stop(t, first);
  t.false(await databaseRuns());
});

test('of two starts at once on a fresh data directory one runs', async t => {
  const { start } = await home(t, { fresh: true });
  const both = [start(), start()];
  const loser = await Promise.race(both.map(async child => ({ child, ...(await child.ended) })));
  t.is(loser.code, 1);
  t.regex(loser.stderr, /already runs on the data directory/);
  const winner = both.find(child => child !== loser.child);
  if (!winner) throw new Error('unreachable');
  t.is((await fetch(`${await addressOf(winner)}/readyz`)).status, 200);
  await stop(t, winner);
});

test('after a kill -9 the next start serves what was stored', async t => {
  const { start, key } = await home(t);
  const first = start();
  const address = await addressOf(first);
  const full = await key();
  const sent = event();
  t.is((await createClient(t, address, full).post('/v1/events', sent)).status, 201);
  first.kill('SIGKILL');
  t.is((await first.ended).signal, 'SIGKILL');
  const second = start();
  const as = createClient(t, await addressOf(second), full);
  t.is((await as.get(`/v1/events/${sent.id}`)).status, 200);
  t.is((await as.post('/v1/events', event())).body.chain_seq, 2);
  await stop(t, second);
});

test('a request under way is answered before the service stops, and what was answered is stored', async t => {
  const { start, key } = await home(t);
  const first = start();
  const address = await addressOf(first);
  const full = await key();
  const sent = event();
  const body = JSON.stringify(sent);
  const [slow, idle, silent] = [await wire(t, address), await wire(t, address), await wire(t, address)];
  slow.send(
    `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${full}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  idle.send('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
  t.deepEqual([(await slow.next())?.status, (await idle.next())?.status], [100, 200]);
  first.kill('SIGTERM');
  await first.says(/Stopping…/);
  for (const { next } of [idle, silent]) t.is(await next(), null, 'connections that wait for nothing are closed');
  await until(() => isClosed(address));
  slow.send(body);
  t.is((await slow.next())?.status, 201);
  t.is((await first.ended).code, 0);
  const second = start();
  t.is((await createClient(t, await addressOf(second), full).get(`/v1/events/${sent.id}`)).status, 200);
  await stop(t, second);
});

test('a start that was interrupted is taken up by the next one', async t => {
  const { start, databaseRuns } = await home(t, { fresh: true });
  const first = start();
  await first.says(/making a PostgreSQL/);
  first.kill('SIGTERM');
  await first.ended;
  const second = start();
  t.is((await fetch(`${await addressOf(second)}/readyz`)).status, 200);
  await stop(t, second);
  t.false(await databaseRuns());
});

test('a port that is taken, and settings that make no sense, are said in words, and nothing is left running', async t => {
  const { start, databaseRuns } = await home(t);
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => other.close());
  const { port } = other.address() as AddressInfo;
  const wrong: [Record<string, string>, RegExp][] = [
    [{ PORT: String(port) }, new RegExp(`^Port ${port} on 127.0.0.1 is taken.*PORT`, 'm')],
    [{ PORT: 'http' }, /settings.*\n {2}PORT: /],
    [{ ENVIRONMENT: 'staging', LOG_LEVEL: 'loud' }, /settings.*\n {2}ENVIRONMENT: .*\n {2}LOG_LEVEL: /],
    [{ ENVIRONMENT: 'production' }, /SECRET_KEY is required in production/],
    [{ SECRET_KEY: 'c2hvcnQ=' }, /SECRET_KEY must hold 32 bytes/],
  ];
  for (const [settings, message] of wrong) {
    const { code, stderr } = await start(settings).ended;
    t.is(code, 1);
    t.regex(stderr, message);
    t.false(stderr.includes('    at '), 'no stack');
  }
  t.false(await databaseRuns());
});
