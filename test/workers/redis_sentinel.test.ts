import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { authority } from '#test/fixtures/tls.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { run } from '#test/helpers/process.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { hasRedis, testSentinel } from '#test/helpers/redis.ts';
import { until } from '#test/helpers/until.ts';
import { webhookWorld } from '#test/helpers/webhooks.ts';

const withRedis = hasRedis && process.env['TEST_REDIS'] !== 'REDIS_URL' ? test : test.skip;

// As NODE_EXTRA_CA_CERTS has it for a process.
setDefaultCACertificates([...getCACertificates(), authority]);

async function goesOn(t: ExecutionContext, redis: Awaited<ReturnType<typeof testSentinel>>) {
  const { url, received } = await receiver(t);
  const w = await webhookWorld(t, { redis: redis.url });
  await w.endpoint(url);
  w.work();
  w.reconcile();
  await w.deliver(5);
  await until(() => received.length === 5);
  await redis.killMaster();
  await w.deliver(5);
  await until(async () => (await w.states())['delivered'] === 10);
  t.true(received.length >= 10);
}

withRedis('the queue goes on at the replica that a Sentinel promotes', async t => {
  await goesOn(t, await testSentinel(t));
});

const logins = {
  data: { username: 'oversight', password: 'of-the-data' },
  sentinel: { username: 'watcher', password: 'of-the-watch' },
};

withRedis('it does so over TLS, where the servers ask for one login and the Sentinels for another', async t => {
  await goesOn(t, await testSentinel(t, logins));
});

withRedis('a process that a login or the authority of a certificate keeps out says why, and no password', async t => {
  const [{ url, master_url }, database] = await Promise.all([
    testSentinel(t, logins),
    testDatabase(end => t.teardown(end)),
  ]);
  const folder = await temporaryFolder(t);
  const trusted = join(folder, 'authority.pem');
  await writeFile(trusted, authority);
  const cases = [
    { settings: { REDIS_URL: url.replace('of-the-data', 'not-it'), NODE_EXTRA_CA_CERTS: trusted }, why: 'WRONGPASS' },
    { settings: { REDIS_URL: url.replace('of-the-watch', 'not-it'), NODE_EXTRA_CA_CERTS: trusted }, why: 'WRONGPASS' },
    // Of a Sentinel that it does not trust, ioredis says no more than that the connection is closed.
    { settings: { REDIS_URL: master_url }, why: 'unable to verify|self-signed' },
  ];
  await Promise.all(
    cases.map(async ({ settings, why }) => {
      const child = run(t, 'workers/main.ts', ['webhook'], {
        DATABASE_URL: database.service_url,
        SECRET_KEY: Buffer.alloc(32).toString('base64'),
        LOG_LEVEL: 'trace',
        ...settings,
      } as Record<string, string>);
      await child.says(new RegExp(`Redis \\(REDIS_URL\\) cannot be used: [^"]*(${why})`));
      for (const password of ['not-it', 'of-the-data', 'of-the-watch']) t.false(child.output().includes(password));
    }),
  );
});
