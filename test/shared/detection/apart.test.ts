import test from 'ava';
import { DAY, HOUR } from '#shared/values/time.ts';
import { payment, steadyMonth } from '#test/helpers/conduct.ts';
import { world } from '#test/helpers/world.ts';

const now = Date.parse('2026-11-20T12:30:00.000Z');
const end = now - 8 * DAY;

test('conduct that begins days after an open alert is a new alert and a new incident', async t => {
  const w = await world(t, { now: () => now });
  await w.as.post('/v1/events', { events: steadyMonth({ agent: 'odd' }, end) });
  await w.analyze();
  const pay = async (at: number, usd: number) => {
    await w.as.post('/v1/events', payment({ agent: 'odd' }, at, usd));
    return w.analyze();
  };
  const list = async (path: string) => (await w.as.get(path)).body.data;
  const ada = await w.person('developer');

  const [first] = await pay(end + 2 * HOUR, 3_000);
  t.truthy(first);
  const [{ id: earlier }] = await list('/v1/incidents');
  t.is((await ada.post(`/v1/incidents/${earlier}/actions`, { action: 'acknowledge' })).status, 200);
  const [second, ...more] = await pay(end + 6 * DAY, 9_000);
  t.deepEqual(more, []);
  t.not(second?.alert_id, first?.alert_id);
  t.deepEqual(await pay(end + 6 * DAY + HOUR, 9_000), [], 'what goes on belongs to the alert that tells of it');

  const [incident, ...others] = await list('/v1/incidents');
  t.deepEqual(
    others.map(({ id }: { id: string }) => id),
    [earlier],
  );
  t.like(incident, { acknowledged: false, alert_count: 1, event_count: 2, amount_usd_minor: '1800000' });
  t.like(others[0], { event_count: 1, amount_usd_minor: '300000' });
});
