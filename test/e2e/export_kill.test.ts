import { once } from 'node:events';
import test from 'ava';
import { HOUR, timestamp } from '#shared/values/time.ts';
import { bucketServer } from '#test/helpers/bucket_server.ts';
import { active, hours, path, seqsOf } from '#test/helpers/export_hours.ts';
import { event } from '#test/helpers/make.ts';
import { startWorkers } from '#test/helpers/survive.ts';
import { until } from '#test/helpers/until.ts';

/** A day of hours and more, with so many events each. */
const HOURS = 30;
const EVENTS = 50;

test('hours that are written to a bucket by a worker that is killed again and again are all there, with every event once', async t => {
  t.timeout(300_000);
  const storage_url = await bucketServer(t);
  const w = await hours(t, { STORAGE_URL: storage_url });
  const events = Array.from({ length: HOURS * EVENTS }, () => event({ at: w.first }));
  for (let sent = 0; sent < events.length; sent += 500)
    await w.as.post('/v1/events', { events: events.slice(sent, sent + 500) });
  for (let hour = 0; hour < HOURS; hour += 1)
    await w.owner('update events set received_at = $2 where org_id = $1 and chain_seq > $3 and chain_seq <= $4', [
      w.tenant.org_id,
      timestamp(w.first + hour * HOUR),
      hour * EVENTS,
      (hour + 1) * EVENTS,
    ]);
  await w.as.put(path, active);
  const start = () => startWorkers(w, ['pack', 'schedule'], { DATA_DIR: w.config.data_dir, STORAGE_URL: storage_url });
  let child = start();
  t.teardown(() => child.kill('SIGKILL'));
  const reached = async () => (Date.parse((await w.schedule()).next_hour) - w.first) / HOUR;
  for (const written of [1, 15]) {
    await until(async () => (await reached()) >= written);
    child.kill('SIGKILL');
    await once(child, 'exit');
    child = start();
  }
  await until(async () => (await reached()) >= HOURS);
  let previous: string | null = null;
  const seqs: number[] = [];
  for (let at = w.first; at < w.first + HOURS * HOUR; at += HOUR) {
    const hour = await w.hour(at);
    t.is(hour?.manifest.previous_manifest_sha256, previous, timestamp(at));
    previous = hour?.sha256 ?? null;
    seqs.push(...seqsOf(hour));
    t.is(await w.read(`${hour?.folder}/part-1.ndjson.gz`), null);
  }
  t.deepEqual(
    seqs,
    events.map((_, index) => index + 1),
  );
});
