import test, { type ExecutionContext } from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { DAY, timestamp } from '#shared/values/time.ts';
import { alert } from '#test/helpers/alert.ts';
import { event } from '#test/helpers/make.ts';
import { ask, built, download } from '#test/helpers/packs.ts';
import { world } from '#test/helpers/world.ts';

const at = Date.parse('2026-11-20T12:00:00.000Z');
const day = { from: timestamp(at - DAY), to: timestamp(at + DAY) };

/** A log with one event, of an agent whose id is known. */
async function begun(t: ExecutionContext) {
  const w = await world(t, { now: () => at + DAY });
  const sent = event({ at, payment_id: 'order-1' });
  await w.as.post('/v1/events', sent);
  await w.analyze();
  const { body: stored } = await w.as.get(`/v1/events/${sent.id}`);
  return { ...w, stored, scope: { agent_id: stored.agent_id as string, ...day } };
}

test('a pack is asked for, queued, read, listed and told of in the audit log', async t => {
  const w = await begun(t);
  const { status, body } = await w.as.post('/v1/packs', {
    kind: 'agent_activity_report',
    title: ' November ',
    scope: w.scope,
  });
  t.is(status, 202);
  t.like(body, {
    kind: 'agent_activity_report',
    title: 'November',
    state: 'queued',
    scope: w.scope,
    redact: [],
    progress: 0,
    created_at: timestamp(at + DAY),
    created_by: w.full.id,
    ready_at: null,
    expires_at: null,
    size_bytes: null,
    sha256: null,
    event_count: 1,
    error: null,
  });
  t.deepEqual((await w.as.get(`/v1/packs/${body.id.toLowerCase()}`)).body, { ...body, shares: [] });
  const other = (await w.as.post('/v1/packs', { kind: 'alert_report', scope: { payment_id: 'order-1' } })).body;
  t.deepEqual((await w.as.get('/v1/packs')).body, { data: [other, body], next_cursor: null });
  t.deepEqual((await w.as.get('/v1/packs?kind=alert_report&state=queued')).body.data, [other]);
  t.deepEqual((await w.as.get('/v1/packs?state=ready')).body.data, []);
  t.is((await w.as.get('/v1/packs?state=made')).status, 400);
  const { body: audit } = await (await w.person('admin')).get('/v1/audit-log?action=pack.created');
  t.like(audit.data[1], { target_id: body.id, actor_id: w.full.id });
});

test('a scope that names two things, nothing, or what is not there is refused', async t => {
  const w = await begun(t);
  const [agent_id, case_id] = [newId('agt'), newId('cas')];
  const refused: [scope: object, status: number, path: string][] = [
    [{}, 400, '/scope'],
    [{ agent_id: w.scope.agent_id }, 400, '/scope'],
    [{ agent_id: w.scope.agent_id, from: day.from }, 400, '/scope'],
    [{ ...w.scope, payment_id: 'order-1' }, 400, '/scope'],
    [{ event_ids: [] }, 400, '/scope/event_ids'],
    [{ event_ids: [w.stored.id, 'evt_1'] }, 400, '/scope/event_ids/1'],
    [{ ...w.scope, to: 'tomorrow' }, 400, '/scope/to'],
    [{ owner_id: w.stored.owner_id }, 400, '/scope/owner_id'],
    [{ ...w.scope, agent_id }, 422, '/scope/agent_id'],
    [{ case_id }, 422, '/scope/case_id'],
    [{ event_ids: [w.stored.id, newId('evt')] }, 422, '/scope/event_ids/1'],
    [{ alert_ids: [newId('alr')] }, 422, '/scope/alert_ids/0'],
    [{ payment_id: 'no such' }, 422, '/scope/payment_id'],
    [{ ...w.scope, from: day.to }, 422, '/scope/to'],
  ];
  for (const [scope, status, path] of refused) {
    const reply = await w.as.post('/v1/packs', { kind: 'evidence_pack', scope });
    t.is(reply.status, status, JSON.stringify([scope, reply.body]));
    t.is(reply.body.error.details[0].path, path, JSON.stringify(scope));
  }
  for (const more of [{ kind: 'report' }, { redact: ['Note'] }, { title: '' }, { colour: 'red' }])
    t.is((await w.as.post('/v1/packs', { kind: 'evidence_pack', scope: w.scope, ...more })).status, 400);
  t.deepEqual((await w.as.get('/v1/packs')).body.data, []);
});

