import { createHash, generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { verifyPack } from '#shared/packs/verify.mjs';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { createStorage } from '#shared/platform/storage/open_storage.ts';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';
import { bucketServer } from '#test/helpers/bucket_server.ts';
import { eraseSubject } from '#test/helpers/erasing.ts';
import { scene, scopeOf } from '#test/helpers/pack_scene.ts';
import { built, workOn } from '#test/helpers/packs.ts';
import { noon } from '#test/shared/assessment/flow.ts';

const Body = z.object({ body: z.string() });

test('a pack holds the events of its scope and everything known of them', async t => {
  const w = await scene(t);
  const { pack, files, read } = await built(t, w, { case_id: w.case_id }, { title: 'Over budget' });
  t.deepEqual(
    [...files.keys()],
    [
      'events.jsonl',
      'evidence.jsonl',
      'verifications.json',
      'mandates.json',
      'evaluations.json',
      'alerts.json',
      'screenings.json',
      'case.json',
      'log/checkpoint',
      'log/proofs.jsonl',
      'log/keys.json',
      'report.html',
      'report.pdf',
      'verify.mjs',
      'manifest.json',
      'manifest.jws',
    ],
  );
  const manifest = read('manifest.json');
  t.like(manifest, {
    format: 'agent-payment-oversight-pack/1',
    pack: { id: pack.id, kind: 'evidence_pack', title: 'Over budget', scope: { case_id: w.case_id } },
    organization: (await w.as.get('/v1/me')).body.organization,
    environment: 'sandbox',
  });
  t.like(manifest.log, { origin: `127.0.0.1/${w.tenant.org_id}/sandbox`, size: 3 });
  for (const { path, size, sha256 } of manifest.files) {
    const bytes = files.get(path) ?? Buffer.alloc(0);
    t.deepEqual([size, sha256], [bytes.length, createHash('sha256').update(bytes).digest('hex')], path);
  }
  const events = read('events.jsonl');
  t.deepEqual(
    events.map(({ id }: { id: string }) => id),
    w.breach.event_ids.toReversed(),
  );
  t.is(read('case.json').id, w.case_id);
  t.true(read('alerts.json').some(({ id }: { id: string }) => id === w.breach.id));
  t.like(read('mandates.json')[0], { id: w.mandate.id, version: 1, name: 'Supplies' });
  t.like(read('evaluations.json')[0], { mandate_id: w.mandate.id, result: 'breach', superseded: false });
  t.like(pack, { event_count: events.length, progress: 1, error: null, size_bytes: pack.size_bytes });
});

test('every scope chooses its events, and none of others', async t => {
  const w = await scene(t);
  const [first, second] = w.paid.map(({ id }) => id);
  const scopes: [object, (string | undefined)[]][] = [
    [scopeOf(w), [first, second]],
    [{ ...scopeOf(w), to: timestamp(noon + HOUR) }, [first]],
    [{ ...scopeOf(w), from: timestamp(noon + DAY), to: timestamp(noon + 2 * DAY) }, []],
    [{ payment_id: 'order-2' }, [second]],
    [{ event_ids: [second, first, second] }, [first, second]],
    [{ alert_ids: [w.breach.id] }, w.breach.event_ids.toReversed()],
  ];
  for (const [scope, ids] of scopes) {
    const { read, pack } = await built(t, w, { ...scope }, { kind: 'agent_activity_report' });
    t.deepEqual(
      read('events.jsonl').map(({ id }: { id: string }) => id),
      ids,
      JSON.stringify(scope),
    );
    t.is(pack.event_count, ids.length);
  }
});

test('evidence stands in a pack with its hash, and what is redacted without its value', async t => {
  const w = await scene(t);
  const evidence_id = await w.db.oneFirst(sql.type(z.object({ id: z.string() }))`
    select id from evidence where org_id = ${w.tenant.org_id} and kind = 'acme.scan'`);
  await eraseSubject(w.services, w.tenant, { kind: 'evidence', id: evidence_id });
  const { read, pack } = await built(t, w, scopeOf(w), { redact: ['acme.note', 'no.such'] });
  t.deepEqual(pack.redact, ['acme.note', 'no.such']);
  t.deepEqual(
    read('evidence.jsonl').map((item: Record<string, unknown>) => [item['kind'], item['value'], item['withheld']]),
    [
      ['acme.note', null, 'redacted'],
      ['acme.scan', null, 'erased'],
      ['psp.webhook', { headers: {}, body: '{}' }, null],
    ],
  );
  t.is(read('evidence.jsonl')[0].sha256, createHash('sha256').update('a text').digest('hex'));
});

test('every pack verifies with the published key alone, and with no other', async t => {
  const w = await scene(t);
  for (const kind of ['evidence_pack', 'mandate_compliance_report', 'screening_report', 'alert_report']) {
    const { pack } = await built(t, w, scopeOf(w), { kind, redact: ['acme.note'] });
    const { body: keys } = await w.client().get('/v1/keys.json');
    const path = join(w.config.data_dir, `files/packs/${w.tenant.org_id}/sandbox/${pack.id}-1.zip`);
    const trusted = await verifyPack(path, { keys });
    t.true(trusted.ok, JSON.stringify(trusted));
    t.is((await verifyPack(path)).verdict, 'unproven');
    const [own] = keys.keys;
    const others = { keys: [{ ...own, x: generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x }] };
    t.false((await verifyPack(path, { keys: others })).ok);
  }
});

test('the same pack record gives the same bytes', async t => {
  const w = await scene(t);
  const { pack, zip } = await built(t, w, { case_id: w.case_id });
  // As if the worker had been killed at the very end: built again, by another one.
  await w.db.query(sql.unsafe`
    update packs set state = 'queued' where id = ${pack.id}`);
  await w.db.query(sql.unsafe`
    insert into pack_events (org_id, environment, pack_id, chain_seqs)
    select org_id, environment, ${pack.id}, array_agg(chain_seq order by chain_seq) from alert_events
    where alert_id = ${w.breach.id} group by 1, 2`);
  await w.send([w.pay({ at: 3 * HOUR })]);
  await workOn(w, pack.id);
  const { body: again } = await w.as.get(`/v1/packs/${pack.id}`);
  t.is(again.sha256, pack.sha256);
  t.is(again.sha256, createHash('sha256').update(zip).digest('hex'));
});

test('a pack that is ready is told of once, by webhook', async t => {
  const w = await scene(t);
  await createEndpoint(w.db, w.config, w.tenant, { url: 'https://hooks.example.com/in' }, noon);
  const { pack } = await built(t, w, scopeOf(w));
  await workOn(w, pack.id);
  const { body } = await w.admin.get('/v1/webhook-deliveries?type=pack.ready');
  t.is(body.data.length, 1);
  const rows = await w.db.anyFirst(sql.type(Body)`select body from webhook_deliveries where type = 'pack.ready'`);
  t.deepEqual(JSON.parse(rows[0] ?? '').data, { pack_id: pack.id });
});

test('packs are kept in a bucket as well', async t => {
  const w = await scene(t, { settings: { STORAGE_URL: await bucketServer(t) } });
  const { pack, read } = await built(t, w, scopeOf(w));
  t.is(read('manifest.json').pack.id, pack.id);
  await w.as.delete(`/v1/packs/${pack.id}`);
  await workOn(w, pack.id);
  const { storage_url, data_dir } = w.config;
  const storage = await createStorage({ storage_url, data_dir });
  t.is(await storage.get(`packs/${w.tenant.org_id}/sandbox/${pack.id}-1.zip`), null);
});
