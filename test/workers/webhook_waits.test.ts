import { FIRST_WAIT } from '#shared/webhooks/retry_schedule.ts';
import { receiver, type Received, serviceSignature } from '#test/helpers/receiver.ts';
import { engineTest, webhookWorld } from '#test/helpers/webhooks.ts';
import { until } from '#test/helpers/until.ts';

for (const [trouble, answer, counted_as] of [
  ['500', 500, '5xx'],
  ['429', 429, '429'],
  ['no answer in time', () => {}, 'none'],
] as const) {
  // Where an answer comes, it may take its time on a slow machine.
  const timeout = counted_as === 'none' ? 300 : undefined;
  // What a customer waits is waited once on each engine.
  const first_wait = counted_as === '5xx' ? FIRST_WAIT : 100;
  const waits = [1, 2, 4, 8].map(times => first_wait * times);
  const title = counted_as === '5xx' ? '0.5, 1, 2 and 4 s' : 'ever longer waits';
  engineTest(
    `after ${trouble} it is tried again after ${title}, five times in all, the same bytes freshly signed`,
    async (t, engine) => {
      const { url, received } = await receiver(t, () => answer);
      const { deliver, deliveries, endpoint, states, work, metrics } = await webhookWorld(t, {
        engine,
        timeout,
        first_wait,
      });
      const { secret } = await endpoint(url);
      work();
      await deliver();
      await until(async () => (await states())['failed'] === 1);
      t.is(received.length, 5);
      assertWaits(t, received, waits);
      t.is(new Set(received.map(request => request.body.toString())).size, 1);
      t.is(new Set(received.map(request => request.headers['webhook-id'])).size, 1);
      t.is(new Set(received.map(request => request.headers['service-timestamp'])).size, 5);
      for (const request of received) t.is(request.headers['service-signature'], serviceSignature(secret, request));
      const [delivery] = await deliveries();
      t.deepEqual(
        delivery?.attempts.map(({ number }) => number),
        [1, 2, 3, 4, 5],
      );
      t.true(delivery?.attempts.every(({ outcome }) => outcome === 'failed'));
      t.truthy(delivery?.finished_at);
      const counted = await metrics.webhookAttempts.get();
      t.like(counted.values, [{ labels: { outcome: 'failed', answer: counted_as }, value: 5 }]);
    },
  );
}

/** A wait begins when the attempt has ended: nothing is sent before it is over, and how much later depends on the machine. */
function assertWaits(
  t: { true(value: boolean, message?: string): unknown },
  received: readonly Received[],
  waits: readonly number[],
) {
  for (const [index, wait] of waits.entries()) {
    const gap = (received[index + 1]?.at ?? 0) - (received[index]?.at ?? 0);
    t.true(gap >= wait - 20, `wait ${index + 1} was ${gap} ms`);
  }
}
