import test, { type ExecutionContext } from 'ava';
import { DAY, HOUR } from '#shared/values/time.ts';
import { payment, steadyMonth } from '#test/helpers/conduct.ts';
import { world } from '#test/helpers/world.ts';

const now = Date.parse('2026-11-20T12:30:00.000Z');
const end = now - 8 * DAY;
const odd = { agent: 'odd' };
const large = [0, 2, 5].map(days => payment(odd, end + days * DAY + 2 * HOUR, 60));

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
    t.is(alert.event_ids.length, 3);
    const [incident, ...others] = (await w.as.get('/v1/incidents')).body.data;
    t.deepEqual(others, []);
    t.like(incident, { event_count: 3, amount_usd_minor: '18000' });
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
