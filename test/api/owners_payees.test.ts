import test from 'ava';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

type Named = { external_id: string; key: string };

test('an owner tells how many agents it has and when it was last seen', async t => {
  const w = await world(t);
  const by = (owner: string, agent: string) =>
    event({ agent, more: { owner: { external_id: owner, name: `Owner ${owner}`, country: 'DE' } } });
  await w.as.post('/v1/events', { events: [by('a', 'a1'), by('a', 'a2'), by('b', 'b1')] });
  const [fresh] = (await w.as.get('/v1/owners')).body.data;
  t.like(fresh, { agent_count: 0, last_seen_at: fresh.first_seen_at });
  await w.analyze({ limit: 2 });
  // An agent stays its first owner's, whoever sends it later.
  await w.as.post('/v1/events', { events: [by('b', 'a1'), by('a', 'a1')] });
  await w.analyze();
  const { body } = await w.as.get('/v1/owners');
  const owners = new Map(body.data.map((owner: Named) => [owner.external_id, owner]));
  t.like(owners.get('a'), { agent_count: 2, name: 'Owner a', country: 'DE' });
  t.like(owners.get('b'), { agent_count: 1 });
  const received = (await w.as.get('/v1/events')).body.data[0].received_at;
  for (const owner of body.data) {
    t.is(owner.last_seen_at, received);
    t.deepEqual((await w.as.get(`/v1/owners/${owner.id}`)).body, owner);
    t.is((await w.as.get(`/v1/agents?owner_id=${owner.id}`)).body.data.length, owner.agent_count);
  }
  const found = async (q: string) =>
    (await w.as.get(`/v1/owners?q=${encodeURIComponent(q)}`)).body.data.map((owner: Named) => owner.external_id);
  t.deepEqual(await found('OWNER a'), ['a']);
  t.deepEqual(await found(body.data[0].id), [body.data[0].external_id]);
  t.deepEqual(await found('wner_'), [], 'what stands for any letter in a pattern is a letter here');
  t.is((await w.as.get(`/v1/owners/${newId('own')}`)).status, 404);
  const first = await w.as.get('/v1/owners?limit=1');
  const second = await w.as.get(`/v1/owners?limit=1&cursor=${first.body.next_cursor}`);
  t.deepEqual([...first.body.data, ...second.body.data], body.data);
  await w.as.post('/v1/events', event({ agent: 'o', more: { owner: { external_id: 'o', name: 'Ödeme A.Ş.' } } }));
  for (const q of ['Ödeme A.Ş.', 'ödeme a.ş']) t.deepEqual(await found(q), ['o'], q);
});

test('records are listed by their ids, up to 200 at once, and never those of another organization', async t => {
  const w = await world(t);
  await w.as.post('/v1/events', {
    events: [...'abc'].map(name => event({ agent: name, payee: `domain:${name}.com` })),
  });
  await w.analyze();
  const elsewhere = w.client((await w.key((await w.organization('Beside')).id)).key);
  for (const [list, prefix] of [
    ['agents', 'agt'],
    ['payees', 'pye'],
    ['events', 'evt'],
    ['owners', 'own'],
  ] as const) {
    const { body } = await w.as.get(`/v1/${list}`);
    const [first, second] = [body.data[0], body.data.at(-1)];
    const wanted = [first, second].filter((record, index, all) => all.indexOf(record) === index);
    const ids = [...wanted.map(({ id }) => id), newId(prefix)].join(',');
    t.deepEqual((await w.as.get(`/v1/${list}?ids=${ids.toLowerCase()}`)).body.data, wanted, list);
    t.deepEqual((await elsewhere.get(`/v1/${list}?ids=${ids}`)).body.data, [], list);
    const tooMany = Array.from({ length: 201 }, () => newId(prefix)).join(',');
    for (const wrong of ['', 'x', `${first.id},`, tooMany]) {
      const { status, body } = await w.as.get(`/v1/${list}?ids=${wrong}`);
      t.is(status, 400);
      t.is(body.error.details[0].path, 'query.ids');
    }
  }
});

test('a payee tells how many events name it and how many agents have paid it', async t => {
  const w = await world(t);
  const to = (payee: string, agent: string, type = 'payment.settled') =>
    event({ agent, payee: `domain:${payee}`, type });
  await w.as.post('/v1/events', {
    events: [
      to('a.com', 'x'),
      to('a.com', 'x'),
      to('a.com', 'y'),
      to('a.com', 'z', 'payment.failed'),
      to('b.com', 'x'),
    ],
  });
  t.like((await w.as.get('/v1/payees')).body.data[0], { event_count: 0, agent_count: 0, screening_state: 'pending' });
  await w.analyze({ limit: 2 });
  const { body } = await w.as.get('/v1/payees');
  const payees = new Map(body.data.map((payee: Named) => [payee.key, payee]));
  t.like(payees.get('domain:a.com'), { event_count: 4, agent_count: 2, name: null, aliases: [], type: null });
  t.like(payees.get('domain:b.com'), { event_count: 1, agent_count: 1 });
  for (const payee of body.data) t.deepEqual((await w.as.get(`/v1/payees/${payee.id}`)).body, payee);
  t.is((await w.as.get(`/v1/payees/${newId('pye')}`)).status, 404);
});

test('payees are found by text, screening state, type and country', async t => {
  const w = await world(t, { own_database: true });
  const paid = (key: string, more: Record<string, string> = {}) => {
    const sent = event();
    Object.assign(sent['payment'] as object, { payee: { key, ...more } });
    return sent;
  };
  await w.as.post('/v1/events', {
    events: [
      paid('domain:a.com', { name: 'Café Ölmühle', type: 'merchant', country: 'DE' }),
      paid('domain:b.com', { name: 'Bureau', type: 'business', country: 'FR' }),
      paid('iban:DE89370400440532013000', { name: 'Old name' }),
    ],
  });
  await w.as.post('/v1/events', paid('iban:DE89370400440532013000', { name: 'New name' }));
  await w.db.query(sql.unsafe`
    update payee_screenings set state = 'clear' where payee_id in (select id from payees where key = 'domain:b.com')`);
  const found = async (query: string) =>
    (await w.as.get(`/v1/payees?${query}`)).body.data.map((payee: Named) => payee.key);
  t.deepEqual(await found('q=olmuhle'), ['domain:a.com']);
  t.deepEqual(await found('q=de8937'), ['iban:DE89370400440532013000']);
  t.deepEqual(await found('q=old+name'), ['iban:DE89370400440532013000']);
  t.deepEqual(await found('type=business'), ['domain:b.com']);
  t.deepEqual(await found('country=de'), ['domain:a.com']);
  t.deepEqual(await found('country=DE&type=business'), []);
  t.deepEqual(await found('screening_state=clear'), ['domain:b.com']);
  t.is((await found('screening_state=pending')).length, 2);
  for (const query of ['type=bank', 'country=XX', 'country=', 'screening_state=fine', 'q=x', 'name=a'])
    t.is((await w.as.get(`/v1/payees?${query}`)).status, 400, query);
});
