import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { Client } from 'pg';
import { pino } from 'pino';
import { z } from 'zod';
import { HOUR, SECOND } from '#shared/values/time.ts';
import { createPool, sql } from '#shared/platform/db.ts';
import { openPostgresQueue, returnToNow } from '#shared/platform/postgres_queue.ts';
import { createQueue } from '#shared/platform/queue.ts';
import { jobKinds } from '#shared/running/work/kinds/index.ts';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { measureOldest } from '#shared/running/work/oldest_pending.ts';
import { randomBytes } from 'node:crypto';
import { testDatabase } from '#test/helpers/database.ts';
import { listening } from '#test/helpers/listening.ts';
import { event } from '#test/helpers/make.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { testRedis } from '#test/helpers/redis.ts';
import { engineTest, webhookWorld } from '#test/helpers/webhooks.ts';
import { until } from '#test/helpers/until.ts';
import { world } from '#test/helpers/world.ts';
import { startSchedule } from '#workers/schedule.ts';

engineTest(
  'the work of a process that died is queued at its next look, and that of one that lives is not',
  async (t, engine) => {
    const w = await world(t, {
      own_database: true,
      ...(engine === 'redis' && { settings: { REDIS_URL: await testRedis(t) } }),
    });
    const { queue } = w.services;
    const look = async () => {
      await reconcileKind('detect', { ...w.services, now: () => Date.now() + 2_000 });
      return (await queue.counts('detect'))['waiting'];
    };
    // It takes the job and is never heard of again, but for its lock.
    const dead = queue.work('detect', () => new Promise<void>(() => {}));
    t.teardown(() => dead.close(true));
    await w.as.post('/v1/events', event());
    await until(async () => (await queue.counts('detect'))['active'] === 1);
    await dead.pause(true);
    const judge = new Client({ connectionString: w.database.owner_url });
    await judge.connect();
    await judge.query('begin');
    await judge.query('select from detection_cursors where org_id = $1 for update', [w.tenant.org_id]);
    t.is(await look(), 0, 'somebody judges its events');
    await judge.end();
    t.is(await look(), 1);
    t.is(await look(), 1, 'and no more than once');
    await w.analyze();
    t.is(await look(), 1);
  },
);

/** The connections of processes that work on a queue. */
const connectionsOf = ({ db }: Awaited<ReturnType<typeof webhookWorld>>) =>
  db.any(sql.type(z.object({ pid: z.int(), process: z.string() }))`
    select pid, classid || ' ' || objid as process from pg_locks
    where locktype = 'advisory' and mode = 'ShareLock' and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())`);

test('a worker that is stopped while it starts leaves no connection behind', async t => {
  const w = await webhookWorld(t);
  const queue = w.openQueue(w.log);
  const worker = queue.work('webhook', () => Promise.resolve());
  await worker.close();
  await worker.waitUntilReady().catch(() => {});
  await queue.close();
  await until(async () => (await connectionsOf(w)).length === 0);
  t.pass();
});

test('the jobs of a process that has ended are freed before their locks run out, those of one that was cut off are not', async t => {
  const w = await webhookWorld(t);
  const taken: string[] = [];
  const left: string[] = [];
  const take = (process: string) => {
    const queue = w.openQueue(w.log);
    const worker = queue.work('detect', async ({ org_id }) => {
      taken.push(`${process} took ${org_id}`);
      return new Promise<void>(() => {});
    });
    t.teardown(() => worker.close(true));
    return queue;
  };
  const look = () => w.queue.freeAbandoned(async (kind, _data, worker) => void left.push(`${kind} of ${worker}`));
  const looks = async () => (await look()) + (await look());
  const ended = take('ended');
  await w.queue.add('detect', [{ ...w.tenant, org_id: 'a' }]);
  await until(() => taken.length === 1);
  take('alive');
  await w.queue.add('detect', [{ ...w.tenant, org_id: 'b' }]);
  await until(() => taken.length === 2);
  // As if they were locked for an hour.
  await w.db.query(sql.unsafe`update bullmq.job set locked_until_ms = locked_until_ms + 3600000`);
  t.is(await looks(), 0);

  const cut = (await connectionsOf(w)).map(({ pid }) => pid);
  await w.asOwner(`select pg_terminate_backend(pid) from unnest(array[${cut.join(',')}]) pid`);
  await until(async () => {
    const reopened = (await connectionsOf(w)).filter(({ pid }) => !cut.includes(pid));
    return new Set(reopened.map(({ process }) => process)).size === 2;
  });
  t.is(await looks(), 0, 'both have connections again');

  await ended.close();
  await until(async () => (await look()) === 1);
  t.is(await looks(), 0);
  t.is(left.length, 1);
  t.regex(left[0] ?? '', /^detect of -?[0-9]+$/);
  take('next');
  await until(() => taken.length === 3);
  t.deepEqual(taken, ['ended took a', 'alive took b', 'next took a']);
});

