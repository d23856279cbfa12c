import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { event } from '#test/helpers/make.ts';
import { untilSomebodyWaits } from '#test/helpers/locks.ts';
import { world } from '#test/helpers/world.ts';

const START = Date.parse('2026-11-20T10:00:00.000Z');
const amountRange = { type: 'payment.amount_range', max: '5000', currency: 'USD' };

async function managed(t: ExecutionContext) {
  let time = START;
  const here = await world(t, { now: () => time });
  const ada = await here.person('developer');
  const input = (more: object = {}) => ({
    agent_id: newId('agt'),
    owner_id: newId('own'),
    name: 'Office supplies',
    constraints: [amountRange],
    ...more,
  });
  return {
    ...here,
    ada,
    input,
    create: async (more: object = {}) => (await ada.post('/v1/mandates', input(more))).body,
    moveTo: (moment: string) => (time = Date.parse(moment)),
  };
}

const Seen = z.object({ kind: z.string(), id: z.string() });

test('a mandate is made for an agent that was never seen, which is registered with its owner', async t => {
  const { as, ada, input, db } = await managed(t);
  const given = input();
  const { status, body } = await ada.post('/v1/mandates', given);
  t.is(status, 201);
  t.deepEqual(body, {
    id: body.id,
    agent_id: given.agent_id,
    owner_id: given.owner_id,
    name: 'Office supplies',
    state: 'active',
    version: 1,
    valid_from: null,
    valid_until: null,
    human_presence: 'not_required',
    constraints: [amountRange],
    external_ref: null,
    source: 'native',
    signed_constraints: null,
    created_at: '2026-11-20T10:00:00.000Z',
    created_by: ada.user.id,
  });
  t.deepEqual((await as.get(`/v1/mandates/${body.id.toLowerCase()}`)).body, body);
  t.deepEqual((await as.get('/v1/mandates')).body, { data: [body], next_cursor: null });
  const seen = await db.any(sql.type(Seen)`
    select 'agent' as kind, id from agents union all select 'owner', id from owners order by kind`);
  t.deepEqual(seen, [
    { kind: 'agent', id: given.agent_id },
    { kind: 'owner', id: given.owner_id },
  ]);
});

test('the owner is that of the agent when none is named; an agent that was never seen needs one', async t => {
  const { as, ada, input, create } = await managed(t);
  await as.post('/v1/events', event({ at: START - 1_000 }));
  const [seen] = (await as.get('/v1/events')).body.data;
  t.is((await create({ agent_id: seen.agent_id, owner_id: undefined })).owner_id, seen.owner_id);
  const other = newId('own');
  t.is((await create({ agent_id: seen.agent_id, owner_id: other })).owner_id, other);
  const { status, body } = await ada.post('/v1/mandates', input({ owner_id: undefined }));
  t.is(status, 422);
  t.is(body.error.details[0].path, '/owner_id');
});

test('a mandate for a new agent and owner does not wait in a circle with another change of both', async t => {
  const { create, db, tenant } = await managed(t);
  const creating = await db.transaction(async tx => {
    await moveVersions(tx, tenant, ['agents']);
    const begun = create();
    await untilSomebodyWaits(tx);
    await moveVersions(tx, tenant, ['owners']);
    return { begun };
  });
  t.is((await creating.begun).state, 'active');
});

test('a mandate is known before its agent’s first event, which changes nothing about either', async t => {
  const { as, create } = await managed(t);
  const { agent_id, owner_id } = await create();
  const sent = event({ at: START - 1_000, more: { agent: undefined, owner: undefined, agent_id, owner_id } });
  t.is((await as.post('/v1/events', sent)).status, 201);
  t.like((await as.get(`/v1/agents/${agent_id}`)).body, { id: agent_id, owner_id });
  t.is((await as.get('/v1/agents')).body.data.length, 1);
});

test('each change is a new version that can be read again, and no change is none', async t => {
  const { ada, create, moveTo } = await managed(t);
  const made = await create();
  const path = `/v1/mandates/${made.id}`;
  moveTo('2026-11-20T11:00:00Z');
  const constraints = [{ type: 'payment.velocity', max: 10, window_s: 3600 }];
  const changed = await ada.patch(path, { name: 'Paper', constraints, valid_until: '2027-01-01T00:00:00+01:00' });
  t.like(changed.body, { version: 2, name: 'Paper', constraints, valid_until: '2026-12-31T23:00:00.000Z' });
  for (const same of [
    {},
    { name: ' Paper ' },
    { state: 'active' },
    { valid_until: '2026-12-31T23:00:00Z', constraints },
  ])
    t.deepEqual((await ada.patch(path, same)).body, changed.body);
  t.like((await ada.patch(path, { state: 'paused', valid_until: null, external_ref: 'po-1' })).body, {
    version: 3,
    state: 'paused',
    valid_until: null,
    external_ref: 'po-1',
    created_at: made.created_at,
  });
  const { data } = (await ada.get(`${path}/versions`)).body;
  t.deepEqual(
    data.map(({ version, state, name }: Record<string, unknown>) => [version, state, name]),
    [
      [3, 'paused', 'Paper'],
      [2, 'active', 'Paper'],
      [1, 'active', 'Office supplies'],
    ],
  );
  t.like(data[2], { constraints: [amountRange], created_at: made.created_at, created_by: ada.user.id });
  t.is(data[1].created_at, '2026-11-20T11:00:00.000Z');
  const page = (await ada.get(`${path}/versions?limit=2`)).body;
  t.deepEqual((await ada.get(`${path}/versions?limit=2&cursor=${page.next_cursor}`)).body.data, [data[2]]);
});

