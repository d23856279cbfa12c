import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { event } from '#test/helpers/make.ts';
import { type World, world } from '#test/helpers/world.ts';

const paid = (payee: Record<string, string>) => {
  const sent = event();
  Object.assign(sent['payment'] as object, { payee: { key: 'domain:shop.example.com', ...payee } });
  return sent;
};

const aliases = ({ db }: World) =>
  db.oneFirst(sql.type(z.object({ aliases: z.array(z.string()) }))`select aliases from payees`);

test('a payee that changed often is found by its newest name', async t => {
  const w = await world(t, { own_database: true });
  for (let change = 0; change < 40; change += 1)
    await w.as.post(
      '/v1/events',
      paid({ name: `A shop with a rather long name that is written out`, country: change % 2 ? 'DE' : 'FR' }),
    );
  await w.as.post('/v1/events', paid({ name: 'Épicerie Nouvelle' }));
  t.is((await w.as.get('/v1/events?q=epicerie')).body.data.length, 41);
  t.is((await w.as.get('/v1/events?q=rather+long')).body.data.length, 41);
});

test('the latest 20 former names of a payee are kept', async t => {
  const w = await world(t, { own_database: true });
  for (let change = 1; change <= 25; change += 1) await w.as.post('/v1/events', paid({ name: `name ${change}` }));
  t.deepEqual(
    await aliases(w),
    Array.from({ length: 20 }, (_, index) => `name ${index + 5}`),
  );
});
