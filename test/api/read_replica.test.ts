import test from 'ava';
import { startApi } from '#api/server.ts';
import { createPool, type Pool } from '#shared/platform/db.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

type Asked = { queries: number; fails: boolean };

/** A pool that counts what it is asked, and can be made to fail. */
const watched = (pool: Pool, asked: Asked): Pool =>
  new Proxy(pool, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        asked.queries += 1;
        if (asked.fails && asked.queries % 2 === 0) throw new Error('gone');
        return Reflect.apply(member, target, args);
      };
    },
  });

test('lists are read from a replica that has all they are made of, else from the primary', async t => {
  const { as, full, client, services, database } = await world(t, { own_database: true });
  const empty = await testDatabase(end => t.teardown(end));
  const open = async (url: string) => {
    const pool = await createPool(url, { max: 2, application_name: 'replica' });
    t.teardown(() => pool.end());
    return pool;
  };
  const asked: Asked = { queries: 0, fails: false };
  const same = watched(await open(database.service_url), asked);
  const behind = await open(empty.service_url);
  let current: Pool | null = same;
  const replica = { current: () => current, close: async () => {} };
  const api = await startApi({ ...services, replica });
  t.teardown(api.stop);
  const reader = client(full.key, api.address);

  await reader.post('/v1/events', event());
  t.is(asked.queries, 0);
  t.is((await reader.get('/v1/events')).body.data.length, 1);
  t.is(asked.queries, 2);

  current = behind;
  t.is((await reader.get('/v1/events')).body.data.length, 1);

  current = same;
  asked.fails = true;
  t.is((await reader.get('/v1/events')).body.data.length, 1);
  t.is(asked.queries, 4);

  current = null;
  t.deepEqual((await reader.get('/v1/events')).body, (await as.get('/v1/events')).body);
  t.is(asked.queries, 4);
});

test('the service starts while the replica is away, and reads from the primary', async t => {
  const { as } = await world(t, { settings: { DATABASE_READ_URL: 'postgres://service@127.0.0.1:1/oversight' } });
  t.is((await as.get('/v1/events')).status, 200);
  t.is((await as.get('/v1/agents')).status, 200);
});
