import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { createClient } from '#test/helpers/client.ts';
import { until } from '#test/helpers/until.ts';
import { home, isClosed, stop } from '#test/helpers/home.ts';
import { event } from '#test/helpers/make.ts';
import { addressOf } from '#test/helpers/process.ts';

test('one command starts the whole service; an operator’s key works at once; a signal stops all of it', async t => {
  const { DATA_DIR, start, admin, key, databaseRuns } = await home(t, { fresh: true });
  const service = start();
  const address = await addressOf(service);
  const ready = await fetch(`${address}/readyz`);
  t.deepEqual([ready.status, await ready.json()], [200, { status: 'ok' }]);
  await service.says(/Ctrl-C stops it/);
  t.true(service.output().includes(`${address}/v1/openapi.json`));
  const [, password] = await service.says(/operators \S+\/ops as operator, password (\S+)/);
  const authorization = `Basic ${btoa(`operator:${password}`)}`;
  t.is((await fetch(`${address}/ops`, { headers: { authorization } })).status, 200);
  const kept = join(DATA_DIR, 'ops-credential');
  t.deepEqual([await readFile(kept, 'utf8'), (await stat(kept)).mode & 0o777], [`operator:${password}`, 0o600]);
  // The page behind the printed link is there as long as there is no organization.
  const [, setup = ''] = await service.says(/(http:\S+\/setup\/\S+)/);
  t.is(new URL(setup).origin, address);
  t.is((await fetch(setup)).status, 200);
  const full = await key({ typed: true });
  t.is((await fetch(setup)).status, 404);
  // The same payment twice.
  const at = Date.now() - 60_000;
  const sent = [event({ cents: '30000', at }), event({ cents: '30000', at: at + 1_000 })];
  const as = createClient(t, address, full);
  t.is((await as.post('/v1/events', { events: sent })).body.accepted, 2);
  await until(async () => (await as.get('/v1/alerts')).body.data.length > 0);

  // A fresh sandbox screens by a list of made-up names, and says so.
  const { body } = await as.post('/v1/screen', { payee: { name: 'Zorvan Quillfeather' } });
  t.like(body.screening, { state: 'potential_match', lists: [{ name: 'fictional' }] });

  // A link that the operator makes beside the service leads to it, on whatever port it runs.
  await admin.json('user', 'create', '--org', 'Acme', '--email', 'ada@example.com', '--role', 'owner');
  const { url } = await admin.json('sign-in-link', '--email', 'ada@example.com');
  t.is(new URL(url).origin, address);
  t.is((await fetch(url)).status, 200);

  await stop(t, service);
  t.true(await isClosed(address));
  t.false(await databaseRuns());
});
