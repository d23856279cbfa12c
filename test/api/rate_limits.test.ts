import { createServer } from 'node:net';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { createRateLimits } from '#api/rate_limits.ts';
import { readConfig } from '#shared/settings/config.ts';
import { createLog } from '#shared/platform/log.ts';
import { createOutage } from '#shared/platform/outage.ts';
import { freePort, listening } from '#test/helpers/listening.ts';
import { event } from '#test/helpers/make.ts';
import { command, hasRedis, testCluster, testRedis } from '#test/helpers/redis.ts';
import { world } from '#test/helpers/world.ts';

const SECRET_KEY = Buffer.alloc(32).toString('base64');
const settings = (RATE_LIMITS: string) => readConfig({ SECRET_KEY, RATE_LIMITS }).rate_limits;

/** The limiter of one process; closed when the test ends. */
function limiter(t: ExecutionContext, RATE_LIMITS: string, REDIS_URL = '') {
  const log = createLog('silent', 'test');
  const config = readConfig({ SECRET_KEY, RATE_LIMITS, REDIS_URL });
  const limits = createRateLimits(config, createOutage(log, 'Redis'), log);
  t.teardown(limits.close);
  return limits;
}

test('every answer says which limit counts it and what is left', async t => {
  const { as } = await world(t, { settings: { RATE_LIMITS: 'read=3/hour,write=2/min' } });
  for (const left of [2, 1, 0]) {
    // The client asks a path that it knows a second time, to see whether its ETag still holds.
    const { status, headers } = await as.get(`/v1/events?limit=${left + 1}`);
    t.is(status, 200);
    t.is(headers.get('ratelimit-policy'), '"read";q=3;w=3600');
    t.regex(headers.get('ratelimit') ?? '', new RegExp(`^"read";r=${left};t=3(600|5\\d\\d)$`));
    t.is(headers.get('retry-after'), null);
  }
  const { status, headers } = await as.post('/v1/events', event());
  t.is(status, 201);
  t.is(headers.get('ratelimit-policy'), '"write";q=2;w=60');
  t.regex(headers.get('ratelimit') ?? '', /^"write";r=1;t=(60|5\d)$/);
});

test('what is over the limit is refused, and Retry-After says when the window ends', async t => {
  const { as } = await world(t, { settings: { RATE_LIMITS: 'write=1/min' } });
  t.is((await as.post('/v1/events', event())).status, 201);
  const { status, headers, body } = await as.post('/v1/events', event());
  t.is(status, 429);
  t.is(body.error.code, 'rate_limited');
  const [, left, wait] = /^"write";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
  t.is(left, '0');
  t.is(headers.get('retry-after'), wait ?? '');
  t.is((await as.get('/v1/events')).status, 200, 'reading is counted apart');
});

test('a refused request is refused before its body is read, and after its credential', async t => {
  const { as, client, withScopes } = await world(t, { settings: { RATE_LIMITS: 'write=1/min' } });
  const reader = await withScopes('events:read');
  for (let count = 0; count < 3; count += 1) {
    t.is((await client().post('/v1/events', event())).status, 401);
    t.is((await reader.post('/v1/events', event())).status, 403);
  }
  t.is((await as.post('/v1/events', event())).status, 201);
  t.is((await as.send('POST', '/v1/events', { body: 'not JSON' })).status, 429);
});

test('one credential does not use up what another has', async t => {
  const { as, withScopes } = await world(t, { settings: { RATE_LIMITS: 'read=1/hour' } });
  const other = await withScopes('events:read');
  t.is((await as.get('/v1/events')).status, 200);
  t.is((await as.get('/v1/events')).status, 429);
  t.is((await other.get('/v1/events')).status, 200);
  t.is((await other.get('/v1/events')).status, 429);
});

test('what needs no credential is not counted', async t => {
  const { client } = await world(t, { settings: { RATE_LIMITS: 'read=1/hour' } });
  for (const path of ['/livez', '/docs', '/v1/openapi.json', '/livez', '/docs', '/v1/openapi.json'])
    t.is((await client().get(path)).headers.get('ratelimit'), null, path);
});