test('a log without events, and another organization’s records, give no pack', async t => {
  const w = await begun(t);
  const rival = w.client((await w.key((await w.organization('Rival')).id)).key);
  const alert_id = await alert(w.db, w.tenant, { events: [w.stored] });
  for (const scope of [
    { event_ids: [w.stored.id] },
    { alert_ids: [alert_id] },
    { payment_id: 'order-1' },
    w.scope,
    { case_id: newId('cas') },
  ]) {
    const { status, body } = await rival.post('/v1/packs', { kind: 'evidence_pack', scope });
    t.is(status, 422);
    t.is(body.error.details[0].code, 'not_found');
  }
  await rival.post('/v1/mandates', {});
  t.is((await rival.get('/v1/packs')).body.data.length, 0);
});

test('a pack is downloaded as it was built, by whoever may, once it is ready', async t => {
  const w = await begun(t);
  const waiting = await ask(t, w, w.scope);
  const early = await w.as.get(`/v1/packs/${waiting}/download`);
  t.is(early.status, 409);
  t.regex(early.body.error.message, /queued/);
  const { pack, zip } = await built(t, w, w.scope);
  t.is(zip.length, pack.size_bytes);
  const headers = { authorization: `Bearer ${w.full.key}` };
  for (const method of ['GET', 'HEAD']) {
    const answer = await fetch(`${w.api.address}/v1/packs/${pack.id}/download`, { method, headers });
    t.is(answer.status, 200);
    t.is(answer.headers.get('content-type'), 'application/zip');
    t.is(answer.headers.get('content-length'), String(pack.size_bytes));
    t.is(answer.headers.get('content-disposition'), `attachment; filename="${pack.id}.zip"`);
    t.is(answer.headers.get('repr-digest'), `sha-256=:${Buffer.from(pack.sha256, 'hex').toString('base64')}:`);
    t.is(answer.headers.get('cache-control'), 'private, no-cache');
    t.is((await answer.arrayBuffer()).byteLength, method === 'GET' ? zip.length : 0);
  }
  t.true(zip.equals(await download(w, pack.id)));
  const scoped = await w.withScopes('events:read');
  t.is((await scoped.get(`/v1/packs/${pack.id}/download`)).status, 403);
});

test('a pack that is removed is expired, and everything of it is gone', async t => {
  const w = await begun(t);
  const { pack } = await built(t, w, w.scope);
  const { body: share } = await w.as.post(`/v1/packs/${pack.id}/share`, { expires_in_days: 1 });
  const { status, body } = await w.as.delete(`/v1/packs/${pack.id}`);
  t.is(status, 200);
  t.like(body, { id: pack.id, state: 'expired', sha256: pack.sha256 });
  t.deepEqual((await w.as.delete(`/v1/packs/${pack.id}`)).body, body, 'a second time changes nothing');
  t.is((await w.as.get(`/v1/packs/${pack.id}/download`)).status, 409);
  t.is((await fetch(share.url)).status, 404);
  t.is((await w.as.post(`/v1/packs/${pack.id}/share`, { expires_in_days: 1 })).status, 409);
  const waiting = await ask(t, w, w.scope);
  t.is((await w.as.delete(`/v1/packs/${waiting}`)).body.state, 'expired');
});

test('a pack is linked to a case, and shows there', async t => {
  const w = await begun(t);
  const pack_id = await ask(t, w, w.scope);
  const { body: opened } = await w.as.post('/v1/cases', { title: 'Looked into' });
  const { status, body } = await w.as.post(`/v1/cases/${opened.id}/links`, { pack_ids: [pack_id] });
  t.is(status, 200);
  t.deepEqual(body.links.pack_ids, [pack_id]);
  t.like(body.timeline.at(-1), { kind: 'linked', pack_ids: [pack_id] });
  const unknown = await w.as.post(`/v1/cases/${opened.id}/links`, { pack_ids: [newId('pck')] });
  t.is(unknown.status, 422);
});

test('asking again with the same Idempotency-Key makes one pack', async t => {
  const w = await begun(t);
  const body = { kind: 'evidence_pack', scope: w.scope };
  const replies = [];
  for (let turn = 0; turn < 2; turn += 1)
    replies.push(await w.as.post('/v1/packs', body, { 'idempotency-key': 'pack-1' }));
  t.deepEqual(replies[0]?.body, replies[1]?.body);
  t.is((await w.as.get('/v1/packs')).body.data.length, 1);
});
