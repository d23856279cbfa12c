import test from 'ava';
import { loadHoursAsOf } from '#shared/detection/backtest/hours_as_of.ts';
import { loadHours } from '#shared/detection/load/load_activity.ts';
import { DAY, HOUR } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { noon } from '#test/helpers/play.ts';
import { world } from '#test/helpers/world.ts';

test('the hours that a back-test adds up are those that detection keeps, also where old payments are disputed or refunded', async t => {
  const w = await world(t, { now: () => noon + DAY });
  const of = (payment_id: string, type: string, at: number) =>
    event({ payment_id, type, at: noon + at, cents: '4000' });
  await w.as.post('/v1/events', {
    events: [
      of('disputed', 'payment.settled', -60 * DAY),
      of('refunded', 'payment.settled', -55 * DAY),
      of('slow', 'payment.authorized', -34 * DAY),
      of('usual', 'payment.settled', -20 * DAY),
      of('disputed', 'payment.disputed', -10 * DAY),
      of('refunded', 'payment.refunded', -9 * DAY),
      of('slow', 'payment.settled', -28 * DAY),
      of('heard of late', 'payment.disputed', -8 * DAY),
      of('usual', 'payment.refunded', -7 * DAY),
      of('latest', 'payment.settled', -HOUR),
    ],
  });
  await w.analyze();
  const [{ agent_id }] = (await w.as.get('/v1/events')).body.data;
  const wanted = [{ agent_id, earliest: noon, latest: noon }];
  const hoursOf = (hours: Awaited<ReturnType<typeof loadHours>>) =>
    (hours.get(agent_id) ?? [])
      .filter(({ payments, spend_micro }) => payments > 0 || spend_micro > 0n)
      .map(({ hour, payments, spend_micro }) => [(hour - noon) / HOUR, payments, spend_micro]);
  const kept = hoursOf(await loadHours(w.db, w.tenant, wanted));
  t.is(kept.length, 3);
  t.deepEqual(hoursOf(await loadHoursAsOf(w.db, w.tenant, wanted, 10)), kept);
});