test('versions can only be added to by the service', async t => {
  const { create, db } = await managed(t);
  await create();
  for (const statement of [
    sql.unsafe`update mandate_versions set name = 'x'`,
    sql.unsafe`delete from mandate_versions`,
  ])
    await t.throwsAsync(db.query(statement), { message: /permission denied/ });
});

test('a revoked mandate stays revoked', async t => {
  const { ada, create } = await managed(t);
  const path = `/v1/mandates/${(await create()).id}`;
  const revoked = await ada.patch(path, { state: 'revoked' });
  t.like(revoked.body, { state: 'revoked', version: 2 });
  for (const change of [{ state: 'active' }, { state: 'paused' }, { name: 'x' }]) {
    const { status, body } = await ada.patch(path, change);
    t.is(status, 409);
    t.is(body.error.code, 'invalid_transition');
  }
  t.deepEqual((await ada.patch(path, { state: 'revoked' })).body, revoked.body);
});

test('a mandate expires at valid_until, is found as expired, and lives again with a later end', async t => {
  const { as, ada, create, moveTo } = await managed(t);
  const { id } = await create({ valid_until: '2026-11-20T10:30:00Z' });
  const lasting = await create();
  const path = `/v1/mandates/${id}`;
  const found = async (state: string) =>
    (await as.get(`/v1/mandates?state=${state}`)).body.data.map((mandate: { id: string }) => mandate.id);
  moveTo('2026-11-20T10:29:59.999Z');
  t.is((await as.get(path)).body.state, 'active');
  t.deepEqual(await found('active'), [lasting.id, id]);
  t.deepEqual(await found('expired'), []);
  moveTo('2026-11-20T10:30:00.000Z');
  t.like((await as.get(path)).body, { state: 'expired', version: 1 });
  t.deepEqual(await found('active'), [lasting.id]);
  t.deepEqual(await found('expired'), [id]);
  const refused = await ada.patch(path, { state: 'active', name: 'again' });
  t.is(refused.status, 409);
  t.is(refused.body.error.code, 'invalid_transition');
  t.like((await ada.patch(path, { valid_until: '2026-11-21T00:00:00Z' })).body, { state: 'active', version: 2 });
  t.is((await ada.patch(path, { state: 'revoked' })).body.state, 'revoked');
  moveTo('2026-11-22T00:00:00.000Z');
  t.is((await as.get(path)).body.state, 'revoked');
});

test('within a minute an answer and its ETag stay the same, whatever expires in it', async t => {
  const { as, create, moveTo } = await managed(t);
  const { id } = await create({ valid_until: '2026-11-20T10:30:20Z' });
  const path = `/v1/mandates/${id}`;
  moveTo('2026-11-20T10:30:10Z');
  const { headers, body } = await as.get(path);
  const ask = () => as.get(path, { 'if-none-match': headers.get('etag') ?? '' });
  moveTo('2026-11-20T10:30:50Z');
  t.is((await ask()).status, 304);
  t.deepEqual((await as.get(path)).body, body);
  moveTo('2026-11-20T10:31:00Z');
  t.is((await ask()).body.state, 'expired');
});

test('mandates are found by agent, owner and state, newest first and page by page', async t => {
  const { as, ada, create } = await managed(t);
  const [one, two, three] = [await create(), await create(), await create()];
  await ada.patch(`/v1/mandates/${two.id}`, { state: 'paused' });
  const found = async (query: string) =>
    (await as.get(`/v1/mandates?${query}`)).body.data.map(({ id }: { id: string }) => id);
  t.deepEqual(await found(''), [three.id, two.id, one.id]);
  t.deepEqual(await found(`agent_id=${one.agent_id}`), [one.id]);
  t.deepEqual(await found(`owner_id=${three.owner_id}`), [three.id]);
  t.deepEqual(await found(`owner_id=${three.owner_id}&agent_id=${one.agent_id}`), []);
  t.deepEqual(await found('state=paused'), [two.id]);
  await ada.patch(`/v1/mandates/${three.id}`, { name: 'Büro & Reisen 100 %' });
  for (const q of ['BÜRO', '& reisen', '0 %', three.id])
    t.deepEqual(await found(`q=${encodeURIComponent(q)}`), [three.id], q);
  t.deepEqual(await found('q=B_ro'), []);
  const { next_cursor } = (await as.get('/v1/mandates?limit=2')).body;
  t.deepEqual(await found(`limit=2&cursor=${next_cursor}`), [one.id]);
  t.is((await as.get(`/v1/mandates?limit=2&state=paused&cursor=${next_cursor}`)).status, 400);
});

