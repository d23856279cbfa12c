import test from 'ava';
import { Client } from 'pg';
import { queryAt } from '#test/helpers/embedded_postgres.ts';
import { event } from '#test/helpers/make.ts';
import { callersOf } from '#test/helpers/inhabit.ts';
import { exampleBody, guarded, nameOf, neededQuery, pathOf } from '#test/helpers/routes.ts';
import { operatorWorld } from '#test/helpers/operator.ts';
import { createServices } from '#shared/running/services.ts';
import { until } from '#test/helpers/until.ts';
import { type World, world } from '#test/helpers/world.ts';

/** What can happen to the database of a world. */
function troubleOf({ database }: Pick<World, 'database'>) {
  const url = new URL(database.owner_url);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const asOwner = async (statement: string) => {
    const client = new Client({ connectionString: url.href });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  const cut = () => asOwner(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  return {
    /** Runs a statement in another database. */
    asOwner,
    /** Ends every connection; new ones are let in. */
    cut,
    async close() {
      await asOwner(`alter database ${name} with allow_connections false`);
      await cut();
    },
    open: () => asOwner(`alter database ${name} with allow_connections true`),
  };
}

test('while the database is away every route answers 503 and when to try again; afterwards it works as before', async t => {
  const here = await world(t, { own_database: true });
  const { as, client } = here;
  const callerOf = await callersOf(here);
  const trouble = troubleOf(here);
  await as.post('/v1/events', event());
  await trouble.close();
  for (const route of guarded) {
    const path = pathOf(route) + neededQuery(route);
    const { status, headers, body } = await callerOf(route).send(route.method.toUpperCase(), path, {
      ...(route.body && { body: JSON.stringify(route.operation_id.endsWith('Events') ? event() : exampleBody(route)) }),
      headers: { 'content-type': 'application/json' },
    });
    t.is(status, 503, nameOf(route));
    t.is(body.error.code, 'unavailable');
    t.is(headers.get('retry-after'), '1');
  }
  t.is((await client(`hk_test_${'b'.repeat(32)}`).get('/v1/events')).status, 503, 'who calls cannot be known');
  t.is((await client('nonsense').get('/v1/events')).status, 401);
  t.deepEqual([(await client().get('/livez')).status, (await client().get('/v1/openapi.json')).status], [200, 200]);
  const red = await fetch(`${here.api.address}/readyz`);
  t.deepEqual([red.status, await red.json()], [503, { status: 'no database' }]);
  const page = await fetch(`${here.api.address}/sign-in/${'x'.repeat(43)}`, { headers: { accept: 'text/html' } });
  t.deepEqual([page.status, page.headers.get('content-type')], [503, 'text/html; charset=utf-8']);
  t.regex(await page.text(), /<h1>Something went wrong<\/h1><p>The service cannot reach its database/);

  await trouble.open();
  t.is((await client().get('/readyz')).status, 200);
  t.is((await as.post('/v1/events', event())).status, 201);
  t.is((await as.get('/v1/events')).body.data.length, 2);
});

test('connections that are cut under load lose nothing that was answered and leave no gap', async t => {
  const here = await world(t, { own_database: true });
  const { as } = here;
  const trouble = troubleOf(here);
  const sent = Array.from({ length: 120 }, () => event());
  const stored = new Set<string>();
  const sender = async (first: number) => {
    for (const one of sent.slice(first, first + 20)) {
      // The client does what the 503 asks for, and the id of the event makes it safe.
      for (let status = 0; status !== 200 && status !== 201;) {
        status = (await as.post('/v1/events', one)).status;
        t.true([200, 201, 503].includes(status), String(status));
      }
      stored.add(one.id);
    }
  };
  const senders = Promise.all([0, 20, 40, 60, 80, 100].map(sender));
  for (const part of [10, 40, 70, 100]) {
    while (stored.size < part) await new Promise(resolve => setImmediate(resolve));
    await trouble.cut();
  }
  await senders;
  // Over a connection of its own: one of the pool may have been cut and not know of it yet.
  const log = await queryAt(here.database.owner_url, 'select chain_seq::int, id from events order by chain_seq');
  t.deepEqual(
    log.map(row => row['chain_seq']),
    [...sent.keys()].map(index => index + 1),
  );
  t.deepEqual(log.map(row => row['id']).toSorted(), sent.map(({ id }) => id).toSorted());
});

test('operators see at /ops that the database is away, and change nothing meanwhile', async t => {
  const here = await operatorWorld(t);
  const id = await here.failJob('recheck', here.tenant);
  const trouble = troubleOf(here);
  await trouble.close();
  const { status, body } = await here.ask('/ops');
  t.is(status, 200);
  t.true(body.includes('The database is not responding'));
  t.is((await here.change('POST', `/ops/retry/recheck/${id}`)).status, 503);
  await trouble.open();
  await until(async () => (await here.ask('/ops')).body.includes(id));
  t.is((await here.change('POST', `/ops/retry/recheck/${id}`)).status, 303);
});

test('while the database takes no changes, or takes too long, callers hear when to try again', async t => {
  const here = await world(t, { own_database: true });
  const name = new URL(here.database.owner_url).pathname.slice(1);
  const trouble = troubleOf(here);
  /** The service notices one after the other that its connections were cut, and says so meanwhile. */
  const reached = async <T>(ask: () => Promise<T>) => {
    let answer: T | undefined;
    await until(async () => {
      answer = await ask();
      return !/cannot reach|no database/.test(JSON.stringify(answer));
    });
    return answer;
  };
  const post = () =>
    reached(async () => {
      const { status, headers, body } = await here.as.post('/v1/events', event());
      return { status, again: headers.get('retry-after'), message: body.error?.message };
    });
  const set = async (setting: string) => {
    await trouble.asOwner(`alter database ${name} ${setting}`);
    await trouble.cut();
  };
  await set('set default_transaction_read_only = on');
  t.deepEqual(await post(), {
    status: 503,
    again: '1',
    message: 'The database takes no changes at the moment. Try again.',
  });
  const readiness = await reached(async () => {
    const answer = await fetch(`${here.api.address}/readyz`);
    return [answer.status, await answer.json()];
  });
  t.deepEqual(readiness, [503, { status: 'read-only database' }]);
  await set('reset default_transaction_read_only');
  await set('set lock_timeout = 1');
  t.is((await post())?.status, 201);

  const locker = new Client({ connectionString: here.database.owner_url });
  await locker.connect();
  await locker.query('set default_transaction_read_only = off; begin; lock table events in access exclusive mode');
  t.deepEqual(await post(), {
    status: 503,
    again: '1',
    message: 'The database takes too long at the moment. Try again.',
  });
  await locker.end();
  t.is((await post())?.status, 201);
});

test('a service that would not act as its role does not start', async t => {
  const { config, database } = await world(t, { own_database: true });
  const pooled = { ...database, service_url: database.owner_url };
  const error = await t.throwsAsync(createServices(config, pooled, 'test'));
  t.regex(error?.message ?? '', /act as postgres, not as oversight_service/);
});
