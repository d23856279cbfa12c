import test from 'ava';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';
import { payment, steadyMonth } from '#test/helpers/conduct.ts';
import { event } from '#test/helpers/make.ts';
import { type World, world } from '#test/helpers/world.ts';
import { measureBudgets } from '#workers/measure_budgets.ts';

const path = '/v1/alert-budget';
const now = Date.parse('2026-11-20T12:30:00.000Z');

/** Two agents that were watched for a month, of which one then did what is rare for it; another that came today. */
async function watched(w: World) {
  const [odd, usual] = [{ agent: 'odd' }, { agent: 'usual' }];
  const end = now - HOUR;
  await w.as.post('/v1/events', { events: [...steadyMonth(odd, end), ...steadyMonth(usual, end)] });
  await w.as.post('/v1/events', { events: [payment(odd, end, 9_000), event({ at: now - 60_000, agent: 'young' })] });
  await w.analyze();
  const { data } = (await w.as.get('/v1/alerts')).body;
  return data as { id: string; detector: string }[];
}

test('the alert budget is a tenth of a false alarm an agent and month, until somebody sets another', async t => {
  const w = await world(t);
  const ada = await w.person('developer');
  t.like((await w.as.get(path)).body, { per_agent_month: 0.1, updated_at: null, updated_by: null });
  const { status, body } = await ada.put(path, { per_agent_month: 0.25 });
  t.is(status, 200);
  t.like(body, { per_agent_month: 0.25, updated_by: ada.user.id });
  t.truthy(body.updated_at);
  t.deepEqual((await w.as.get(path)).body, body);
  await ada.put(path, { per_agent_month: 10 });
  const them = w.client((await w.key((await w.organization('Rival')).id)).key);
  t.is((await them.get(path)).body.per_agent_month, 0.1);
  const admin = await w.person('admin');
  const { data } = (await admin.get('/v1/audit-log?action=alert_budget.changed')).body;
  t.deepEqual(
    data.map(({ before, after, actor_id }: Record<string, unknown>) => [before, after, actor_id]),
    [
      [{ per_agent_month: 0.25 }, { per_agent_month: 10 }, ada.user.id],
      [{ per_agent_month: 0.1 }, { per_agent_month: 0.25 }, ada.user.id],
    ],
  );
});

test('an alert budget out of its bounds is refused, and no key can set one', async t => {
  const w = await world(t);
  const ada = await w.person('developer');
  for (const per_agent_month of [0, 0.009, 10.001, -1, '0.1', null]) {
    const reply = await ada.put(path, { per_agent_month });
    t.is(reply.status, 400, String(per_agent_month));
    t.is(reply.body.error.details[0].path, '/per_agent_month');
  }
  t.is((await ada.put(path, {})).status, 400);
  t.is((await ada.put(path, { per_agent_month: 1, per_month: 1 })).status, 400);
  t.is((await w.as.put(path, { per_agent_month: 1 })).status, 403);
  t.is((await (await w.withScopes('events:read')).get(path)).status, 403);
  const production = await world(t, { settings: { ENVIRONMENT: 'production' } });
  t.is((await (await production.person('developer')).put(path, { per_agent_month: 1 })).status, 403);
  t.is((await (await production.person('admin')).put(path, { per_agent_month: 1 })).status, 200);
});

test('beside the budget stands what became of it: alerts on conduct, and for how long agents were watched', async t => {
  const w = await world(t, { now: () => now });
  const ada = await w.person('developer');
  const none = (await w.as.get(path)).body.last_30_days;
  t.like(none, { alerts: 0, agents: 0, agent_months: 0, alerts_per_agent_month: null });
  t.deepEqual([none.from, none.to], [timestamp(now + HOUR / 2 - 30 * DAY), timestamp(now + HOUR / 2)]);
  const [alert, ...others] = await watched(w);
  t.deepEqual(others, []);
  const outcome = async () => (await w.as.get(path)).body.last_30_days;
  t.like(await outcome(), { alerts: 1, open: 1, resolved: 0, dismissed: 0, agents: 3, agent_months: 2.001 });
  t.is((await outcome()).alerts_per_agent_month, 0.5);
  await ada.post(`/v1/alerts/${alert?.id}/actions`, { action: 'dismiss', reason: 'a planned purchase' });
  t.like(await outcome(), { alerts: 1, open: 0, dismissed: 1, dismissed_per_agent_month: 0.5 });
  await measureBudgets(w.services);
  const metrics = await w.services.metrics.registry.metrics();
  t.regex(metrics, /^behavioral_alerts_30_days\{state="dismissed"\} 1$/m);
  t.regex(metrics, /^agent_months_30_days 2\.001$/m);
  t.regex(metrics, /^behavioral_alerts_budgeted_30_days 0\.2/m);
});

test('what a rule finds, and what detectors with parameters of their own find, is not charged to the budget', async t => {
  const w = await world(t, { now: () => now });
  const ada = await w.person('developer');
  await ada.put('/v1/detectors/velocity_count', { params: { per_minute: 5 } });
  await w.as.post('/v1/events', {
    events: Array.from({ length: 8 }, (_, index) =>
      event({ at: now - HOUR + index * 1_000, cents: String(10 + index) }),
    ),
  });
  t.true((await w.analyze()).some(({ detector }) => detector === 'velocity_count'));
  t.is((await w.as.get(path)).body.last_30_days.alerts, 0);
});

test('a larger budget raises what a smaller one does not', async t => {
  const raisedWith = async (per_agent_month: number) => {
    const w = await world(t, { now: () => now });
    await (await w.person('developer')).put(path, { per_agent_month });
    const of = { agent: 'odd' };
    await w.as.post('/v1/events', { events: steadyMonth(of, now - HOUR) });
    await w.as.post('/v1/events', payment(of, now - HOUR, 30));
    return (await w.analyze()).length;
  };
  t.is(await raisedWith(0.01), 0);
  t.is(await raisedWith(10), 1);
});
