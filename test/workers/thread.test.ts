import { randomBytes } from 'node:crypto';
import test from 'ava';
import { until } from '#test/helpers/until.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';
import { loadThread } from '#workers/start_thread.ts';

test('a thread goes through the log, and what it counts is among the metrics of the process until it stops', async t => {
  const { as, services, database } = await world(t, { worked: true });
  const thread = loadThread(['detect']);
  await thread.start(services, database);
  await as.post('/v1/events', { events: [event(), event(), event()] });
  await until(async () => /^events_analyzed_total 3$/m.test(await services.metrics.text()));
  const text = await services.metrics.text();
  t.is(text.match(/^process_cpu_seconds_total /gm)?.length, 1);
  t.regex(text, /^events_ingested_total\{status="accepted"\} 3$/m);
  t.regex(text, /^process_start_time_seconds \d/m);
  t.deepEqual(
    new Set(
      await Promise.all([1, 2, 3].map(async () => /^events_analyzed_total 3$/m.test(await services.metrics.text()))),
    ),
    new Set([true]),
  );
  await thread.stop();
  t.notRegex(await services.metrics.text(), /^events_analyzed_total 3$/m);
});

test('a thread that cannot start says why, and leaves nothing behind', async t => {
  const { services, database } = await world(t, { own_database: true });
  const config = { ...services.config, secret_key: [randomBytes(32)] as const };
  await t.throwsAsync(loadThread(['detect']).start({ ...services, config }, database), {
    any: true,
    message: /^This is not the SECRET_KEY/,
  });
  t.regex(await services.metrics.text(), /^process_start_time_seconds \d/m);
});
