import test from 'ava';
import type { BodyOf } from '#api/client/call.ts';
import { newId } from '#shared/interface/ids.ts';
import { alert } from '#test/helpers/alert.ts';
import { world } from '#test/helpers/world.ts';
import { input, signedIn, through } from './calls.ts';

test('a case is opened from an alert, worked on, and closed with a note', async t => {
  const here = await world(t);
  const ask = through(t, here);
  const alert_id = await alert(here.db, here.tenant);
  const newCase = { title: 'Odd payments', priority: 'high' as const, alert_ids: [alert_id] };
  const { body: opened } = await ask(201, 'POST /v1/cases', { body: newCase });
  t.like(opened, { title: 'Odd payments', status: 'open', priority: 'high', closing_note: null });

  const { id } = opened;
  await ask(200, 'POST /v1/cases/{id}/comments', { params: { id }, body: { text: 'asked the owner' } });
  await ask(200, 'POST /v1/cases/{id}/status', { params: { id }, body: { status: 'investigating' } });
  const closing = { status: 'closed', closing_note: 'a test of the owner' } as const;
  const { body: closed } = await ask(200, 'POST /v1/cases/{id}/status', { params: { id }, body: closing });
  t.like(closed, { status: 'closed', closing_note: 'a test of the owner' });

  const { body: whole } = await ask(200, 'GET /v1/cases/{id}', { params: { id } });
  t.deepEqual(whole.links.alert_ids, [alert_id]);
  t.deepEqual(
    whole.timeline.flatMap(entry => (entry.kind === 'status_changed' ? [[entry.from, entry.to]] : [])),
    [
      ['open', 'investigating'],
      ['investigating', 'closed'],
    ],
  );
  t.true(whole.timeline.some(entry => entry.kind === 'commented' && entry.text === 'asked the owner'));

  const { body: page } = await ask(200, 'GET /v1/cases', { query: { status: 'closed' } });
  t.deepEqual(
    page.data.map(found => found.id),
    [id],
  );
  const back = await ask(409, 'POST /v1/cases/{id}/status', { params: { id }, body: { status: 'open' } });
  t.is(back.body.error.code, 'invalid_transition');
});

test('an agent that paid is found with its owner and payees, summed up, and labeled by a person', async t => {
  const here = await world(t);
  const ask = through(t, here);
  await ask(201, 'POST /v1/events', { body: input({ agent: 'buyer', payee: 'domain:shop.example.com' }) });
  await here.analyze();

  const { body: agents } = await ask(200, 'GET /v1/agents', {});
  const [agent] = agents.data;
  if (!agent) throw new Error('no agent was registered');
  t.like(agent, { external_id: 'buyer', state: 'active', event_count: 1, labels: [] });
  t.is((await ask(200, 'GET /v1/owners/{id}', { params: { id: agent.owner_id ?? '' } })).body.agent_count, 1);
  const { body: payees } = await ask(200, 'GET /v1/payees', {});
  t.deepEqual(
    payees.data.map(({ key }) => key),
    ['domain:shop.example.com'],
  );

  const { body: summary } = await ask(200, 'GET /v1/agents/{id}/summary', { params: { id: agent.id } });
  t.like(summary.by_rail[0], { rail: 'card', payments: 1, spend_usd_minor: '1250' });
  const { body: stats } = await signedIn(t, here, await here.person('developer'))(200, 'GET /v1/stats', {
    query: { bucket: 'hour' },
  });
  t.is(
    stats.data.reduce((sum, { events }) => sum + events, 0),
    1,
  );

  const labelChange = { add: ['trusted'] };
  const person = signedIn(t, here, await here.person('developer'));
  t.deepEqual(
    (await person(200, 'POST /v1/agents/{id}/labels', { params: { id: agent.id }, body: labelChange })).body.labels,
    ['trusted'],
  );
  t.is(
    (await ask(403, 'POST /v1/agents/{id}/labels', { params: { id: agent.id }, body: labelChange })).body.error.code,
    'forbidden',
  );
});

test('a person gives an agent a mandate and changes it; each version is kept', async t => {
  const here = await world(t);
  const person = signedIn(t, here, await here.person('developer'));
  const newMandate: BodyOf<'POST /v1/mandates'> = {
    agent_id: newId('agt'),
    owner_id: newId('own'),
    name: 'Groceries',
    constraints: [{ type: 'payment.amount_range', max: 5_000, currency: 'USD' }],
  };
  const { body: mandate } = await person(201, 'POST /v1/mandates', { body: newMandate });
  t.like(mandate, { name: 'Groceries', state: 'active', version: 1, source: 'native' });
  const [range] = mandate.constraints;
  t.is(range?.type === 'payment.amount_range' ? range.max : undefined, '5000');

  const { id } = mandate;
  const mandateChange = { state: 'paused', name: 'Weekly groceries' } as const;
  const { body: paused } = await person(200, 'PATCH /v1/mandates/{id}', { params: { id }, body: mandateChange });
  t.like(paused, { state: 'paused', name: 'Weekly groceries', version: 2 });

  const { body: versions } = await person(200, 'GET /v1/mandates/{id}/versions', { params: { id } });
  t.is(versions.data.length, paused.version);

  const ask = through(t, here);
  const { body: page } = await ask(200, 'GET /v1/mandates', { query: { agent_id: newMandate.agent_id } });
  t.deepEqual(page.data, [paused]);
  t.is(
    (await ask(403, 'PATCH /v1/mandates/{id}', { params: { id }, body: mandateChange })).body.error.code,
    'forbidden',
  );
});