test('RATE_LIMITS=off counts nothing', async t => {
  const { as } = await world(t, { settings: { RATE_LIMITS: 'off' } });
  const { status, headers } = await as.get('/v1/events');
  t.is(status, 200);
  t.is(headers.get('ratelimit'), null);
  t.is(headers.get('ratelimit-policy'), null);
});

test.serial('when the window has ended the quota is whole again', async t => {
  mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1_000_000 });
  t.teardown(() => mock.timers.reset());
  const limits = limiter(t, 'pack=2/min');
  const take = async () => {
    const { refused, headers } = await limits.take('pack', 'key_1');
    return [refused, headers['RateLimit'], headers['Retry-After']];
  };
  t.deepEqual(await take(), [false, '"pack";r=1;t=60', undefined]);
  mock.timers.tick(20_000);
  t.deepEqual(await take(), [false, '"pack";r=0;t=40', undefined]);
  mock.timers.tick(500);
  t.deepEqual(await take(), [true, '"pack";r=0;t=40', '40']);
  mock.timers.tick(39_499);
  t.deepEqual(await take(), [true, '"pack";r=0;t=1', '1']);
  mock.timers.tick(1);
  t.deepEqual(await take(), [false, '"pack";r=1;t=60', undefined]);
});

test.serial('a request that counts as many is let through, and paid off before the next', async t => {
  mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1_000_000 });
  t.teardown(() => mock.timers.reset());
  const limits = limiter(t, 'screen=20');
  const take = async () => {
    const { refused, headers } = await limits.take('screen', 'key_1');
    return [refused, headers['RateLimit'], headers['Retry-After']];
  };
  t.deepEqual(await take(), [false, '"screen";r=19;t=1', undefined]);
  t.is((await limits.takeMore('screen', 'key_1', 9))['RateLimit'], '"screen";r=10;t=1');
  t.is((await limits.takeMore('screen', 'key_1', 90))['RateLimit'], '"screen";r=0;t=5');
  t.deepEqual(await take(), [true, '"screen";r=0;t=5', '5']);
  mock.timers.tick(4_999);
  t.like(await take(), [true]);
  mock.timers.tick(1);
  t.deepEqual(await take(), [false, '"screen";r=19;t=1', undefined]);
});

test.serial('batches that are asked for at once are paid off one by one, and none of them twice', async t => {
  mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1_000_000 });
  t.teardown(() => mock.timers.reset());
  const limits = limiter(t, 'screen=20');
  const at_once = Array.from({ length: 20 }, () => 'key_1');
  await Promise.all(at_once.map(key => limits.take('screen', key)));
  await Promise.all(at_once.map(key => limits.takeMore('screen', key, 99)));
  t.is((await limits.take('screen', 'key_1')).headers['Retry-After'], '100', '2,000 at 20 a second');
  mock.timers.tick(100_000);
  t.like(await limits.take('screen', 'key_1'), { refused: false });
});

