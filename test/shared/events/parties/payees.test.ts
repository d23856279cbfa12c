import test from 'ava';
import { Client } from 'pg';
import { z } from 'zod';
import { registerPayees } from '#shared/events/parties/payees.ts';
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

test('a renamed payee waits for whoever is screening it, and nobody who only names it does', async t => {
  const w = await world(t, { own_database: true });
  await w.as.post('/v1/events', paid({ name: 'Bakery Anna' }));
  const screener = new Client({ connectionString: w.database.owner_url });
  await screener.connect();
  await screener.query('begin');
  await screener.query('select from payee_screenings for update');
  const ref = (name: string | null, key = 'domain:shop.example.com') => ({ key, type: null, name, country: null });
  const renamed = registerPayees(
    w.db,
    w.tenant,
    [ref('New', 'domain:new.example.com'), ref('Bakery Berta')],
    w.services.now(),
  );
  const isWaiting = sql.type(
    z.object({ waits: z.boolean() }),
  )`select exists (select from pg_locks where not granted) as waits`;
  while (!(await w.db.oneFirst(isWaiting)));
  const named = [ref(null), ref('New', 'domain:new.example.com')];
  t.is((await registerPayees(w.db, w.tenant, named, w.services.now())).registered.length, 2);
  await screener.query('commit');
  await screener.end();
  t.true((await renamed).moved);
  t.deepEqual(await w.db.anyFirst(sql.type(z.object({ name: z.string() }))`select name from payees order by name`), [
    'Bakery Berta',
    'New',
  ]);
});

test('a name that directs the text around it is kept as it is shown, and the log has it as it was sent', async t => {
  const w = await world(t);
  const name = '\u202epohS dooG';
  const more = { agent: { external_id: 'a', name: '\u2067Buyer' }, owner: { external_id: 'o', name: 'Owner\u200f' } };
  const sent = [0, 1].map(() => event({ payee: 'domain:good.example.com', payee_name: name, cents: '48100', more }));
  await w.as.post('/v1/events', { events: sent });
  await w.analyze();
  const read = (list: string) => w.as.get(`/v1/${list}`).then(({ body }) => body.data);
  t.like((await read('payees'))[0], { name: 'Good Shop / pohS dooG', aliases: [] });
  t.is((await read('agents'))[0].name, 'Buyer');
  t.is((await read('owners'))[0].name, 'Owner');
  t.true(
    (await read('alerts')).some(({ title }: { title: string }) => title === 'Paid Good Shop / pohS dooG $481.00 twice'),
  );
  t.is((await w.as.get(`/v1/events/${sent[0]?.id}`)).body.payment.payee.name, name);
});

test('a name of which nothing can be seen is none', async t => {
  const w = await world(t);
  for (const name of ['\u200b', ' \u00a0', '\u3164'])
    await w.as.post('/v1/events', event({ payee: 'domain:blank.example.com', payee_name: name }));
  t.like((await w.as.get('/v1/payees')).body.data[0], { name: null, aliases: [], key: 'domain:blank.example.com' });
});
