import test, { type ExecutionContext } from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { fullEvent } from '#test/helpers/inhabit.ts';
import { eraseSubject } from '#test/helpers/erasing.ts';
import { event } from '#test/helpers/make.ts';
import { type World, world } from '#test/helpers/world.ts';

/** The world with a second organization beside its own, which knows nothing of it. */
async function withNeighbor(t: ExecutionContext): Promise<World & { other: World['as'] }> {
  const here = await world(t);
  const other = here.client((await here.key((await here.organization('Neighbor')).id)).key);
  return { ...here, other };
}

test('an event is sent again as it was read, with its evidence: here a duplicate, elsewhere a new event', async t => {
  const { as, other, analyze } = await withNeighbor(t);
  const { body: source } = await as.post('/v1/sources', { name: 'till', kind: 'sdk' });
  const by_id = { agent: undefined, owner: undefined, agent_id: newId('agt'), owner_id: newId('own') };
  const sent = [
    fullEvent(),
    fullEvent({ more: { ...by_id, source_id: source.id, signature: undefined } }),
    event({ payee: 'Hotel Seeblick' }),
    event({ cents: '700', currency: 'EUR' }),
  ];
  t.is((await as.post('/v1/events', { events: sent })).body.accepted, 4);
  await analyze();
  const { body: page } = await as.get('/v1/events');
  for (const { id } of sent) {
    const { body: whole } = await as.get(`/v1/events/${id}`);
    const row = page.data.find((each: { id: string }) => each.id === id);
    for (const read of [whole, row]) {
      const again = await as.post('/v1/events', read);
      t.is(again.status, 200, JSON.stringify(again.body));
      const { chain_seq, received_at, agent_id, owner_id, payee_id } = read;
      const status = 'duplicate';
      t.deepEqual(again.body, { index: 0, id, status, chain_seq, received_at, agent_id, owner_id, payee_id });
      t.true((await as.post('/v1/events/validate', read)).body.results[0].valid);
    }
    const elsewhere = await other.post('/v1/events', whole);
    t.is(elsewhere.status, 201, JSON.stringify(elsewhere.body));
    t.is((await other.post('/v1/events', whole)).body.status, 'duplicate');
    const { body: copy } = await other.get(`/v1/events/${id}`);
    t.deepEqual(copy.payment, whole.payment);
    t.deepEqual(told(copy), told(whole));
  }
  t.is((await as.get('/v1/log')).body.size, 4);
});

/** What was reported of an event, without what is of its place: ids of evidence, the source. */
const told = ({ description, metadata, context, instrument, failure, evidence, agent_id, mandate_id }: Json) => ({
  parts: [description, metadata, context, instrument, failure, agent_id, mandate_id],
  evidence: (evidence as Json[]).map(piece => ({ ...piece, id: undefined })),
});
type Json = Record<string, unknown>;

test('an event that was read from a list is taken elsewhere as what the list says of it', async t => {
  const { as, other } = await withNeighbor(t);
  await as.post('/v1/events', fullEvent());
  const [row] = (await as.get('/v1/events')).body.data;
  t.is((await other.post('/v1/events', row)).status, 201);
  const [copy] = (await other.get('/v1/events')).body.data;
  t.deepEqual([copy.payment, copy.agent_id, copy.evidence_count], [row.payment, row.agent_id, 0]);
  t.not(copy.source_id, row.source_id);
});

test('an event that was read and changed is a conflict, and one that claims another place too', async t => {
  const { as } = await world(t);
  const sent = fullEvent();
  await as.post('/v1/events', { events: [sent, event()] });
  const { body: read } = await as.get(`/v1/events/${sent.id}`);
  for (const change of [
    { description: 'another' },
    { agent_id: newId('agt') },
    { occurred_at: new Date(Date.parse(read.occurred_at) + 1).toISOString() },
    { payment: { ...read.payment, amount: { ...read.payment.amount, value: '1' } } },
    { evidence: [{ kind: 'acme.note', value: 'another text' }] },
    { chain_seq: 2 },
    { chain_seq: undefined },
  ])
    t.is((await as.post('/v1/events', { ...read, ...change })).status, 409, JSON.stringify(change));
});