test('each payee of a batch counts against the limit of screenings', async t => {
  const { as } = await world(t, { settings: { RATE_LIMITS: 'screen=5/hour' } });
  const { headers } = await as.post('/v1/screen', { payees: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
  t.regex(headers.get('ratelimit') ?? '', /^"screen";r=2;/);
});

const withRedis = hasRedis ? test : test.skip;

withRedis('two processes share their counters through Redis', async t => share(t, await testRedis(t)));

const withCluster = hasRedis && process.env['TEST_REDIS'] !== 'REDIS_URL' ? test : test.skip;
withCluster('two processes share their counters through a cluster', async t => share(t, (await testCluster(t)).url));

async function share(t: ExecutionContext, url: string) {
  const [one, other] = [limiter(t, 'read=1000/hour', url), limiter(t, 'read=1000/hour', url)];
  // Until its connection stands, a process counts for itself.
  for (const [name, limits] of Object.entries({ one, other }))
    while ((await command(url, redis => redis.exists(`oversight:limit:read:${name}`))) === 0)
      await limits.take('read', name);

  const left = async (limits: typeof one) => (await limits.take('read', 'shared')).headers['RateLimit']?.split(';')[1];
  t.deepEqual(
    [await left(one), await left(other), await left(other), await left(one)],
    ['r=999', 'r=998', 'r=997', 'r=996'],
  );
}

withRedis('batches that are asked for at once of two processes are paid off once each', async t => {
  const url = await testRedis(t);
  const [one, other] = [limiter(t, 'screen=20/hour', url), limiter(t, 'screen=20/hour', url)];
  for (const [name, limits] of Object.entries({ one, other }))
    while ((await command(url, redis => redis.exists(`oversight:limit:screen:${name}`))) === 0)
      await limits.take('screen', name);

  const both = Array.from({ length: 10 }, () => [one, other]).flat();
  await Promise.all(both.map(limits => limits.take('screen', 'shared')));
  await Promise.all(both.map(limits => limits.takeMore('screen', 'shared', 99)));
  const { refused, headers } = await one.take('screen', 'shared');
  t.true(refused);
  t.is(Math.ceil(Number(headers['Retry-After']) / 3_600), 100, '2,000 at 20 an hour');
});

test('while Redis is away each process counts for itself, and nothing waits', async t => {
  const limits = limiter(t, 'read=2/hour', `redis://127.0.0.1:${await freePort()}`);
  t.like(await limits.take('read', 'key_1'), { refused: false });
  t.like(await limits.take('read', 'key_1'), { refused: false });
  t.like(await limits.take('read', 'key_1'), { refused: true });
});

test('a Redis that greets and then answers nothing holds nobody up', async t => {
  let asked = 0;
  const server = createServer(socket => {
    t.teardown(() => socket.destroy());
    socket.on('error', () => {});
    socket.on('data', data => {
      const text = data.toString().toLowerCase();
      if (text.includes('hello')) socket.write('%0\r\n+OK\r\n+OK\r\n');
      else if (text.includes('info')) socket.write('$9\r\nloading:0\r\n');
      else asked += 1;
    });
  });
  const limits = limiter(t, 'read=100/hour', `redis://127.0.0.1:${await listening(t, server)}`);
  let taken = 0;
  for (; asked < 3; taken += 1) {
    t.regex((await limits.take('read', `key_${taken}`)).headers['RateLimit'] ?? '', /^"read";r=99;/);
    await turn();
  }
  t.true(taken >= 3);
});

test('RATE_LIMITS names what it changes; the rest keeps its default', t => {
  t.deepEqual(settings(''), {
    write: { quota: 1_000, window: 1 },
    read: { quota: 1_000, window: 1 },
    screen: { quota: 100, window: 1 },
    pack: { quota: 60, window: 60 },
  });
  t.deepEqual(settings('write=50,read=50,screen=20,pack=10/min'), {
    write: { quota: 50, window: 1 },
    read: { quota: 50, window: 1 },
    screen: { quota: 20, window: 1 },
    pack: { quota: 10, window: 60 },
  });
  t.like(settings(' read=7/s , pack=9/hour '), {
    write: { quota: 1_000, window: 1 },
    read: { quota: 7, window: 1 },
    pack: { quota: 9, window: 3_600 },
  });
  t.is(settings('off'), null);
});

test('RATE_LIMITS that cannot be read stops the start, and says what would be right', t => {
  const wrong = [
    'on',
    'write',
    'write=',
    'write=0',
    'write=-1',
    'write=1.5',
    'write=5/day',
    'event=5',
    'read=1,,write=1',
  ];
  for (const text of [
    ...wrong,
    'read=1,',
    'read=1,read=2',
    'read=1;write=2',
    'off,read=1',
    'constructor=1',
    'write=9999999999',
  ])
    t.throws(() => settings(text), { message: /RATE_LIMITS: .*write=50,read=50,screen=20,pack=10\/min/ }, text);
});
