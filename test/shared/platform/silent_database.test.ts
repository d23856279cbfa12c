import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { createPool, isLostDatabase, sql, stateOfDatabase } from '#shared/platform/db.ts';
import { testDatabase } from '#test/helpers/database.ts';

/** A way to the database that can fall silent: connections stay open, and nothing comes through them any more. */
async function wayTo(t: ExecutionContext, url: string) {
  const target = new URL(url);
  const open = new Set<Socket>();
  const server = createServer(from => {
    const to = connect(Number(target.port), target.hostname);
    for (const socket of [from, to]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => open.delete(socket));
    }
    from.pipe(to).pipe(from);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    silence() {
      for (const socket of open) socket.unpipe().pause();
    },
  };
}

test('a database that falls silent is lost to whoever asks it, and the next one asks over a new connection', async t => {
  const { service_url } = await testDatabase(end => t.teardown(end));
  const way = await wayTo(t, service_url);
  const db = await createPool(way.url, { max: 1, application_name: 'test', is_there: async () => false });
  db.on('error', () => {});
  t.teardown(() => db.end());
  await db.query(sql.unsafe`select 1`);
  way.silence();
  const asked = db.query(sql.unsafe`select 1`);
  const next = db.query(sql.unsafe`select 1`);
  const error = await t.throwsAsync(asked);
  t.true(error && isLostDatabase(error), error?.message);
  await t.notThrowsAsync(next);
});

test('a database that falls silent in the middle of a transaction is lost, too', async t => {
  const { service_url } = await testDatabase(end => t.teardown(end));
  const way = await wayTo(t, service_url);
  const db = await createPool(way.url, { max: 1, application_name: 'test', is_there: async () => false });
  db.on('error', () => {});
  t.teardown(() => db.end());
  const asked = db.transaction(async inner => {
    await inner.query(sql.unsafe`select 1`);
    way.silence();
    await inner.query(sql.unsafe`select 1`);
  });
  const error = await t.throwsAsync(asked);
  t.true(error && isLostDatabase(error), error?.message);
});

test('a database that takes long over a statement of a transaction, and answers meanwhile, is not lost', async t => {
  const { service_url } = await testDatabase(end => t.teardown(end));
  const open = async (is_there?: () => Promise<boolean>) => {
    const pool = await createPool(service_url, { max: 1, application_name: 'test', ...(is_there && { is_there }) });
    pool.on('error', () => {});
    t.teardown(() => pool.end());
    return pool;
  };
  const [holder, probe] = [await open(), await open()];
  const { promise: asked, resolve: wasAsked } = Promise.withResolvers<string>();
  const db = await open(async () => {
    const state = await stateOfDatabase(probe);
    wasAsked(state);
    return state === 'ok';
  });
  const lock = sql.unsafe`select pg_advisory_xact_lock(1)`;
  const held = Promise.withResolvers<void>();
  const holding = holder.transaction(async tx => {
    await tx.query(lock);
    held.resolve();
    t.is(await asked, 'ok');
  });
  await held.promise;
  await t.notThrowsAsync(db.transaction(tx => tx.query(lock)));
  await holding;
});
