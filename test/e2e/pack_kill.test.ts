import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { verifyPack } from '#shared/packs/verify.mjs';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { event } from '#test/helpers/make.ts';
import { ask, download } from '#test/helpers/packs.ts';
import { startWorkers } from '#test/helpers/survive.ts';
import { until } from '#test/helpers/until.ts';
import { type World, world } from '#test/helpers/world.ts';

const EVENTS = 3_000;
const evidence = [{ kind: 'acme.note', value: 'x'.repeat(2_000) }];

test('packs whose worker is killed again and again are each built once, verify, and leave no half file', async t => {
  t.timeout(300_000);
  const w = await world(t, { own_database: true });
  await createEndpoint(w.db, w.config, w.tenant, { url: 'https://hooks.example.com/in' }, Date.now());
  const start = () => startWorkers(w, ['pack', 'schedule'], { DATA_DIR: w.config.data_dir });
  let child = start();
  t.teardown(() => child.kill('SIGKILL'));
  const harm = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    child = start();
  };
  const send = async (from: number, to: number) => {
    const events = Array.from({ length: to - from }, (_, index) =>
      event({ payment_id: `order-${from + index}`, agent: `agent-${index % 3}`, more: { evidence } }),
    );
    for (let start = 0; start < events.length; start += 300)
      t.is((await w.as.post('/v1/events', { events: events.slice(start, start + 300) })).body.accepted, 300);
  };
  // The tree grows while its process is killed.
  await send(0, EVENTS / 2);
  await harm();
  await send(EVENTS / 2, EVENTS);
  await w.analyze();
  const { body: agents } = await w.as.get('/v1/agents');
  const time = { from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
  const ids = [];
  for (const { id } of agents.data) ids.push(await ask(t, w, { agent_id: id, ...time }));
  for (const ready of [0, 1]) {
    await until(async () => (await count(w, 'building')) > 0 && (await count(w, 'ready')) >= ready);
    await harm();
  }
  await until(async () => (await count(w, 'ready')) === ids.length);

  const { body: keys } = await w.client().get('/v1/keys.json');
  for (const id of ids) {
    const file = join(w.config.data_dir, `${id}.zip`);
    await writeFile(file, await download(w, id));
    const result = await verifyPack(file, { keys });
    t.true(result.ok, JSON.stringify(result.checks));
  }
  t.deepEqual(await readdir(w.services.storage.workshop), []);
  const told = await w.db.anyFirst(
    sql.type(z.object({ body: z.string() }))`select body from webhook_deliveries where type = 'pack.ready'`,
  );
  t.deepEqual(told.map(body => JSON.parse(body).data.pack_id).toSorted(), ids.toSorted());
  const { body: verified } = await w.as.post('/v1/log/verify', {});
  t.like(verified, { ok: true, checked: EVENTS, first_bad_seq: null });
});

const count = ({ db }: World, state: string) =>
  db.oneFirst(sql.type(z.object({ count: z.int() }))`select count(*)::int as count from packs where state = ${state}`);
