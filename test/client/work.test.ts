import test from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { alert } from '#test/helpers/alert.ts';
import { world } from '#test/helpers/world.ts';
import { expect, input, signedIn, through } from './calls.ts';
import * as client from '#api/client/generated.ts';

test('a case is opened from an alert, worked on, and closed with a note', async t => {
  const here = await world(t);
  const to = through(here);
  const alert_id = await alert(here.db, here.tenant);
  const newCase: client.NewCase = { title: 'Odd payments', priority: 'high', alert_ids: [alert_id] };
  const { data: opened } = expect(201, await client.createCase({ newCase }, to));
  t.like(opened, { title: 'Odd payments', status: 'open', priority: 'high', closing_note: null });

  const { id } = opened;
  expect(200, await client.commentOnCase({ id, newCaseComment: { text: 'asked the owner' } }, to));
  expect(200, await client.changeCaseStatus({ id, newCaseStatus: { status: 'investigating' } }, to));
  const closing: client.NewCaseStatus = { status: 'closed', closing_note: 'a test of the owner' };
  const { data: closed } = expect(200, await client.changeCaseStatus({ id, newCaseStatus: closing }, to));
  t.like(closed, { status: 'closed', closing_note: 'a test of the owner' });

  const { data: whole } = expect(200, await client.getCase({ id }, to));
  t.deepEqual(whole.links.alert_ids, [alert_id]);
  t.deepEqual(
    whole.timeline.flatMap(entry => (entry.kind === 'status_changed' ? [[entry.from, entry.to]] : [])),
    [
      ['open', 'investigating'],
      ['investigating', 'closed'],
    ],
  );
  t.true(whole.timeline.some(entry => entry.kind === 'commented' && entry.text === 'asked the owner'));

  const { data: page } = expect(200, await client.listCases({ status: 'closed' }, to));
  t.deepEqual(
    page.data.map(found => found.id),
    [id],
  );
  const back = await client.changeCaseStatus({ id, newCaseStatus: { status: 'open' } }, to);
  t.is(expect(409, back).data.error.code, 'invalid_transition');
});

test('an agent that paid is found with its owner and payees, summed up, and labelled by a person', async t => {
  const here = await world(t);
  const to = through(here);
  expect(201, await client.sendEvents({ body: input({ agent: 'buyer', payee: 'domain:shop.example.com' }) }, to));
  await here.analyze();

  const { data: agents } = expect(200, await client.listAgents({}, to));
  const [agent] = agents.data;
  if (!agent) throw new Error('no agent was registered');
  t.like(agent, { external_id: 'buyer', state: 'active', event_count: 1, labels: [] });
  t.is(expect(200, await client.getOwner({ id: agent.owner_id ?? '' }, to)).data.agent_count, 1);
  const { data: payees } = expect(200, await client.listPayees({}, to));
  t.deepEqual(
    payees.data.map(({ key }) => key),
    ['domain:shop.example.com'],
  );

  const { data: summary } = expect(200, await client.summarizeAgent({ id: agent.id }, to));
  t.like(summary.by_rail[0], { rail: 'card', payments: 1, spend_usd_minor: '1250' });
  const { data: stats } = expect(
    200,
    await client.getStats({ bucket: 'hour' }, signedIn(here, await here.person('developer'))),
  );
  t.is(
    stats.data.reduce((sum, { events }) => sum + events, 0),
    1,
  );

  const labelChange: client.LabelChange = { add: ['trusted'] };
  const person = signedIn(here, await here.person('developer'));
  t.deepEqual(expect(200, await client.labelAgent({ id: agent.id, labelChange }, person)).data.labels, ['trusted']);
  t.is(expect(403, await client.labelAgent({ id: agent.id, labelChange }, to)).data.error.code, 'forbidden');
});

test('a person gives an agent a mandate and changes it; each version is kept', async t => {
  const here = await world(t);
  const person = signedIn(here, await here.person('developer'));
  const newMandate: client.NewMandate = {
    agent_id: newId('agt'),
    owner_id: newId('own'),
    name: 'Groceries',
    constraints: [{ type: 'payment.amount_range', max: 5_000, currency: 'USD' }],
  };
  const { data: mandate } = expect(201, await client.createMandate({ newMandate }, person));
  t.like(mandate, { name: 'Groceries', state: 'active', version: 1, source: 'native' });
  const [range] = mandate.constraints;
  t.is(range?.type === 'payment.amount_range' ? range.max : undefined, '5000');

  const { id } = mandate;
  const mandateChange: client.MandateChange = { state: 'paused', name: 'Weekly groceries' };
  const { data: paused } = expect(200, await client.changeMandate({ id, mandateChange }, person));
  t.like(paused, { state: 'paused', name: 'Weekly groceries', version: 2 });

  const { data: versions } = expect(200, await client.listMandateVersions({ id }, person));
  t.is(versions.data.length, paused.version);

  const to = through(here);
  const { data: page } = expect(200, await client.listMandates({ agentId: newMandate.agent_id }, to));
  t.deepEqual(page.data, [paused]);
  t.is(expect(403, await client.changeMandate({ id, mandateChange }, to)).data.error.code, 'forbidden');
});
