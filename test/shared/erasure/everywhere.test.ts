import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { createHandler as createExportHandler } from '#workers/handlers/export.ts';
import { createHandler as createScreenHandler } from '#workers/handlers/screen.ts';
import { alert } from '#test/helpers/alert.ts';
import { erasing } from '#test/helpers/erasing.ts';
import { entry, load } from '#test/helpers/lists.ts';
import { event } from '#test/helpers/make.ts';
import { MARK, marked } from '#test/helpers/marked.ts';
import { built, workOn } from '#test/helpers/packs.ts';
import { shadowFinding } from '#test/helpers/shadow_finding.ts';

/** What a list says of somebody is not erased. */
const LISTS = ['screening_list_entries.entry'];

/** A payee that is known everywhere: it was paid, matched and screened, people wrote about it, and it stands in files. */
async function known(t: ExecutionContext) {
  const here = await erasing(t);
  const { as, db, tenant, services, analyze, publish, person } = here;
  await load(db, [entry('1', `${MARK} Ltd`), entry('2', 'Halvorsen Ocean Shipping')]);
  const sent = marked();
  const { body } = await as.post('/v1/events', { events: [sent, event({ payee: 'domain:plain.example.com' })] });
  const [{ payee_id, id: event_id, agent_id, owner_id }] = body.results;
  await createScreenHandler(services, new AbortController().signal)(tenant);
  await analyze();
  const { body: stored } = await as.get(`/v1/events/${event_id}`);
  const alert_id = await alert(db, tenant, { agent_id, events: [stored], subject: payee_id });
  await db.query(sql.unsafe`
    update alerts set title = ${`$12 to ${MARK} Ltd`}, explanation = ${`${MARK.toUpperCase()} LTD at https://api.example.com/${MARK}`}
    where org_id = ${tenant.org_id}`);
  await shadowFinding(db, tenant, { event: stored, subject: payee_id });
  await db.query(sql.unsafe`
    update shadow_findings set title = ${`To ${MARK} Ltd`} where org_id = ${tenant.org_id}`);
  const [{ id: an_alert }] = (await as.get('/v1/alerts')).body.data;
  await as.post(`/v1/alerts/${an_alert}/actions`, { action: 'comment', reason: `Asked ${MARK} Ltd about it` });
  const { body: opened } = await as.post('/v1/cases', { title: `About ${MARK} Ltd`, event_ids: [event_id] });
  await as.post(`/v1/cases/${opened.id}/comments`, { text: `${MARK} Ltd called back` });
  await as.patch(`/v1/cases/${opened.id}`, { title: `About ${MARK} Ltd again` });
  await as.post(
    '/v1/screen',
    { payee: { name: `${MARK} Ltd`, aliases: [`${MARK} Ltd`] } },
    { 'Idempotency-Key': 'one' },
  );
  const source = await db.oneFirst(sql.type(z.object({ id: z.string() }))`
    select id from sources where org_id = ${tenant.org_id} limit 1`);
  await db.query(sql.unsafe`
    insert into unread_webhooks (org_id, environment, source_id, id, body_hash, received_at, headers, body, body_bytes, problems, tried_at)
    values (${tenant.org_id}, ${tenant.environment}, ${source}, 'unr_1', '\\x00', now(), '{}', ${JSON.stringify({ to: `${MARK} Ltd` })}, 9,
      ${JSON.stringify([{ item: 0, code: 'x', message: `not ${MARK} Ltd`, path: '' }])}, now())`);
  await publish();
  const { pack } = await built(t, here, { event_ids: [event_id] }, { title: `${MARK} Ltd` });
  const { pack: other } = await built(t, here, { event_ids: [body.results[1].id] });
  const owner = await person('owner');
  const { body: made } = await owner.post('/v1/exports', { kind: 'events', format: 'csv' });
  const { body: empty } = await owner.post('/v1/exports', {
    kind: 'events',
    format: 'csv',
    to: '2020-01-01T00:00:00Z',
    filters: { q: `${MARK} Ltd`, payee_key: `domain:${MARK}.example.com` },
  });
  const { body: early } = await owner.post('/v1/exports', { kind: 'events', format: 'ndjson' });
  for (const { id } of [made, empty, early])
    await createExportHandler(services, new AbortController().signal)({ ...tenant, export_id: id });
  // As if it had been built before the payee was heard of.
  await db.query(sql.unsafe`update exports set ready_at = ready_at - interval '1 hour' where id = ${early.id}`);
  return {
    ...here,
    payee_id,
    event_id,
    agent_id,
    owner_id,
    alert_id,
    pack,
    other,
    export_ids: [made.id, empty.id],
    early_id: early.id,
    case_id: opened.id,
    owner,
  };
}

test('nothing of an erased payee is left in any column of the database, nor in files', async t => {
  const w = await known(t);
  const {
    columnsWith,
    payee_id,
    pack,
    other,
    export_ids,
    early_id,
    owner,
    as,
    verify,
    config,
    erase,
    tenant,
    db,
    services,
  } = w;
  const before = await columnsWith(MARK);
  for (const column of [
    'alert_actions.reason',
    'alerts.explanation',
    'alerts.title',
    'audit_log.after',
    'case_timeline.detail',
    'cases.title',
    'events.input',
    'evidence.value',
    'exports.filters',
    'idempotency_keys.answer',
    'incidents.lead_title',
    'packs.title',
    'payee_screenings.match',
    'payees.folded',
    'payees.key',
    'screening_matches.name',
    'screenings.query',
    'shadow_findings.title',
    'signed_inputs.input',
    'unread_webhooks.body',
  ])
    t.true(before.includes(column), column);
  t.like(await erase({ kind: 'payee', id: payee_id }), { state: 'done', events: 1, names: 1, packs: 3 });
  t.deepEqual(await columnsWith(MARK), LISTS);
  t.is((await verify()).flaw, null);

  const { body: gone } = await as.get(`/v1/packs/${pack.id}`);
  t.is(gone.state, 'expired');
  t.regex(gone.error, /the erasure ers_/);
  t.is((await as.get(`/v1/packs/${other.id}`)).body.state, 'ready', 'it is about somebody else');
  const { data: exports } = (await owner.get('/v1/exports')).body;
  t.deepEqual(
    exports.map(({ id, state }: { id: string; state: string }) => [id, state]),
    [[early_id, 'ready'], ...export_ids.toReversed().map(id => [id, 'expired'])],
    'no export holds what came after it',
  );
  await workOn(w, pack.id);
  for (const export_id of export_ids)
    await createExportHandler(services, new AbortController().signal)({ ...tenant, export_id });
  const files = await readdir(join(config.data_dir, 'files'), { recursive: true });
  t.deepEqual(
    files.filter(name => /\.(?:zip|html)$/.test(name) && !name.includes(other.id) && !name.includes(early_id)),
    [],
  );
  t.false(await db.exists(sql.unsafe`select 1 from erasure_words`));
});

test('whatever was erased can still be read, and is analyzed further', async t => {
  const { as, owner, payee_id, event_id, agent_id, owner_id, case_id, alert_id, erase, analyze, verify } =
    await known(t);
  for (const subject of [
    { kind: 'payee', id: payee_id },
    { kind: 'agent', id: agent_id },
    { kind: 'owner', id: owner_id },
  ] as const)
    await erase(subject);
  for (const path of [
    '/v1/events?limit=10',
    `/v1/events/${event_id}`,
    `/v1/payees/${payee_id}`,
    `/v1/agents/${agent_id}`,
    `/v1/agents/${agent_id}/summary`,
    `/v1/owners/${owner_id}`,
    '/v1/alerts',
    '/v1/incidents',
    `/v1/cases/${case_id}`,
    '/v1/screenings',
    '/v1/packs',
  ])
    t.is((await as.get(path)).status, 200, path);
  for (const path of ['/v1/audit-log', '/v1/exports']) t.is((await owner.get(path)).status, 200, path);
  t.is(typeof alert_id, 'string');
  t.deepEqual((await as.get(`/v1/events?q=${MARK}`)).body.data, []);
  await as.post('/v1/events', { events: [marked(), marked(), event()] });
  await analyze();
  const { body } = await as.get('/v1/payees');
  t.is(body.data.length, 4);
  t.is((await verify()).flaw, null);
});

test('names that are also words of the service break nothing', async t => {
  const { as, owner, erase, columnsWith } = await known(t);
  for (const name of ['merchant', 'name', 'null', 'agent', 'high', 'events_pack']) {
    const { body } = await as.post('/v1/events', event({ payee: `${name} of words`, payee_name: name }));
    await as.post('/v1/screen', { payee: { name, type: 'merchant' } });
    t.is((await erase({ kind: 'payee', id: body.payee_id })).state, 'done', name);
  }
  for (const path of ['/v1/alerts', '/v1/incidents', '/v1/cases', '/v1/screenings', '/v1/packs', '/v1/events'])
    t.is((await as.get(path)).status, 200, path);
  t.is((await owner.get('/v1/audit-log')).status, 200);
  t.true((await columnsWith(MARK)).length > LISTS.length);
});
