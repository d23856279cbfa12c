import test from 'ava';
import { z } from 'zod';
import { CountriesPaid } from '#shared/detection/model/countries_paid.ts';
import { sql } from '#shared/platform/db.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const paid = (agent: string, country: string | null) => {
  const sent = event({ agent, payee: `domain:shop-${country}.example.com` });
  Object.assign((sent['payment'] as { payee: object }).payee, country === null ? {} : { country });
  return sent;
};

test('where agents pay is learned as they do, and loaded for a log that was analyzed before that was learned', async t => {
  const w = await world(t, { own_database: true });
  const learned = () =>
    w.db.oneFirst(sql.type(z.object({ countries: CountriesPaid }))`
      select spreads->'countries' as countries from detection_cursors where org_id = ${w.tenant.org_id}`);
  const countries = { agents: 3, by: { DE: 2, FR: 2 } };
  const events = [paid('a', 'DE'), paid('a', 'FR'), paid('b', 'DE'), paid('b', 'DE'), paid('c', 'FR'), paid('d', null)];
  await w.as.post('/v1/events', { events });
  await w.analyze();
  t.deepEqual(await learned(), countries);
  await w.db.query(sql.unsafe`update detection_cursors set spreads = spreads - 'countries' - 'largest'`);
  await w.as.post('/v1/events', paid('a', 'DE'));
  await w.analyze();
  t.deepEqual(await learned(), countries);
});
