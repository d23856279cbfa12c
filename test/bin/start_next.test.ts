import test from 'ava';
import { createClient } from '#test/helpers/client.ts';
import { home, isClosed, stop } from '#test/helpers/home.ts';
import { event } from '#test/helpers/make.ts';
import { addressOf } from '#test/helpers/process.ts';

test('a second start leaves the first one running; once that is stopped, the next one has its data and its credential', async t => {
  const { start, key, databaseRuns } = await home(t);
  const service = start();
  const address = await addressOf(service);
  const [, password] = await service.says(/operators \S+\/ops as operator, password (\S+)/);
  const full = await key();
  const sent = event();
  t.is((await createClient(t, address, full).post('/v1/events', sent)).status, 201);

  // A second start says where the first one runs, and leaves it running.
  const second = await start().ended;
  t.is(second.code, 1);
  t.true(second.stderr.includes(`already runs on the data directory`) && second.stderr.includes(address));
  t.false(second.stderr.includes('    at '), 'no stack');
  t.is((await fetch(`${address}/readyz`)).status, 200);

  await stop(t, service);
  t.true(await isClosed(address));
  t.false(await databaseRuns());

  const again = start();
  t.is((await again.says(/as operator, password (\S+)/))[1], password);
  await again.says(/Ctrl-C stops it/);
  t.false(again.output().includes('/setup/'), 'an organization is there');
  const later = createClient(t, await addressOf(again), full);
  t.is((await later.get(`/v1/events/${sent.id}`)).status, 200);
  await stop(t, again, 'SIGINT');
});