test('evidence whose value was erased does not keep an event from being sent again', async t => {
  const { as, other, services, tenant } = await withNeighbor(t);
  const sent = fullEvent();
  await as.post('/v1/events', sent);
  const { evidence } = (await as.get(`/v1/events/${sent.id}`)).body;
  await eraseSubject(services, tenant, { kind: 'evidence', id: evidence[0].id });
  const { body: read } = await as.get(`/v1/events/${sent.id}`);
  t.is(read.evidence[0].value, null);
  t.is((await as.post('/v1/events', read)).body.status, 'duplicate');
  t.is((await other.post('/v1/events', read)).body.status, 'accepted');
  t.is((await other.get(`/v1/events/${sent.id}`)).body.evidence_count, 1);
  for (const piece of [{}, { sha256: read.evidence[0].sha256 }]) {
    const { body } = await as.post(
      '/v1/events',
      event({ more: { evidence: [{ kind: 'acme.note', value: null, ...piece }] } }),
    );
    t.is(body.error.details[0].path, '/evidence/0/value', 'an event that was not read loses nothing silently');
  }
});

test('null for an optional member is the same as leaving it out; free data keeps its nulls', async t => {
  const { as } = await world(t);
  const sent = event({ more: { metadata: { a: null }, evidence: [{ kind: 'acme.note', value: { b: null } }] } });
  const { status } = await as.post('/v1/events', sent);
  t.is(status, 201);
  const nothing = {
    mandate_id: null,
    source_id: null,
    agent_id: null,
    owner_id: null,
    instrument: null,
    context: null,
  };
  const { payment, agent, evidence } = sent as unknown as { payment: Json; agent: Json; evidence: Json[] };
  const again = await as.post('/v1/events', {
    ...sent,
    ...nothing,
    agent: { ...agent, name: null, framework: null },
    payment: { ...payment, payee: { ...(payment['payee'] as Json), country: null, type: null } },
    evidence: [{ ...evidence[0], media_type: null, encoding: null, label: null }],
  });
  t.is(again.body.status, 'duplicate', JSON.stringify(again.body));
  const { body } = await as.get(`/v1/events/${sent.id}`);
  t.deepEqual([body.metadata, body.evidence[0].value], [{ a: null }, { b: null }]);
  const needed = await as.post('/v1/events', { ...event(), payment: null });
  t.deepEqual(
    [needed.status, needed.body.error.details[0].code, needed.body.error.message.slice(0, 41)],
    [400, 'required', 'payment is required and must not be null.'],
  );
});

test('every result says whom and what it is about, and has the id as it was sent', async t => {
  const { as } = await world(t);
  const sent = event();
  const lower = sent.id.toLowerCase();
  const long = `evt_${'😀'.repeat(100)}`;
  const { body } = await as.post('/v1/events', {
    events: [{ ...sent, id: lower }, sent, { ...sent, description: 'x' }, { ...sent, id: long }, { ...sent, id: 7 }],
  });
  const [accepted, duplicate, conflict, rejected, numbered] = body.results;
  const { body: stored } = await as.get(`/v1/events/${sent.id}`);
  const { chain_seq, received_at, agent_id, owner_id, payee_id } = stored;
  const about = { chain_seq, received_at, agent_id, owner_id, payee_id };
  t.deepEqual(accepted, { index: 0, id: lower, status: 'accepted', ...about });
  t.deepEqual(duplicate, { index: 1, id: sent.id, status: 'duplicate', ...about });
  t.like(conflict, { index: 2, id: sent.id, status: 'conflict' });
  t.is(conflict.chain_seq, undefined);
  t.like(rejected, { index: 3, id: `evt_${'😀'.repeat(60)}`, status: 'rejected' });
  t.like(numbered, { index: 4, id: null, status: 'rejected' });
  const { body: checked } = await as.post('/v1/events/validate', { events: [{ ...sent, id: lower }, { id: long }] });
  t.deepEqual(
    checked.results.map(({ id }: { id: string }) => id),
    [lower, rejected.id],
  );
});

