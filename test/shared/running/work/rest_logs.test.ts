import test from 'ava';
import { z } from 'zod';
import { logsBehind } from '#shared/detection/consumer/behind.ts';
import { unpublishedLogs } from '#shared/ledger/unpublished.ts';
import { sql } from '#shared/platform/db.ts';
import { restLogs } from '#shared/running/work/rest_logs.ts';
import { HOUR } from '#shared/values/time.ts';
import { asOwnerOf } from '#test/helpers/owner.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';
import { createHandler as createCheckpointHandler } from '#workers/handlers/checkpoint.ts';
import { createHandler as createDetectHandler } from '#workers/handlers/detect.ts';

test('a log rests when all of its events are analyzed and signed, until the next one comes', async t => {
  const { as, database, db, services, tenant } = await world(t, { own_database: true });
  const { signal } = new AbortController();
  const detect = () => createDetectHandler(services, signal)(tenant);
  const sign = () => createCheckpointHandler(services, signal)(tenant);
  const send = () => as.post('/v1/events', { events: [event()] });
  const later = () => services.now() + HOUR;
  const withNews = () =>
    db.anyFirst(sql.type(z.object({ org_id: z.string() }))`select org_id from event_logs where has_news`);
  const rest = () => restLogs({ ...services, now: later });

  await send();
  await detect();
  await rest();
  t.deepEqual(await withNews(), [tenant.org_id], 'it is not signed');
  await sign();
  await restLogs(services);
  t.deepEqual(await withNews(), [tenant.org_id], 'its last event has just come');
  await rest();
  t.deepEqual(await withNews(), []);

  await send();
  t.deepEqual(await withNews(), [tenant.org_id]);
  t.deepEqual(await logsBehind(db, later()), [tenant]);
  t.is((await unpublishedLogs(db, later())).length, 1);
  await sign();
  await rest();
  t.deepEqual(await withNews(), [tenant.org_id], 'it is not analyzed');
  await detect();
  await rest();
  t.deepEqual(await withNews(), []);

  await asOwnerOf(database, 'update log_trees set checkpoint_size = 1');
  await rest();
  t.deepEqual(await withNews(), [tenant.org_id], 'somebody has changed what was signed');
});
