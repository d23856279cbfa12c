import test, { type ExecutionContext } from 'ava';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { alert } from '#test/helpers/alert.ts';
import { payment, steadyMonth } from '#test/helpers/conduct.ts';
import { world } from '#test/helpers/world.ts';

const now = Date.parse('2026-11-20T12:30:00.000Z');
const end = now - 4 * DAY;
const one = { agent: 'odd' };

/** An agent whose habits are known, and a person who closes its alerts; no cooldown keeps anything back. */
async function begun(t: ExecutionContext) {
  const w = await world(t, { now: () => now });
  await w.as.post('/v1/events', { events: steadyMonth(one, end) });
  await w.analyze();
  const ada = await w.person('developer');
  for (const name of ['amount_outlier', 'spend_velocity', 'velocity_count'])
    await ada.put(`/v1/detectors/${name}`, { cooldown_s: 0 });
  const act = (id: string, action: string) =>
    ada.post(`/v1/alerts/${id}/actions`, action === 'dismiss' ? { action, reason: 'a test' } : { action });
  const burst = async (from: number, count: number, usd: number, gap: number) => {
    const events = Array.from({ length: count }, (_, n) => payment(one, from + n * gap, usd));
    await w.as.post('/v1/events', { events });
    return w.analyze();
  };
  return { ...w, act, burst };
}

test('a burst that was dismissed hides no much larger one of the same day, and the text names no hour that never was', async t => {
  const w = await begun(t);
  const raised = await w.burst(end + HOUR, 10, 30, 5 * MINUTE);
  t.true(raised.length > 0);
  for (const { alert_id } of raised) await w.act(alert_id, 'dismiss');
  const [larger] = await w.burst(end + 4 * HOUR, 30, 44, 2 * MINUTE);
  t.is(larger?.detector, 'spend_velocity');
  const { body } = await w.as.get(`/v1/alerts/${larger?.alert_id}`);
  t.regex(body.explanation, /\$1,320\.00/);
  t.notRegex(body.explanation, /\$1,620\.00/);
});

test('what was resolved as justified stays out of the record, however much was dismissed since', async t => {
  const w = await begun(t);
  const at = end + 2 * HOUR;
  const raised = async (turn: number) =>
    (await w.burst(at + turn * 20 * HOUR, 1, 60, 1)).map(({ alert_id }) => alert_id);
  for (const turn of [0, 1]) for (const id of await raised(turn)) await w.act(id, 'resolve');
  const { data } = (await w.as.get('/v1/agents')).body;
  for (let n = 0; n < 20; n += 1) {
    const options = { agent_id: data[0].id, detector: 'dormant_agent', subject: String(n), conduct_at: at };
    const id = await alert(w.db, w.tenant, options);
    await w.act(id, 'dismiss');
  }
  t.is((await raised(2)).length, 1);
});