test('people name payees as they have them: a text of their own is one payee, and is warned of', async t => {
  const { as } = await world(t);
  const wallet = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
  const asset = { network: 'base', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };
  const token = event();
  const paid = { ...(token['payment'] as Json), amount: { value: '1', unit: 'atomic', asset }, payee: { key: wallet } };
  const events = [
    event({ payee: '  Hotel  Seeblick ' }),
    event({ payee: 'Hotel  Seeblick' }),
    event({ payee: 'hotel  seeblick' }),
    event({ payee: 'Api.Example.com' }),
    event({ payee: 'DE89 3704 0044 0532 0130 00' }),
    event({ payee: wallet }),
    { ...token, payment: paid },
    event({ payee: 'account:uk:20-00-00-55779911' }),
  ];
  const { body: checked } = await as.post('/v1/events/validate', { events });
  t.deepEqual(
    checked.results.map(({ warnings, normalized }: Json & { warnings: Json[]; normalized: { payment: Json } }) => [
      (normalized.payment['payee'] as Json)['key'],
      ...warnings.map(({ path, code }) => `${String(path).replace(/^\/events\/\d/, '')} ${String(code)}`),
    ]),
    [
      ['Hotel  Seeblick', '/payment/payee/key no_scheme'],
      ['Hotel  Seeblick', '/payment/payee/key no_scheme'],
      ['hotel  seeblick', '/payment/payee/key no_scheme'],
      ['domain:api.example.com'],
      ['iban:DE89370400440532013000'],
      [wallet, '/payment/payee/key no_scheme'],
      [`eip155:8453:${wallet}`],
      ['account:uk:200000-55779911'],
    ],
  );
  const { body } = await as.post('/v1/events', { events });
  t.is(body.accepted, events.length);
  const [one, same, another] = body.results;
  t.is(one.payee_id, same.payee_id);
  t.not(one.payee_id, another.payee_id);
  const { body: payee } = await as.get(`/v1/payees/${one.payee_id}`);
  t.is(payee.key, 'Hotel  Seeblick');
  for (const key of ['iban:DE88370400440532013000', 'account:ach:021000022-1', 'a\u0007b', 'x'.repeat(257)]) {
    const { status, body: refused } = await as.post('/v1/events', event({ payee: key }));
    t.deepEqual([status, refused.error.details[0].path], [400, '/payment/payee/key'], key.slice(0, 40));
  }
});

test('an agent asks before it pays whether that would break its mandate, named by its own id', async t => {
  const { as, person } = await world(t);
  const { body: known } = await as.post('/v1/events', event({ agent: 'buyer' }));
  const ada = await person('developer');
  const { body: mandate } = await ada.post('/v1/mandates', {
    agent_id: known.agent_id,
    name: 'Hotels only',
    constraints: [
      { type: 'payment.amount_range', min: null, max: '5000', currency: 'USD', asset: null },
      { type: 'payment.allowed_payees', payees: [{ key: ' Hotel Seeblick ', name: null }] },
    ],
  });
  const asking = { agent: 'buyer', type: 'payment.requested', status: 'pending' };
  const { body } = await as.post('/v1/events/validate', {
    events: [
      event({ ...asking, payee: 'Hotel Seeblick', cents: '5000' }),
      event({ ...asking, payee: 'Hotel Seeblick', cents: '5001' }),
      event({ ...asking, payee: 'Hotel Bergblick', cents: '10' }),
      event({ ...asking, agent: 'somebody-else', payee: 'Hotel Bergblick' }),
      event({ ...asking, more: { mandate_id: mandate.id, source_id: newId('src') } }),
    ],
  });
  t.deepEqual(
    body.results.map(
      ({ mandate_evaluation: evaluation }: { mandate_evaluation: Json | null }) => evaluation?.['result'],
    ),
    ['compliant', 'breach', 'breach', undefined, undefined],
  );
  t.is(body.results[4].errors[0].code, 'unknown_source');
  t.is((await as.get('/v1/log')).body.size, 1);
});
