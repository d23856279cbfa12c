import test from 'ava';
import { until } from '#test/helpers/webhooks.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';
import { startThread } from '#workers/start_thread.ts';

test('a thread goes through the log, and what it counts is among the metrics of the process until it stops', async t => {
  const { as, services, database } = await world(t, { own_database: true });
  const thread = await startThread(services, database, ['detect']);
  await as.post('/v1/events', { events: [event(), event(), event()] });
  await until(async () => /^events_analyzed_total 3$/m.test(await services.metrics.text()));
  const text = await services.metrics.text();
  t.is(text.match(/^process_cpu_seconds_total /gm)?.length, 1);
  t.regex(text, /^events_ingested_total\{status="accepted"\} 3$/m);
  await thread.stop();
  t.notRegex(await services.metrics.text(), /^events_analyzed_total 3$/m);
});
