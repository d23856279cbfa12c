import { createHash, createPublicKey, verify } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { DAY } from '#shared/values/time.ts';
import { createHandler } from '#workers/handlers/export.ts';
import { alert } from '#test/helpers/alert.ts';
import type { Client } from '#test/helpers/client.ts';
import { endOf } from '#test/helpers/job.ts';
import { event } from '#test/helpers/make.ts';
import { unzip } from '#test/helpers/unzip.ts';
import { type World, world } from '#test/helpers/world.ts';

const workOn = (w: World, export_id: string, stopping = new AbortController().signal) =>
  endOf(createHandler(w.services, stopping)({ ...w.tenant, export_id }));

async function ask(t: ExecutionContext, as: Client, body: object): Promise<string> {
  const reply = await as.post('/v1/exports', body);
  t.is(reply.status, 202, JSON.stringify(reply.body));
  t.like(reply.body, { ...body, state: 'queued', progress: 0, row_count: null });
  return reply.body.id;
}

const fetchFile = ({ api, full }: World, id: string, headers: Record<string, string> = {}) =>
  fetch(`${api.address}/v1/exports/${id}/download`, { headers: { authorization: `Bearer ${full.key}`, ...headers } });

/** Asks for an export and has it built: its record, the ZIP, and the files in it. */
async function built(t: ExecutionContext, w: World, body: object) {
  const id = await ask(t, w.as, body);
  await workOn(w, id);
  const { body: made } = await w.as.get(`/v1/exports/${id}`);
  t.is(made.state, 'ready', String(made.error));
  const answer = await fetchFile(w, id);
  const zip = Buffer.from(await answer.arrayBuffer());
  const files = unzip(zip);
  return { made, answer, zip, files, text: (name: string) => files.get(name)?.toString() ?? '' };
}

/** A log of three events, of which the second is from a month ago. */
async function threeEvents(w: World) {
  const now = Date.now();
  const events = [
    event({ payee_name: '=HYPERLINK("https://evil.example")' }),
    event({ at: now - 31 * DAY, payee_name: 'Café, "Zum Bären"' }),
    event(),
  ];
  await w.as.post('/v1/events', { events });
  await w.analyze();
  return { events, since: new Date(now - DAY).toISOString() };
}

test('an export holds what the filters of the list leave, and says so; what is no filter of it is refused', async t => {
  const w = await world(t);
  const cards = [event(), event()];
  const events = [cards[0], event({ rail: 'sepa' }), cards[1], event({ cents: '99' })];
  await w.as.post('/v1/events', { events });
  await w.analyze();
  const body = { kind: 'events', format: 'ndjson', filters: { rail: 'card', amount_min: '5' } };
  const { made, text } = await built(t, w, body);
  const ids = text('events.ndjson')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line).id);
  t.deepEqual(
    ids,
    cards.map(({ id }) => id),
  );
  t.like(made, { row_count: 2, filters: body.filters });
  t.deepEqual(JSON.parse(text('manifest.json')).export.filters, body.filters);
  for (const state of ['open', 'dismissed', 'open']) await alert(w.db, w.tenant, { state });
  const open = await built(t, w, { kind: 'alerts', format: 'csv', filters: { state: 'open' } });
  const listed = (await w.as.get('/v1/alerts?limit=200')).body.data;
  t.is(open.made.row_count, listed.filter(({ state }: { state: string }) => state === 'open').length);
  t.true(open.made.row_count < listed.length);
  for (const [kind, name, value, says] of [
    ['events', 'rail', 'gold', /^filters\.rail must be one of card, .* It was "gold"/],
    ['events', 'after_seq', '5', /^filters\.after_seq is not a known member/],
    ['events', 'from', '2026-01-01T00:00:00Z', /^filters\.from is not a known member/],
    ['alerts', 'sort', 'score', /^filters\.sort is not a known member/],
    ['alerts', 'agent_id', 'agt_1', /^filters\.agent_id must be /],
    ['cases', 'rail', 'card', /^filters\.rail is not a known member/],
  ] as const) {
    const refused = await w.as.post('/v1/exports', { kind, format: 'csv', filters: { [name]: value } });
    t.is(refused.status, 400, name);
    t.is(refused.body.error.details[0].path, `/filters/${name}`);
    t.regex(refused.body.error.message, says);
  }
  const kept = await w.as.post('/v1/exports', {
    kind: 'alerts',
    format: 'csv',
    filters: { detector: 'x'.repeat(9_000) },
  });
  t.deepEqual([kept.status, kept.body.error?.details[0].path], [400, '/filters/detector'], 'it is kept and listed');
});

