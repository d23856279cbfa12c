import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import test from 'ava';
import { createClient } from '#test/helpers/client.ts';
import { listening } from '#test/helpers/listening.ts';
import { until } from '#test/helpers/until.ts';
import { home, isClosed, stop } from '#test/helpers/home.ts';
import { event } from '#test/helpers/make.ts';
import { addressOf } from '#test/helpers/process.ts';
import { turnOf } from '#test/helpers/runs.ts';
import { wire } from '#test/helpers/wire.ts';

test('a request under way is answered before the service stops, and what was answered is stored, also after a kill -9', async t => {
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
  const as = createClient(t, await addressOf(second), full);
  t.is((await as.get(`/v1/events/${sent.id}`)).status, 200);
  const later = event();
  t.is((await as.post('/v1/events', later)).body.chain_seq, 2);
  second.kill('SIGKILL');
  t.is((await second.ended).signal, 'SIGKILL');

  const third = start();
  const again = createClient(t, await addressOf(third), full);
  t.is((await again.get(`/v1/events/${later.id}`)).status, 200);
  t.is((await again.post('/v1/events', event())).body.chain_seq, 3);
  await stop(t, third);
});

test('a port that is taken, and settings that make no sense, are said in words, and nothing is left running', async t => {
  const { start, databaseRuns } = await home(t);
  const port = await listening(t, createServer());
  const taken: [Record<string, string>, RegExp][] = [
    [{ PORT: String(port) }, new RegExp(`^Port ${port} on 0.0.0.0 is taken.*PORT`, 'm')],
    [{ PORT: String(port), HOST: '127.0.0.1' }, new RegExp(`^Port ${port} on 127.0.0.1 is taken.*PORT`, 'm')],
  ];
  const wrong: [Record<string, string>, RegExp][] = [
    ...turnOf(taken, 0, 2),
    [{ PORT: 'http' }, /settings.*\n {2}PORT: /],
    [{ ENVIRONMENT: 'staging', LOG_LEVEL: 'loud' }, /settings.*\n {2}ENVIRONMENT: .*\n {2}LOG_LEVEL: /],
    [{ ENVIRONMENT: 'production' }, /SECRET_KEY: It is required in production/],
    [{ SECRET_KEY: 'c2hvcnQ=' }, /SECRET_KEY: It must hold 32 bytes/],
  ];
  for (const [settings, message] of wrong) {
    const { code, stderr } = await start(settings).ended;
    t.is(code, 1);
    t.regex(stderr, message);
    t.false(stderr.includes('    at '), 'no stack');
  }
  t.false(await databaseRuns());
});

test('in production a start without a terminal prints no link that makes an owner', async t => {
  const { start } = await home(t);
  const service = start({ ENVIRONMENT: 'production', SECRET_KEY: randomBytes(32).toString('base64') });
  await service.says(/There is no organization yet: npm run -s admin -- setup-link/);
  await service.says(/Ctrl-C stops it/);
  t.false(service.output().includes('/setup/'));
  await stop(t, service);
});
