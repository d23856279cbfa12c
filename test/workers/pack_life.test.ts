import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { jobKinds } from '#shared/running/work/kinds/index.ts';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { beginPack } from '#shared/packs/store/pack_claims.ts';
import { DAY, HOUR, MINUTE, timestamp } from '#shared/values/time.ts';
import { scene, scopeOf } from '#test/helpers/pack_scene.ts';
import { ask, built, download, workOn } from '#test/helpers/packs.ts';
import { flow, noon } from '#test/shared/assessment/flow.ts';

const Row = z.object({ state: z.string(), attempts: z.int() });

test('a pack waits a minute for the analysis of its events, and is built then in any case', async t => {
  const w = await flow(t);
  await w.send([w.pay(), w.pay()]);
  const id = await ask(t, w, scopeOf(w));
  await workOn(w, id);
  t.is((await w.as.get(`/v1/packs/${id}`)).body.state, 'queued');
  await w.analyze();
  await workOn(w, id);
  t.is((await w.as.get(`/v1/packs/${id}`)).body.state, 'ready');
  await w.send([w.pay()]);
  const late = await ask(t, w, scopeOf(w));
  w.moveTo(noon + 6 * HOUR + MINUTE);
  await workOn(w, late);
  t.like((await w.as.get(`/v1/packs/${late}`)).body, { state: 'ready', event_count: 3 });
});

test('two workers at one pack build it once, and a job that comes again finds nothing to do', async t => {
  const w = await scene(t);
  const id = await ask(t, w, scopeOf(w));
  await Promise.all([workOn(w, id), workOn(w, id), workOn(w, id)]);
  const row = await w.db.one(sql.type(Row)`select state, attempts from packs where id = ${id}`);
  t.deepEqual(row, { state: 'ready', attempts: 1 });
});

test('a worker that stops gives its pack back, and leaves no file behind', async t => {
  const w = await scene(t);
  const id = await ask(t, w, scopeOf(w));
  await workOn(w, id, AbortSignal.abort());
  const row = await w.db.one(sql.type(Row)`select state, attempts from packs where id = ${id}`);
  t.deepEqual(row, { state: 'queued', attempts: 1 });
  t.deepEqual(await readdir(w.services.storage.workshop), []);
  await workOn(w, id);
  t.is((await w.as.get(`/v1/packs/${id}`)).body.state, 'ready');
});

test('a pack whose worker was killed is begun again by another, and after twenty times it says that it failed', async t => {
  const w = await scene(t, { own_database: true });
  const id = await ask(t, w, scopeOf(w));
  const queued: string[] = [];
  const queue = {
    ...w.services.queue,
    add: async (_kind: string, jobs: object[]) => void queued.push(...jobs.map(() => id)),
  };
  let time = noon + 6 * HOUR;
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    t.truthy(await beginPack(w.db, w.tenant, id, time), `attempt ${attempt}`);
    const services = { ...w.services, queue, now: () => time };
    if (attempt % 2 === 1) {
      // Its process is known to have ended.
      await jobKinds.pack.letGo?.(services, { ...w.tenant, pack_id: id }, 'ended');
      continue;
    }
    // The worker is silent from now on.
    time += 2 * MINUTE;
    await reconcileKind('pack', services);
  }
  t.is(queued.length, 10);
  const { body } = await w.as.get(`/v1/packs/${id}`);
  t.is(body.state, 'failed');
  t.regex(body.error, /stopped unexpectedly 20 times/);
});

test('a pack that cannot be built is tried three times, says why, and leaves no file behind', async t => {
  const w = await scene(t);
  const id = await ask(t, w, scopeOf(w));
  const broken = {
    ...w.services.storage,
    put: async () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })),
  };
  const services = { ...w.services, storage: broken };
  for (let attempt = 0; attempt < 3; attempt += 1) await workOn({ ...w, services }, id);
  const { body } = await w.as.get(`/v1/packs/${id}`);
  t.is(body.state, 'failed');
  t.regex(body.error, /no room left/);
  t.deepEqual(await readdir(w.services.storage.workshop), []);
  t.is((await w.as.get(`/v1/packs/${id}/download`)).status, 409);
});

