import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { Writable } from 'node:stream';
import test from 'ava';
import { pino } from 'pino';
import { Away } from '#shared/platform/outage.ts';
import { createQueue } from '#shared/platform/queue.ts';
import { jobKinds } from '#shared/running/work/kinds/index.ts';
import { adminOf } from '#test/helpers/admin.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { freePort } from '#test/helpers/listening.ts';
import { hasRedis, testRedis } from '#test/helpers/redis.ts';
import { until } from '#test/helpers/until.ts';

test('while Redis is away the log says so once, whoever asks is told that it is Redis, and the log says when it is back', async t => {
  if (!hasRedis) return t.pass('without redis-server');
  const there = new URL(await testRedis(t));
  const port = await freePort();
  const redis_url = Object.assign(new URL(there), { port }).href;
  const lines: string[] = [];
  const log = pino(
    { level: 'info' },
    new Writable({ write: (line: Buffer, _encoding, done) => (lines.push(JSON.parse(line.toString()).msg), done()) }),
  );
  const queue = createQueue({ redis_url, database_url: '', database_role: undefined }, jobKinds, log);
  t.teardown(() => queue.close());
  const worker = queue.work('screen', async () => {});
  t.teardown(() => worker.close(true));
  const tenant = { org_id: 'org_1', environment: 'sandbox' };
  await queue.add('detect', [tenant]);
  const error = await t.throwsAsync(queue.counts('screen'));
  t.true(error instanceof Away);
  const away = `Redis (REDIS_URL) cannot be used: connect ECONNREFUSED 127.0.0.1:${port}`;
  t.is(error?.message, away);
  t.deepEqual(lines, [away]);

  const way = createServer(socket => {
    const onward = connect(Number(there.port), there.hostname);
    for (const each of [socket, onward]) each.on('error', () => [socket, onward].map(end => end.destroy()));
    socket.pipe(onward).pipe(socket);
  }).listen(port, '127.0.0.1');
  t.teardown(() => way.close());
  await once(way, 'listening');
  await until(() => lines.length > 1);
  await queue.add('detect', [tenant]);
  t.is((await queue.counts('detect'))['waiting'], 1);
  t.deepEqual(lines, [away, 'Redis (REDIS_URL) can be used again']);
});

test('the operator who asks for the queues is told that Redis is away', async t => {
  const { owner_url } = await testDatabase(end => t.teardown(end));
  const admin = adminOf(t, {
    DATABASE_URL: owner_url,
    REDIS_URL: 'redis://user:a-secret@127.0.0.1:1',
    SECRET_KEY: Buffer.alloc(32).toString('base64'),
  });
  for (const command of ['status', 'retry-failed'])
    t.like(await admin.error('queues', command), {
      exit: 1,
      code: 'unavailable',
      message: 'Redis (REDIS_URL) cannot be used: connect ECONNREFUSED 127.0.0.1:1.',
    });
});
