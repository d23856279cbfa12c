import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { findOlderBinaries } from '#shared/embedded_postgres/older_binaries.ts';
import { openAt } from '#shared/embedded_postgres/open.ts';
import { findDataFolder } from '#shared/embedded_postgres/data_folder.ts';
import { createClient } from '#test/helpers/client.ts';
import { adminOf } from '#test/helpers/admin.ts';
import { queryAt, temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { stop } from '#test/helpers/home.ts';
import { event } from '#test/helpers/make.ts';
import { addressOf, run } from '#test/helpers/process.ts';
import { until } from '#test/helpers/until.ts';

const counts = `select (select count(*)::int from events) as events, (select count(*)::int from alerts) as alerts`;

/** A data folder that a service on PostgreSQL 17 has left, and the key of its organization; null where npm cannot fetch that. */
async function oldHome(t: ExecutionContext) {
  const DATA_DIR = await temporaryFolder(t);
  const place = await findDataFolder(DATA_DIR, () => {});
  const older = await findOlderBinaries(place, '17', () => {}).catch(
    (error: Error) => void t.log(`not tried: ${error.message}`),
  );
  if (!older) return null;
  const postgres = await openAt(place, { programs: older.programs });
  const settings = { DATABASE_URL: postgres.owner_url, DATA_DIR, PORT: '0' };
  const service = run(t, 'bin/start.ts', [], settings);
  const as_operator = adminOf(t, settings);
  const address = await addressOf(service);
  await as_operator.json('org', 'create', '--name', 'Acme');
  const { key } = await as_operator.json('key', 'create', '--org', 'Acme', '--name', 'first', '--scopes', 'all');
  const as = createClient(t, address, key);
  const at = Date.now() - 60_000;
  const pair = [event({ cents: '30000', at }), event({ cents: '30000', at: at + 1_000 })];
  const many = Array.from({ length: 998 }, (_, index) => event({ agent: `agent-${index % 7}`, at: at + index }));
  t.is((await as.post('/v1/events', { events: [...pair, ...many] })).body.accepted, 1_000);
  await until(async () => (await as.get('/v1/alerts')).body.data.length > 0);
  await stop(t, service);
  const [before] = await queryAt(postgres.owner_url, counts);
  await postgres.close();
  return { DATA_DIR, key, before };
}

test('a start on data of an older PostgreSQL carries them over, also after it was killed in the middle, and keeps them as they were', async t => {
  const old = await oldHome(t);
  if (!old) return t.pass();
  const { DATA_DIR, key, before } = old;
  const start = () => run(t, 'bin/start.ts', [], { DATA_DIR, PORT: '0' });
  const directory = join(DATA_DIR, 'postgres');
  const versions = async () =>
    (await readdir(DATA_DIR)).filter(name => existsSync(join(DATA_DIR, name, 'PG_VERSION'))).toSorted();

  const moments = [
    () => until(() => existsSync(`${directory}.carrying-over/postmaster.pid`)),
    (service: ReturnType<typeof start>) => service.says(/verifying the log of/),
  ];
  for (const moment of moments) {
    const killed = start();
    await moment(killed);
    killed.kill('SIGKILL');
    await killed.ended;
    t.is((await readFile(join(directory, 'PG_VERSION'), 'utf8')).trim(), '17');
  }

  const service = start();
  await service.says(/the data in .* are of PostgreSQL 17 and are carried over to PostgreSQL 18/);
  await service.says(/the database is carried over; as it was before it is kept in .*postgres-17:/);
  const as = createClient(t, await addressOf(service), key);
  t.is((await as.post('/v1/events', event())).body.chain_seq, 1_001);
  const operator = adminOf(t, { DATA_DIR });
  t.like(await operator.json('log', 'verify', '--org', 'Acme'), { ok: true, size: 1_001 });
  await stop(t, service);
  t.deepEqual(await versions(), ['postgres', 'postgres-17']);
  t.is((await readFile(join(directory, 'PG_VERSION'), 'utf8')).trim(), '18');

  // What was kept is a database as good as before.
  const elsewhere = await temporaryFolder(t);
  execFileSync('cp', ['-a', join(DATA_DIR, 'postgres-17'), join(elsewhere, 'postgres')]);
  const place = await findDataFolder(elsewhere, () => {});
  const { programs } = await findOlderBinaries(place, '17', () => {});
  const kept = await openAt(place, { programs });
  t.deepEqual(await queryAt(kept.owner_url, counts), [before]);
  await kept.close();
});
