import test from 'ava';
import { sql } from '#shared/platform/db.ts';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { createHandler } from '#workers/handlers/erasure.ts';
import { columnsWith } from '#test/helpers/every_text.ts';
import { event } from '#test/helpers/make.ts';
import { MARK, marked } from '#test/helpers/marked.ts';
import { ownerOf } from '#test/helpers/owner.ts';
import { world } from '#test/helpers/world.ts';

const ground = 'Request 4711';

test('an owner erases, first as a dry run, and sees what was erased by whom and why', async t => {
  const { as, person, database, services, tenant } = await world(t, { own_database: true });
  const owner = await person('owner');
  const { payee_id } = (await as.post('/v1/events', marked())).body;
  const dry = await owner.post('/v1/erasures', { payee_id, ground, dry_run: true });
  t.deepEqual(
    [dry.status, dry.body],
    [200, { id: null, events: 1, evidence_values: 2, names: 1, packs: 0, saved_views: 0 }],
  );
  t.deepEqual((await owner.get('/v1/erasures')).body.data, []);
  const { status, body: asked } = await owner.post('/v1/erasures', { payee_id, ground });
  t.is(status, 201);
  // What a slow machine does not do within a second is left to a worker.
  await createHandler(services, new AbortController().signal)({ ...tenant, erasure_id: asked.id });
  const [body] = (await owner.get('/v1/erasures')).body.data;
  const counts = { events: 1, evidence_values: 2, names: 1, packs: 0, saved_views: 0 };
  t.like(body, { ...counts, state: 'done', ground, subject: { kind: 'payee', id: payee_id } });
  t.is(body.requested_by, owner.user.id);
  t.deepEqual((await owner.get('/v1/erasures')).body, { data: [body], next_cursor: null });
  t.deepEqual(await columnsWith(database.owner_url, MARK), []);
  const { data } = (await owner.get('/v1/audit-log')).body;
  const told = data.filter(({ action }: { action: string }) => action.startsWith('erasure.'));
  t.like(told[0], { action: 'erasure.done', target_id: body.id, after: counts });
  t.like(told[1], { action: 'erasure.requested', actor_id: owner.user.id, after: { ground } });
});

test('nobody erases but an owner: no other role, and no key', async t => {
  const { as, person } = await world(t);
  const { payee_id } = (await as.post('/v1/events', event())).body;
  for (const who of [as, await person('developer'), await person('admin')]) {
    t.is((await who.post('/v1/erasures', { payee_id, ground })).status, 403);
    t.is((await who.get('/v1/erasures')).status, 403);
  }
});

test('what names nothing, more than one thing, or no ground is refused', async t => {
  const { as, person, organization, key, client } = await world(t);
  const owner = await person('owner');
  const { payee_id, agent_id } = (await as.post('/v1/events', event())).body;
  const rival = client((await key((await organization('Rival')).id)).key);
  const { body: foreign } = await rival.post('/v1/events', event());
  for (const [body, status] of [
    [{ ground }, 400],
    [{ payee_id, agent_id, ground }, 400],
    [{ payee_id }, 400],
    [{ payee_id, ground: ' ' }, 400],
    [{ payee_id: 'pye_x', ground }, 400],
    [{ payee_id: foreign.payee_id, ground }, 404],
    [{ agent_id: 'agt_01ARZ3NDEKTSV4RRFFQ69G5FAV', ground }, 404],
    [{ payment_id: 'no such payment', ground }, 404],
    [{ evidence_id: 'evd_01ARZ3NDEKTSV4RRFFQ69G5FAV', ground }, 404],
  ] as const)
    t.is((await owner.post('/v1/erasures', body)).status, status, JSON.stringify(body));
});

test('a large erasure is answered at once, and a worker goes on with it even where its job was lost', async t => {
  const { as, person, services, tenant, db } = await world(t, { own_database: true });
  const owner = await person('owner');
  const { payee_id } = (await as.post('/v1/events', event())).body;
  const { body } = await owner.post('/v1/erasures', { payee_id, ground });
  await db.query(sql.unsafe`
    update erasures set state = 'running', stage = 'events', after = '', next_at = now() - interval '1 second', finished_at = null`);
  t.is(await reconcileKind('erasure', services), 1);
  await createHandler(services, new AbortController().signal)({ ...tenant, erasure_id: body.id });
  t.is((await owner.get('/v1/erasures')).body.data[0].state, 'done');
  t.is(await reconcileKind('erasure', services), 0);
});

test('what a case on hold is about is not erased, nor counted', async t => {
  const { as, person, db, tenant } = await world(t);
  const owner = await person('owner');
  const { body } = await as.post('/v1/events', event());
  const { body: opened } = await as.post('/v1/cases', { title: 'Lawsuit', event_ids: [body.id] });
  await db.query(sql.unsafe`
    insert into case_holds values (${tenant.org_id}, ${tenant.environment}, ${opened.id}, '24-CV-1234', now())`);
  for (const dry_run of [true, false]) {
    const refused = await owner.post('/v1/erasures', { payee_id: body.payee_id, ground, dry_run });
    t.is(refused.status, 409);
    t.regex(refused.body.error.message, new RegExp(`${opened.id} is on hold \\(24-CV-1234\\)`));
  }
  await db.query(sql.unsafe`delete from case_holds where org_id = ${tenant.org_id}`);
  t.is((await owner.post('/v1/erasures', { payee_id: body.payee_id, ground })).status, 201);
});

test('what is in archives is not erased, nor counted: the refusal says what to do', async t => {
  const { as, person, database, tenant } = await world(t);
  const asOwner = await ownerOf(t, database);
  const owner = await person('owner');
  const { body } = await as.post('/v1/events', event());
  await asOwner(`insert into archived_events
    select org_id, environment, chain_seq, id, agent_id, owner_id, payee_id, payment_id, occurred_at, received_at, event_digest
    from events where org_id = '${tenant.org_id}'`);
  for (const dry_run of [true, false]) {
    const refused = await owner.post('/v1/erasures', { payee_id: body.payee_id, ground, dry_run });
    t.is(refused.status, 409);
    t.regex(refused.body.error.message, /in archives.*Nothing was erased.*payment_id/);
  }
  t.deepEqual((await owner.get('/v1/erasures')).body.data, []);
  // Of a later payment only what is its own is erased: its parties are named in an archive, too.
  const later = event({ payment_id: 'later', payee: 'domain:later.example.com', agent: 'later' });
  const { payee_id } = (await as.post('/v1/events', later)).body;
  await asOwner(`insert into archived_events
    select org_id, environment, chain_seq + 1000, 'evt_earlier', agent_id, owner_id, payee_id, 'earlier', occurred_at, received_at, event_digest
    from events where org_id = '${tenant.org_id}' and payment_id = 'later'`);
  t.like((await owner.post('/v1/erasures', { payment_id: 'later', ground })).body, { events: 1, names: 0 });
  t.is((await as.get(`/v1/payees/${payee_id}`)).body.key, 'domain:later.example.com');
});

test('erasures that are asked for at the same moment wait for each other', async t => {
  const { as, person } = await world(t);
  const owner = await person('owner');
  const ids = Array.from({ length: 8 }, (_, index) => `order-${index}`);
  await as.post('/v1/events', { events: ids.map(payment_id => event({ payment_id })) });
  const replies = await Promise.all(ids.map(payment_id => owner.post('/v1/erasures', { payment_id, ground })));
  t.deepEqual(
    replies.map(({ status }) => status),
    ids.map(() => 201),
  );
});