test('an export of events holds every event as the API answers it, and its manifest is signed', async t => {
  const w = await world(t);
  const { events } = await threeEvents(w);
  const { made, answer, zip, files, text } = await built(t, w, { kind: 'events', format: 'ndjson' });
  t.deepEqual([...files.keys()], ['events.ndjson', 'manifest.json', 'manifest.jws']);
  const lines = text('events.ndjson').trimEnd().split('\n');
  const listed = (await w.as.get('/v1/events')).body.data.toReversed();
  t.deepEqual(
    lines.map(line => JSON.parse(line)),
    listed,
  );
  t.deepEqual(
    listed.map(({ id }: { id: string }) => id),
    events.map(({ id }) => id),
  );
  t.like(made, { progress: 1, row_count: 3, size_bytes: zip.length });
  const sha256 = createHash('sha256').update(zip).digest();
  t.is(made.sha256, sha256.toString('hex'));
  t.is(answer.headers.get('repr-digest'), `sha-256=:${sha256.toString('base64')}:`);

  const manifest = JSON.parse(text('manifest.json'));
  t.like(manifest, { export: { id: made.id, kind: 'events' }, organization: { id: w.tenant.org_id }, row_count: 3 });
  const file = files.get('events.ndjson') ?? Buffer.alloc(0);
  t.deepEqual(manifest.files, [
    { path: 'events.ndjson', size: file.length, sha256: createHash('sha256').update(file).digest('hex') },
  ]);
  const [header = '', , signature = ''] = text('manifest.jws').split('.');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
  const jwk = (await w.as.get('/v1/keys.json')).body.keys.find((key: { kid: string }) => key.kid === kid);
  const signed = Buffer.from(`${header}.${files.get('manifest.json')?.toString('base64url')}`);
  t.true(verify(null, signed, createPublicKey({ key: jwk, format: 'jwk' }), Buffer.from(signature, 'base64url')));
});

test('an export as CSV has a column a member, and shows no spreadsheet a formula', async t => {
  const w = await world(t);
  const { events, since } = await threeEvents(w);
  const { made, text } = await built(t, w, { kind: 'events', format: 'csv', from: since });
  const rows: Record<string, string>[] = parse(text('events.csv'), { columns: true });
  t.deepEqual(
    rows.map(({ id }) => id),
    [events[0]?.id, events[2]?.id],
    'those since then',
  );
  t.is(made.row_count, 2);
  t.is(rows[0]?.['payment.payee.name'], `'=HYPERLINK("https://evil.example")`);
  t.is(rows[0]?.['chain_seq'], '1');
  t.regex(text('events.csv'), /^id,type,environment,.*payment\.amount\.value.*\r\n/);
  t.like(await ask400(w.as, { kind: 'events', format: 'csv', from: since, to: since }), { code: 'unprocessable' });
});

test('an export as Parquet has the columns of CSV, with whole numbers and times as such, and amounts to the last digit', async t => {
  const w = await world(t);
  await w.as.post('/v1/events', { events: Array.from({ length: 450 }, () => event({ cents: '90071992547409931' })) });
  await threeEvents(w);
  const { made, files } = await built(t, w, { kind: 'events', format: 'parquet' });
  const { files: as_csv, text } = await built(t, w, { kind: 'events', format: 'csv' });
  t.true(as_csv.has('events.csv'));
  const file = new Uint8Array(files.get('events.parquet') ?? []).buffer;
  const rows = await parquetReadObjects({ file });
  const cells: Record<string, string>[] = parse(text('events.csv'), { columns: true });
  t.is(made.row_count, 453);
  // Some cells of CSV have an apostrophe before what a spreadsheet would run.
  t.deepEqual(
    rows.map(row => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)]))),
    cells.map(row => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value.replace(/^'=/, '=')]))),
  );
  const [row] = rows;
  t.like(row, { chain_seq: 1n, 'payment.amount.value': '90071992547409931', 'payment.payee.country': null });
  t.true(row?.['occurred_at'] instanceof Date);
  const times = parquetMetadata(file).schema.filter(({ name }) => name.endsWith('_at'));
  for (const { logical_type } of times)
    t.deepEqual(logical_type, { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' });
  t.true(times.length > 1);
});

const textOf = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value ?? ''));

const ask400 = async (as: Client, body: object) => (await as.post('/v1/exports', body)).body.error;

