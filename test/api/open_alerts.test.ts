import test, { type ExecutionContext } from 'ava';
import { DAY, HOUR } from '#shared/values/time.ts';
import { payment, steadyMonth } from '#test/helpers/conduct.ts';
import { world } from '#test/helpers/world.ts';

const now = Date.parse('2026-11-20T12:30:00.000Z');
const end = now - 8 * DAY;
const odd = { agent: 'odd' };
const paid = (days: number, usd = 60) => payment(odd, end + days * DAY + 2 * HOUR, usd);
const large = [0, 2, 2.1, 5].map(days => paid(days));

/** An agent whose habits are known, what it pays then, and what is told of that. */
async function begun(t: ExecutionContext) {
  const w = await world(t, { now: () => now });
  await w.as.post('/v1/events', { events: steadyMonth(odd, end) });
  await w.analyze();
  const ada = await w.person('developer');
  await ada.put('/v1/detectors/amount_outlier', { cooldown_s: 0 });
  const send = async (events: readonly unknown[], limit = 100) => {
    await w.as.post('/v1/events', { events });
    return w.analyze({ limit });
  };
  const alerts = async () => (await w.as.get('/v1/alerts')).body.data;
  const act = (id: string, action: string) => ada.post(`/v1/alerts/${id}/actions`, { action, reason: 'looked at' });
  return { ...w, send, alerts, act };
}

test('what an open alert tells of does not become usual: the like of it is added to that alert, however the log is cut', async t => {
  for (const parts of [[large], large.map(each => [each])]) {
    const w = await begun(t);
    for (const events of parts) await w.send(events, parts.length === 1 ? 100 : 1);
    const [alert, ...more] = await w.alerts();
    t.deepEqual(more, []);
    t.is(alert.title, '$60.00 to usual0.example.com, from an agent that usually pays about $12.55');
    t.is(alert.event_ids.length, 4);
    const [incident, ...others] = (await w.as.get('/v1/incidents')).body.data;
    t.deepEqual(others, []);
    t.like(incident, { event_count: 4, amount_usd_minor: '24000' });
  }
});

test('once its alert is closed nothing is added to it: what was dismissed is usual, and what was resolved is told anew', async t => {
  for (const [action, raised] of [
    ['dismiss', 0],
    ['resolve', 1],
  ] as const) {
    const w = await begun(t);
    const [first] = await w.send(large.slice(0, 1));
    await w.act(first?.alert_id ?? '', action);
    t.is((await w.send(large.slice(1, 2))).length, raised);
    t.is((await w.as.get(`/v1/alerts/${first?.alert_id}`)).body.event_ids.length, 1);
  }
});

test('what goes on hides nothing that is unusual by itself, neither near it nor between it and its alert', async t => {
  for (const more of [paid(2.2, 2_000), paid(1.5, 2_000)]) {
    const w = await begun(t);
    for (const event of [paid(0), paid(3), paid(2)]) await w.send([event]);
    t.is((await w.alerts()).length, 1);
    t.is((await w.send([more])).length, 1);
  }
});

test('what goes on raises no alert where what it goes on from raised none', async t => {
  const w = await begun(t);
  for (const name of ['amount_outlier', 'spend_velocity'])
    await (await w.person('developer')).put(`/v1/detectors/${name}`, { severity_floor: 'critical', cooldown_s: 0 });
  await w.send([0, 2, 2.05, 2.1, 2.15, 2.2, 2.25].map(days => paid(days, 38)));
  t.deepEqual(await w.alerts(), []);
});