test('what a process with a clock ahead wrote into the queue holds up nobody once it is gone or right', async t => {
  const w = await world(t, { own_database: true });
  const { producer, close } = openPostgresQueue(
    { database_url: w.database.service_url, database_role: undefined },
    pino({ level: 'silent' }),
  );
  t.teardown(close);
  const look = async (queue: string, ahead: number) => {
    await w.db.query(sql.unsafe`
      insert into bullmq.meta (queue, field, value)
      values (${queue}, 'stalled-check', ((extract(epoch from now()) * 1000)::int8 + ${ahead}::int8)::text)
      on conflict (queue, field) do update set value = excluded.value`);
  };
  await w.db.query(sql.unsafe`
    insert into bullmq.job (queue, id, seq, name, state, delay_ms, added_at_ms, process_at_ms)
    select 'webhook', kind, 1, 'webhook', 'delayed', delay, at, at + delay + ahead
    from (values ('ahead', 300000, ${2 * HOUR}::int8), ('right', 3600000, 0)) as v (kind, delay, ahead),
      (select (extract(epoch from now()) * 1000)::int8 as at) a`);
  await look('gone', 2 * HOUR);
  await look('alive', 2 * HOUR);
  await look('right', SECOND);
  const seen = await returnToNow(producer, []);
  t.deepEqual(seen.map(each => each.split(' ')[0]).toSorted(), ['alive', 'gone']);
  await look('alive', 2 * HOUR + SECOND);
  t.is((await returnToNow(producer, seen)).length, 1, 'the one that looked again');
  const looks = await w.db.anyFirst(
    sql.type(z.object({ queue: z.string() }))`
      select queue from bullmq.meta where field = 'stalled-check' and queue in ('gone', 'alive', 'right') order by 1`,
  );
  t.deepEqual(looks, ['alive', 'right']);
  const jobs = await w.db.any(
    sql.type(z.object({ id: z.string(), minutes: z.number() }))`
      select id, round((process_at_ms - extract(epoch from now()) * 1000) / 60000)::int as minutes from bullmq.job order by 1`,
  );
  t.deepEqual(jobs, [
    { id: 'ahead', minutes: 5 },
    { id: 'right', minutes: 60 },
  ]);
});

test('a process whose connections were cut has its lock again as soon as the database takes connections, whoever asks meanwhile', async t => {
  const { service_url } = await testDatabase(end => t.teardown(end));
  const direct = await createPool(service_url, { max: 1, application_name: 'test' });
  t.teardown(() => direct.end());
  const way = await wayTo(t, service_url);
  const { consumer, close } = openPostgresQueue(
    { database_url: way.url, database_role: undefined },
    pino({ level: 'silent' }),
  );
  t.teardown(close);
  const locks = () =>
    direct.oneFirst(sql.type(z.object({ count: z.int() }))`
      select count(*)::int from pg_locks where locktype = 'advisory' and mode = 'ShareLock'
        and database = (select oid from pg_database where datname = current_database())`);
  const client = await consumer.connect();
  t.is(await locks(), 1);
  way.shut();
  const refused = consumer.query('select 1');
  client.release(true);
  await t.throwsAsync(refused);
  await until(async () => (await locks()) === 0);
  await way.open();
  await until(async () => (await locks()) === 1);
  t.pass();
});