test('what is removed while it is built leaves no file behind', async t => {
  const w = await scene(t);
  const id = await ask(t, w, scopeOf(w));
  const storage = {
    ...w.services.storage,
    async put(name: string, file: string) {
      await w.services.storage.put(name, file);
      if (name.endsWith('.zip')) t.is((await w.as.delete(`/v1/packs/${id}`)).status, 200);
    },
  };
  await workOn({ ...w, services: { ...w.services, storage } }, id);
  t.is((await w.as.get(`/v1/packs/${id}`)).body.state, 'expired');
  t.deepEqual(await readdir(join(w.config.data_dir, `files/packs/${w.tenant.org_id}/sandbox`)), []);
});

test('a pack whose time is over is expired, and its files are deleted', async t => {
  const w = await scene(t, { own_database: true });
  const { pack } = await built(t, w, scopeOf(w));
  t.is(pack.expires_at, timestamp(noon + 6 * HOUR + 400 * DAY));
  const now = () => noon + 401 * DAY;
  const queued: { pack_id: string }[] = [];
  const queue = {
    ...w.services.queue,
    add: async (_kind: string, jobs: { pack_id: string }[]) => void queued.push(...jobs),
  };
  t.is(await reconcileKind('pack', { ...w.services, queue: queue as typeof w.services.queue, now }), 1);
  t.is((await w.as.get(`/v1/packs/${pack.id}`)).body.state, 'expired');
  await workOn(w, queued[0]?.pack_id ?? '');
  t.deepEqual(await readdir(join(w.config.data_dir, `files/packs/${w.tenant.org_id}/sandbox`)), []);
  t.is(
    await reconcileKind('pack', {
      ...w.services,
      queue: queue as typeof w.services.queue,
      now: () => noon + 900 * DAY,
    }),
    0,
  );
});

test('a log that does not agree with its last checkpoint gives no pack, and the pack says so', async t => {
  const w = await scene(t);
  await built(t, w, scopeOf(w));
  await w.send([w.pay({ at: 4 * HOUR })]);
  await w.analyze();
  await w.asOwner(`update events set leaf_hash = sha256('x') where chain_seq = 1`);
  await w.asOwner(`update log_trees set size = 0, edge = ''`);
  const id = await ask(t, w, scopeOf(w));
  for (let attempt = 0; attempt < 3; attempt += 1) await workOn(w, id);
  const { body } = await w.as.get(`/v1/packs/${id}`);
  t.is(body.state, 'failed');
  t.regex(body.error, /admin log verify/);
});

test('a pack of which one event is not what was signed is not made, and says which', async t => {
  const w = await scene(t);
  await built(t, w, scopeOf(w));
  await w.asOwner(`update events set leaf_hash = sha256('x') where chain_seq = 2`);
  const id = await ask(t, w, scopeOf(w));
  for (let attempt = 0; attempt < 3; attempt += 1) await workOn(w, id);
  const { body } = await w.as.get(`/v1/packs/${id}`);
  t.is(body.state, 'failed');
  t.regex(body.error, /^Event #2 of the log does not match what was signed/);
});

test('a worker that was thought dead cannot change a pack that another has finished', async t => {
  const w = await scene(t);
  const id = await ask(t, w, scopeOf(w));
  const { storage } = w.services;
  let other: Promise<void> | undefined;
  // While the first puts its files, its time runs out, and a second builds the pack.
  const put = async (name: string, file: string) => {
    if (!other) {
      await w.db.query(sql.unsafe`update packs set state = 'queued' where id = ${id}`);
      other = workOn(w, id);
      await other;
    }
    await storage.put(name, file);
  };
  await workOn({ ...w, services: { ...w.services, storage: { ...storage, put } } }, id);
  const { body } = await w.as.get(`/v1/packs/${id}`);
  t.is(body.state, 'ready');
  t.is(
    createHash('sha256')
      .update(await download(w, id))
      .digest('hex'),
    body.sha256,
  );
  const files = await readdir(join(w.config.data_dir, `files/packs/${w.tenant.org_id}/sandbox`));
  t.deepEqual(files.toSorted(), [`${id}-2.html`, `${id}-2.zip`]);
});
