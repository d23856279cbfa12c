import test from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { alert } from '#test/helpers/alert.ts';
import { event } from '#test/helpers/make.ts';
import { NOBODY } from '#test/helpers/routes.ts';
import { world } from '#test/helpers/world.ts';

const minute = 60_000;

test('what a detector finds is an alert with every field of the interface, pointing at its event', async t => {
  const { as, analyze } = await world(t, { thresholds: true });
  const sent = event({ cents: '90000', payee_name: 'Café' });
  await as.post('/v1/events', sent);
  const raised = await analyze();
  t.true(raised.some(({ detector, event_id }) => detector === 'new_payee_high_amount' && event_id === sent.id));
  const { body } = await as.get('/v1/alerts?detector=new_payee_high_amount');
  const [item] = body.data;
  t.deepEqual(Object.keys(item).toSorted(), [
    'actions',
    'agent_id',
    'case_id',
    'created_at',
    'detector',
    'event_ids',
    'explanation',
    'id',
    'incident_id',
    'score',
    'severity',
    'state',
    'title',
    'updated_at',
  ]);
  t.like(item, { detector: 'new_payee_high_amount', state: 'open', event_ids: [sent.id], case_id: null, actions: [] });
  t.is(item.agent_id, (await as.get(`/v1/events/${sent.id}`)).body.agent_id);
  t.true(item.title.includes('Café') && item.explanation.includes('Café'));
  t.deepEqual((await as.get(`/v1/alerts/${item.id.toLowerCase()}`)).body, { ...item, lesson: null });
});

test('every filter narrows the list of alerts, and an unknown but well-formed id gives an empty page', async t => {
  const { as, db, tenant } = await world(t, { thresholds: true });
  const at = Date.now() - 60 * minute;
  const [agent_id, event_id] = [newId('agt'), newId('evt')];
  const first = await alert(db, tenant, { created_at: at, state: 'resolved', severity: 'low', agent_id });
  const second = await alert(db, tenant, {
    created_at: at + minute,
    severity: 'critical',
    detector: 'runaway_loop',
    events: [{ id: event_id, chain_seq: 1 }],
  });
  const { body: escalated } = await as.post(`/v1/alerts/${second}/actions`, { action: 'escalate' });
  const found = async (query: string) => {
    const { status, body } = await as.get(`/v1/alerts?${query}`);
    t.is(status, 200, query);
    return body.data.map(({ id }: { id: string }) => id);
  };
  const time = new Date(at + minute).toISOString();
  t.deepEqual(await found(''), [second, first]);
  t.deepEqual(await found('state=resolved'), [first]);
  t.deepEqual(await found('severity=critical'), [second]);
  t.deepEqual(await found('detector=runaway_loop'), [second]);
  t.deepEqual(await found(`agent_id=${agent_id.toLowerCase()}`), [first]);
  t.deepEqual(await found(`event_id=${event_id}`), [second]);
  t.deepEqual(await found(`case_id=${escalated.case_id}`), [second]);
  t.deepEqual(await found(`from=${time}`), [second]);
  t.deepEqual(await found(`to=${time}`), [first]);
  t.deepEqual(await found(`state=escalated&severity=critical&from=${time}`), [second]);
  t.deepEqual(await found(`state=resolved&severity=critical`), []);
  for (const [name, prefix] of [
    ['agent_id', 'agt'],
    ['event_id', 'evt'],
    ['case_id', 'cas'],
  ])
    t.deepEqual(await found(`${name}=${prefix}_${NOBODY}`), [], name);
});

test('an alert names its newest 100 events, and is found by every one of them', async t => {
  const { as, db, tenant } = await world(t, { thresholds: true });
  const events = Array.from({ length: 130 }, (_, index) => ({ id: newId('evt'), chain_seq: index + 1 }));
  const id = await alert(db, tenant, { events });
  const newest = events
    .map(event => event.id)
    .toReversed()
    .slice(0, 100);
  t.deepEqual((await as.get(`/v1/alerts/${id}`)).body.event_ids, newest);
  for (const { id: event_id } of [events[0], events[129]].filter(linked => linked !== undefined)) {
    const { body } = await as.get(`/v1/alerts?event_id=${event_id}`);
    t.deepEqual(
      body.data.map((item: { id: string }) => item.id),
      [id],
    );
    t.deepEqual(body.data[0].event_ids, newest);
  }
});