/** A way to the database that can be shut: connections are cut, and further ones refused. */
async function wayTo(t: ExecutionContext, url: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer(from => {
    const to = connect(Number(target.port), target.hostname);
    for (const socket of [from, to]) sockets.add(socket.on('error', () => {}));
    from.pipe(to).pipe(from);
  });
  let port = 0;
  const open = async () => {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    ({ port } = server.address() as AddressInfo);
  };
  const shut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  await open();
  t.teardown(shut);
  return { url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href, open, shut };
}

engineTest('a job that fails for a reason of ours is logged', async (t, engine) => {
  const { openQueue, tenant } = await webhookWorld(t, { engine });
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: line => lines.push(line) });
  const queue = openQueue(log);
  const worker = queue.work('detect', () => Promise.reject(new TypeError('a fault')));
  t.teardown(() => worker.close());
  await queue.add('detect', [tenant]);
  await until(() => lines.length > 0);
  t.like(JSON.parse(lines[0] ?? ''), { msg: 'job failed', queue: 'detect' });
});

test('queue depth and the age of what waits are in the metrics of the schedule', async t => {
  const { url } = await receiver(t);
  const w = await webhookWorld(t);
  await w.endpoint(url);
  await w.deliver(3);
  await pause(50);
  await measureOldest(w);
  const { metrics } = w;
  t.true(((await metrics.oldestPending.get()).values.find(({ labels }) => labels.kind === 'webhook')?.value ?? 0) > 0);
  const schedule = startSchedule(w);
  await until(async () => (await metrics.registry.metrics()).includes('queue_jobs{queue="webhook",state="waiting"} 3'));
  await schedule.stop();
  t.pass();
});

test('a secret that was sealed with another key is written down as a failed attempt', async t => {
  const { url, received } = await receiver(t);
  const w = await webhookWorld(t);
  await w.endpoint(url);
  w.config.secret_key = [randomBytes(32)];
  w.work();
  await w.deliver();
  await until(async () => (await w.states())['failed'] === 1);
  const [delivery] = await w.deliveries();
  t.is(delivery?.attempts.length, 5);
  t.regex(delivery?.attempts[0]?.error ?? '', /cannot be opened with this SECRET_KEY/);
  t.is(received.length, 0);
});

test('connections of the queue that are cut again and again end no process', async t => {
  const { url } = await receiver(t);
  const w = await webhookWorld(t);
  await w.endpoint(url);
  w.work();
  w.reconcile();
  for (let cut = 0; cut < 10; cut += 1) {
    await w.deliver(5).catch(() => {});
    await w.asOwner(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'oversight-queue' and datname = current_database()`,
    );
  }
  await until(async () => (await w.states())['delivered'] === (await w.deliveries()).length);
  t.pass();
});

test('a service whose connections are all in use is ready', async t => {
  const { db, as } = await world(t, { own_database: true });
  const busy = Array.from({ length: 12 }, () => db.query(sql.unsafe`select pg_sleep(1.5)`));
  await pause(100);
  t.is((await as.get('/readyz')).status, 200);
  await Promise.all(busy);
});

test('a worker that gets no connection leaves the process its turns', async t => {
  let connections = 0;
  // A server that is starting up, or a proxy without one behind it.
  const server = createServer(socket => {
    connections += 1;
    socket.destroy();
  });
  const database_url = `postgresql://nobody@127.0.0.1:${await listening(t, server)}/none`;
  const engine = { redis_url: undefined, database_url, database_role: undefined };
  const queue = createQueue(engine, jobKinds, pino({ level: 'silent' }));
  const worker = queue.work('detect', () => Promise.resolve());
  await t.throwsAsync(worker.waitUntilReady());
  const before = connections;
  for (let turn = 0; turn < 50; turn += 1) await pause(1);
  t.false(worker.isRunning());
  t.true(connections - before < 5, `${connections - before} connections meanwhile`);
  await worker.close();
  await queue.close();
});