test('what is wrong in a mandate is refused where it is', async t => {
  const { as, ada, input, create } = await managed(t);
  const { id } = await create({ valid_from: '2026-12-01T00:00:00Z' });
  const many = (length: number) => Array.from({ length }, () => amountRange);
  const wide = { type: 'payment.allowed_pisps', ids: Array.from({ length: 1_000 }, () => 'x'.repeat(200)) };
  const wrong: [object, string][] = [
    [{ name: ' ' }, '/name'],
    [{ name: 'a\0' }, ''],
    [{ valid_until: 'tomorrow' }, '/valid_until'],
    [{ valid_until: '9999-12-31T23:59:59-01:00' }, '/valid_until'],
    [{ valid_from: '0000-12-31T23:59:59Z' }, '/valid_from'],
    [{ valid_from: '0001-01-01T00:00:00+01:00' }, '/valid_from'],
    [{ human_presence: 'maybe' }, '/human_presence'],
    [{ external_ref: '' }, '/external_ref'],
    [{ constraints: {} }, '/constraints'],
    [{ constraints: many(51) }, '/constraints'],
    [{ constraints: [wide, wide] }, '/constraints'],
    [{ constraints: [{ type: 'payment.budget', max: '1', currency: 'USD' }] }, '/constraints/0/interval'],
    [{ constraints: [amountRange, { type: 'spend.limit' }] }, '/constraints/1/type'],
    [{ valid_from: '2026-12-02T00:00:00Z', valid_until: '2026-12-02T00:00:00Z' }, '/valid_until'],
    [{ version: 7 }, '/version'],
    [{ source: 'ap2' }, '/source'],
  ];
  for (const [change, path] of wrong)
    for (const { status, body } of [
      await ada.post('/v1/mandates', input(change)),
      await ada.patch(`/v1/mandates/${id}`, change),
    ]) {
      t.is(status, 400, JSON.stringify(change).slice(0, 200));
      if (path !== '') t.is(body.error.details[0].path, path);
    }
  for (const state of ['expired', 'exhausted', 'deleted'])
    t.is((await ada.patch(`/v1/mandates/${id}`, { state })).status, 400);
  t.is((await ada.patch(`/v1/mandates/${id}`, { valid_until: '2026-11-30T00:00:00Z' })).status, 400);
  t.is((await ada.post('/v1/mandates', input({ constraints: undefined }))).status, 400);
  t.is((await ada.post('/v1/mandates', input({ constraints: [] }))).status, 201);
  t.is((await as.get(`/v1/mandates/${id}`)).body.version, 1);
});

test('two changes of one mandate in the same moment are two versions', async t => {
  const { ada, create } = await managed(t);
  const path = `/v1/mandates/${(await create()).id}`;
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) => ada.patch(path, { name: `name ${index}` })),
  );
  t.deepEqual(
    replies.map(({ body }) => body.version).toSorted((a, b) => a - b),
    [2, 3, 4, 5, 6, 7, 8, 9],
  );
  t.is((await ada.get(`${path}/versions`)).body.data.length, 9);
});

test('in production mandates are made by admins and owners, and read by keys with agents:read', async t => {
  const { person, withScopes, as } = await world(t, { settings: { ENVIRONMENT: 'production' } });
  const body = { agent_id: newId('agt'), owner_id: newId('own'), name: 'x', constraints: [] };
  t.is((await (await person('developer')).post('/v1/mandates', body)).status, 403);
  t.is((await as.post('/v1/mandates', body)).status, 403);
  const { body: made } = await (await person('admin')).post('/v1/mandates', body);
  t.is((await (await withScopes('agents:read')).get(`/v1/mandates/${made.id}`)).status, 200);
  t.is((await (await withScopes('events:read')).get(`/v1/mandates/${made.id}`)).status, 403);
});

test('a mandate of another organization is not there, with its versions and its cursor', async t => {
  const { create, ada, organization, key, client, person } = await managed(t);
  const rival = await organization('Rival');
  const them = client((await key(rival.id)).key);
  const eve = await person('owner', { of: rival.id });
  const made = await create();
  await create();
  t.is((await them.get(`/v1/mandates/${made.id}`)).status, 404);
  t.is((await them.get(`/v1/mandates/${made.id}/versions`)).status, 404);
  t.is((await eve.patch(`/v1/mandates/${made.id}`, { state: 'revoked' })).status, 404);
  const { next_cursor } = (await ada.get('/v1/mandates?limit=1')).body;
  t.is((await them.get(`/v1/mandates?limit=1&cursor=${next_cursor}`)).status, 400);
  t.deepEqual((await them.get(`/v1/mandates?agent_id=${made.agent_id}`)).body.data, []);
});