test('alerts, cases, screenings and the audit log are exported as they are listed', async t => {
  const w = await world(t);
  await threeEvents(w);
  const [stored] = (await w.as.get('/v1/events')).body.data;
  await alert(w.db, w.tenant, { agent_id: stored.agent_id, events: [stored], subject: stored.id });
  await w.as.post('/v1/cases', { title: 'One' });
  await w.as.post('/v1/cases', { title: 'Two' });
  const admin = await w.person('admin');
  for (const [kind, path] of [
    ['alerts', '/v1/alerts'],
    ['cases', '/v1/cases'],
    ['screenings', '/v1/screenings'],
  ] as const) {
    const { text } = await built(t, w, { kind, format: 'ndjson' });
    const lines = text(`${kind}.ndjson`).split('\n').filter(Boolean);
    t.deepEqual(
      lines.map(line => JSON.parse(line)),
      (await w.as.get(path)).body.data,
      kind,
    );
  }
  const id = await ask(t, admin, { kind: 'audit', format: 'ndjson' });
  await workOn(w, id);
  const audited = (await admin.get('/v1/audit-log?action=export.created')).body.data[0];
  t.like(audited, { target_id: id, actor_id: admin.user.id, after: { kind: 'audit', format: 'ndjson' } });
  t.like((await admin.get(`/v1/exports/${id}`)).body, { state: 'ready' });
});

test('who may not read records of a kind gets no export of it, and sees none', async t => {
  const w = await world(t);
  const [alerts, admin, developer] = [
    await w.withScopes('alerts:read'),
    await w.person('admin'),
    await w.person('developer'),
  ];
  t.like(await ask400(alerts, { kind: 'events', format: 'csv' }), { code: 'forbidden' });
  t.like(await ask400(w.as, { kind: 'audit', format: 'csv' }), { code: 'forbidden' });
  t.like(await ask400(developer, { kind: 'audit', format: 'csv' }), { code: 'forbidden' });
  const audit = await ask(t, admin, { kind: 'audit', format: 'csv' });
  const events = await ask(t, w.as, { kind: 'events', format: 'csv' });
  for (const [who, seen] of [
    [alerts, []],
    [developer, [events]],
    [w.as, [events]],
    [admin, [events, audit]],
  ] as const) {
    t.deepEqual(
      (await who.get('/v1/exports')).body.data.map(({ id }: { id: string }) => id),
      seen,
    );
    for (const id of [events, audit]) {
      t.is((await who.get(`/v1/exports/${id}`)).status, (seen as readonly string[]).includes(id) ? 200 : 404);
      t.is((await who.get(`/v1/exports/${id}/download`)).status, (seen as readonly string[]).includes(id) ? 409 : 404);
    }
  }
});

test('a download that was cut off goes on where it ended', async t => {
  const w = await world(t);
  await threeEvents(w);
  const { made, zip } = await built(t, w, { kind: 'events', format: 'ndjson' });
  for (const [range, first, last] of [
    ['bytes=100-', 100, zip.length - 1],
    ['bytes=0-99', 0, 99],
    ['bytes=100-9999999', 100, zip.length - 1],
    ['bytes=-10', zip.length - 10, zip.length - 1],
  ] as const) {
    const answer = await fetchFile(w, made.id, { range });
    t.is(answer.status, 206, range);
    t.is(answer.headers.get('content-range'), `bytes ${first}-${last}/${zip.length}`);
    t.is(answer.headers.get('content-length'), String(last - first + 1));
    t.true(Buffer.from(await answer.arrayBuffer()).equals(zip.subarray(first, last + 1)), range);
  }
  const beyond = await fetchFile(w, made.id, { range: `bytes=${zip.length}-` });
  t.is(beyond.status, 416);
  t.is(beyond.headers.get('content-range'), `bytes */${zip.length}`);
  await beyond.arrayBuffer();
  for (const headers of [{ range: 'bytes=5-1' }, { range: 'lines=1-2' }, { range: 'bytes=0-1', 'if-range': '"x"' }]) {
    const whole = await fetchFile(w, made.id, headers as Record<string, string>);
    t.is(whole.status, 200);
    t.is((await whole.arrayBuffer()).byteLength, zip.length);
  }
});

test('an export that was stopped is built by another worker, and its file goes after 30 days', async t => {
  let time = Date.now();
  const w = await world(t, { now: () => time });
  await w.as.post('/v1/events', event());
  const id = await ask(t, w.as, { kind: 'events', format: 'csv' });
  await workOn(w, id, AbortSignal.abort());
  t.like((await w.as.get(`/v1/exports/${id}`)).body, { state: 'queued' });
  t.deepEqual(await readdir(w.services.storage.workshop), []);
  await Promise.all([workOn(w, id), workOn(w, id)]);
  t.like((await w.as.get(`/v1/exports/${id}`)).body, { state: 'ready', row_count: 1 });
  t.is(await reconcileKind('export', w.services), 0);
  time += 30 * DAY;
  t.is(await reconcileKind('export', w.services), 1);
  await workOn(w, id);
  t.like((await w.as.get(`/v1/exports/${id}`)).body, { state: 'expired' });
  t.is((await fetchFile(w, id)).status, 409);
  t.is(await w.services.storage.get(`exports/${w.tenant.org_id}/sandbox/${id}-2.zip`), null);
});
