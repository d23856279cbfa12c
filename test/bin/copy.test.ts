import test from 'ava';
import { copyDatabase } from '#bin/backup/copy.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { queryAt } from '#test/helpers/embedded_postgres.ts';
import { world } from '#test/helpers/world.ts';

test('a database whose first start was broken off before it had tables is copied as one that holds nothing', async t => {
  const { config } = (await world(t)).services;
  const databaseOf = () => testDatabase(t.teardown, 'template0');
  const [source, target] = [await databaseOf(), await databaseOf()];
  let settled = 0;
  const settle = async () => void (settled += 1);
  t.deepEqual(await copyDatabase(source.owner_url, target, config, { settle }), { rows: 0, logs: [] });
  t.is(settled, 1);
  t.deepEqual(await queryAt(target.owner_url, 'select count(*)::int as events from events'), [{ events: 0 }]);
});
