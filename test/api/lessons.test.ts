import test, { type ExecutionContext } from 'ava';
import { learnFrom, listLessons, unlearn } from '#shared/casework/lessons.ts';
import { newId } from '#shared/interface/ids.ts';
import { runBacktest } from '#shared/detection/backtest/run.ts';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';
import { alert, type AlertOptions } from '#test/helpers/alert.ts';
import { payment, steadyMonth } from '#test/helpers/conduct.ts';
import { world } from '#test/helpers/world.ts';

const now = Date.parse('2026-11-20T12:30:00.000Z');
const end = now - 2 * DAY;
const at = end + 2 * HOUR;
const outliers = '/v1/detectors/amount_outlier';

/** Agents whose habits are known, a person, and what people do with alerts. */
async function begun(t: ExecutionContext, agents: { agent: string; owner?: string }[] = [{ agent: 'odd' }]) {
  const w = await world(t, { now: () => now });
  for (const of of agents) await w.as.post('/v1/events', { events: steadyMonth(of, end) });
  await w.analyze();
  const ada = await w.person('developer');
  // The like of what was closed is to be kept back by what was learned, not by a cooldown.
  for (const path of [outliers, '/v1/detectors/spend_velocity']) await ada.put(path, { cooldown_s: 0 });
  type Named = { id: string; external_id?: string; key?: string };
  const named = async (path: string, name: string): Promise<string> => {
    const { data }: { data: Named[] } = (await w.as.get(path)).body;
    return data.find(({ external_id, key }) => (external_id ?? key) === name)?.id ?? '';
  };
  const agentOf = (external_id: string) => named('/v1/agents', external_id);
  const payeeOf = (key: string) => named('/v1/payees', key);
  const act = (id: string, action: string) =>
    ada.post(`/v1/alerts/${id}/actions`, { action, ...(action !== 'reopen' && { reason: 'as planned' }) });
  /** An alert on conduct, as it was raised, that somebody then closes. */
  const closed = async (action: 'dismiss' | 'resolve', options: AlertOptions) => {
    const id = await alert(w.db, w.tenant, { detector: 'amount_outlier', conduct_at: at, ...options });
    return (await act(id, action)).body;
  };
  const lessons = async (path = outliers) => (await w.as.get(`${path}/quality`)).body.lessons;
  const pay = async (agent: string, usd: number) => {
    const of = agents.find(each => each.agent === agent) ?? { agent };
    await w.as.post('/v1/events', payment(of, at, usd));
    return w.analyze();
  };
  return { ...w, ada, agentOf, payeeOf, act, closed, lessons, pay };
}

test('what was dismissed is not raised again for that agent, until the lesson is forgotten', async t => {
  const w = await begun(t, [{ agent: 'odd' }, { agent: 'even' }]);
  const [agent_id, subject] = [await w.agentOf('odd'), await w.payeeOf('domain:usual0.example.com')];
  t.is((await w.pay('even', 30)).length, 1, 'as it is raised for an agent of which nothing was dismissed');
  for (let times = 0; times < 3; times += 1) await w.closed('dismiss', { agent_id, subject });
  const [lesson, ...others] = await w.lessons();
  t.deepEqual(others, []);
  t.like(lesson, {
    detector: 'amount_outlier',
    agent_id,
    aspect: 'payee',
    subject,
    factor: 27,
    peers_factor: 3.375,
    dismissals: 3,
    resolutions: 0,
  });
  t.deepEqual(await w.pay('odd', 30), []);

  const forgotten = await w.ada.delete(`${outliers}/lessons/${lesson.id}`);
  t.is(forgotten.status, 200);
  t.deepEqual(forgotten.body, lesson);
  t.deepEqual(await w.lessons(), []);
  t.is((await w.pay('odd', 100)).length, 1);
  const admin = await w.person('admin');
  const { data } = (await admin.get('/v1/audit-log?action=lesson.forgotten')).body;
  t.deepEqual(
    data.map(({ target_id, before, actor_id }: Record<string, unknown>) => [target_id, before, actor_id]),
    [[lesson.id, lesson, w.ada.user.id]],
  );
});

test('the explanation says where a lesson changed the weight, for the agent and for the others of its owner', async t => {
  const w = await begun(t, [{ agent: 'odd' }, { agent: 'peer' }, { agent: 'other', owner: 'owner-2' }]);
  const [agent_id, subject] = [await w.agentOf('odd'), await w.payeeOf('domain:usual0.example.com')];
  await w.closed('resolve', { agent_id, subject });
  const explained = async (agent: string) => {
    await w.pay(agent, 35);
    return (await w.as.get(`/v1/alerts?agent_id=${await w.agentOf(agent)}&state=open`)).body.data[0].explanation;
  };
  t.regex(
    await explained('odd'),
    /People resolved one similar alert for this agent, so this counts as 3 times as rare/,
  );
  t.regex(
    await explained('peer'),
    /People resolved one similar alert for other agents of its owner, so this counts as 1\.5 times as rare/,
  );
  t.notRegex(await explained('other'), /People/);
});

test('what was resolved as justified does not become usual, until the lesson is forgotten', async t => {
  const [odd, even] = [
    { agent: 'odd', owner: 'one' },
    { agent: 'even', owner: 'two' },
  ];
  const w = await begun(t, [odd, even]);
  const raised = async (one: typeof odd, turn: number) => {
    await w.as.post('/v1/events', payment(one, at + (turn - 1) * 20 * HOUR, 60));
    return (await w.analyze()).map(({ alert_id }) => alert_id);
  };
  for (const turn of [0, 1])
    for (const one of [odd, even]) {
      const [alert_id] = await raised(one, turn);
      if (alert_id) await w.act(alert_id, one === odd ? 'resolve' : 'dismiss');
    }
  t.is((await raised(odd, 2)).length, 1);
  t.is((await raised(even, 2)).length, 0);
  for (const { id } of await w.lessons()) await w.ada.delete(`${outliers}/lessons/${id}`);
  t.deepEqual(await raised(odd, 3), []);
  const { data } = (await w.as.get(`/v1/events?agent_id=${await w.agentOf('odd')}&limit=1`)).body;
  t.is(data[0].occurred_at, timestamp(at + 40 * HOUR), 'and it was accepted');
});

test('a payment that was dismissed is usual the same day, and nothing adds up with it', async t => {
  const one = { agent: 'odd' };
  const w = await begun(t, [one]);
  const raised = async (hours: number, usd: number) => {
    await w.as.post('/v1/events', payment(one, at + hours * HOUR, usd));
    return w.analyze();
  };
  const [first] = await raised(0, 60);
  await w.act(first?.alert_id ?? '', 'dismiss');
  t.deepEqual(await raised(8, 62), []);
  const [larger] = await raised(16, 600);
  const { body } = await w.as.get(`/v1/alerts/${larger?.alert_id}`);
  t.regex(body.explanation, /\$600\.00/);
  t.notRegex(body.explanation, /\$7\d\d\./);
});

test('what goes on after it was resolved is told with all that belongs to it, and a back-test still finds it', async t => {
  const w = await begun(t);
  const burst = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => payment({ agent: 'odd' }, at + (from + n) * 60_000, 15 + (from + n) / 4));
  const found = async () => {
    const asked = { from: timestamp(at - DAY), to: timestamp(now), params: {}, by_parameters: false, cooldown_s: 0 };
    let findings = 0;
    const options = { assessor: w.assessor, now };
    for await (const state of runBacktest(w.db, w.tenant, { ...asked, detector: 'spend_velocity' }, options))
      findings = state.findings;
    return findings;
  };
  await w.as.post('/v1/events', { events: burst(0, 25) });
  const [first] = await w.analyze();
  t.is(first?.detector, 'spend_velocity');
  const before = await found();
  t.is(before, 1);
  await w.act(first?.alert_id ?? '', 'resolve');
  t.is(await found(), before);
  await w.as.post('/v1/events', { events: burst(25, 8) });
  const [second] = await w.analyze();
  const { body } = await w.as.get(`/v1/alerts/${second?.alert_id}`);
  t.regex(body.explanation, /\$627\.00 within 1 h; .* covers 33 payments/);
});

test('an alert says what closing it taught, reopening takes that back, and so does the audit log', async t => {
  const w = await begun(t);
  const agent_id = await w.agentOf('odd');
  const subject = await w.payeeOf('domain:usual1.example.com');
  const first = await w.closed('dismiss', { agent_id, subject });
  t.like(first.lesson, { aspect: 'payee', subject, factor: 3, dismissals: 1 });
  t.deepEqual((await w.as.get(`/v1/alerts/${first.id}`)).body.lesson, first.lesson);
  const second = await w.closed('resolve', { agent_id, subject });
  t.like(second.lesson, { id: first.lesson.id, factor: 1, dismissals: 1, resolutions: 1 });
  t.is((await w.act(second.id, 'comment')).body.lesson.resolutions, 1, 'a comment teaches nothing');
  t.is((await w.act(second.id, 'reopen')).body.lesson, null);
  t.like((await w.lessons())[0], { factor: 3, dismissals: 1, resolutions: 0 });
  t.like((await w.act(second.id, 'dismiss')).body.lesson, { factor: 9, dismissals: 2, resolutions: 0 });
  const other = await w.closed('dismiss', { agent_id, subject: await w.payeeOf('domain:usual2.example.com') });
  t.is((await w.lessons()).length, 2);
  t.is((await w.act(other.id, 'reopen')).body.lesson, null);
  t.is((await w.lessons()).length, 1, 'nothing is left of it');
  const admin = await w.person('admin');
  const { data } = (await admin.get('/v1/audit-log?action=alert.dismiss')).body;
  t.deepEqual(data.at(-1).after.lesson, first.lesson);
});

test('a lesson that was forgotten is not taken back from what was learned since', async t => {
  const w = await begun(t);
  const of = { agent_id: await w.agentOf('odd'), subject: await w.payeeOf('domain:usual1.example.com') };
  const first = await w.closed('dismiss', of);
  await w.ada.delete(`${outliers}/lessons/${first.lesson.id}`);
  t.is((await w.as.get(`/v1/alerts/${first.id}`)).body.lesson, null);
  await w.closed('dismiss', { ...of });
  await w.act(first.id, 'reopen');
  t.like((await w.lessons())[0], { dismissals: 1 });
});

test('what a finding is like is told by its payee, or else by the quarter of the day', async t => {
  const w = await begun(t);
  const agent_id = await w.agentOf('odd');
  const subject = await w.payeeOf('domain:usual1.example.com');
  const aspectOf = async (options: AlertOptions) => {
    const { lesson } = await w.closed('dismiss', { agent_id, ...options });
    return lesson && [lesson.aspect, lesson.subject, lesson.factor];
  };
  t.deepEqual(await aspectOf({ detector: 'price_drift', subject }), ['payee', subject, 3]);
  const noon = Date.parse('2026-11-18T12:00:00.000Z');
  t.deepEqual(await aspectOf({ detector: 'spend_velocity', conduct_at: noon - 1 }), ['hours', '06-12', 3]);
  t.deepEqual(await aspectOf({ detector: 'spend_velocity', conduct_at: noon }), ['hours', '12-18', 3]);
  t.deepEqual(await aspectOf({ detector: 'spend_velocity', conduct_at: noon - DAY }), ['hours', '12-18', 9]);
  t.deepEqual(await aspectOf({ detector: 'new_payee_high_amount', subject, conduct_at: noon }), ['hours', '12-18', 3]);
  const rule = await alert(w.db, w.tenant, { agent_id, detector: 'country_change', subject: 'IR' });
  t.is((await w.act(rule, 'dismiss')).body.lesson, null, 'what a rule found teaches nothing');
});

test('dismissals weigh up to 27 times, resolutions down to a ninth, and an agent keeps its latest lessons', async t => {
  const w = await begun(t);
  const agent_id = await w.agentOf('odd');
  for (let times = 0; times < 4; times += 1) await w.closed('dismiss', { agent_id, detector: 'velocity_count' });
  for (let times = 0; times < 3; times += 1) await w.closed('resolve', { agent_id, detector: 'spend_velocity' });
  t.like((await w.lessons('/v1/detectors/velocity_count'))[0], { factor: 27, peers_factor: 3.375, dismissals: 4 });
  t.like((await w.lessons('/v1/detectors/spend_velocity'))[0], { factor: 0.111, peers_factor: 0.444, resolutions: 3 });
  const payees = Array.from({ length: 52 }, () => newId('pye'));
  for (const subject of payees) await w.closed('dismiss', { agent_id, subject });
  const kept = (await w.lessons()).map(({ subject }: { subject: string }) => subject);
  t.deepEqual(kept, payees.slice(2).toReversed());
});

test('a back-test is judged by the lessons that hold now', async t => {
  const w = await begun(t);
  const of = { agent_id: await w.agentOf('odd'), subject: await w.payeeOf('domain:usual0.example.com') };
  const [raised] = await w.pay('odd', 45);
  const asked = {
    detector: 'amount_outlier',
    from: timestamp(at - DAY),
    to: timestamp(now),
    params: {},
    by_parameters: false,
    cooldown_s: 0,
  };
  const found = async () => {
    let findings = 0;
    for await (const state of runBacktest(w.db, w.tenant, asked, { assessor: w.assessor, now }))
      findings = state.findings;
    return findings;
  };
  t.is(await found(), 1);
  await w.act(raised?.alert_id ?? '', 'dismiss');
  for (let times = 0; times < 2; times += 1) await w.closed('dismiss', of);
  t.is(await found(), 0);
});

test('many alerts that are closed at once teach what they would one by one', async t => {
  const w = await begun(t, [{ agent: 'odd' }, { agent: 'even' }]);
  const [odd, even] = [await w.agentOf('odd'), await w.agentOf('even')];
  const subject = await w.payeeOf('domain:usual0.example.com');
  const of = { detector: 'amount_outlier', conduct_at: at, state: 'dismissed' };
  const ids = [];
  for (const options of [
    { ...of, agent_id: odd, subject },
    { ...of, agent_id: odd, subject },
    { ...of, agent_id: even, subject },
    { agent_id: odd, state: 'dismissed' },
  ])
    ids.push(await alert(w.db, w.tenant, options));
  await learnFrom(w.db, w.tenant, ids, 'dismissed', now);
  const taught = async () =>
    (await listLessons(w.db, w.tenant, of.detector)).map(({ agent_id, dismissals }) => [agent_id === odd, dismissals]);
  t.deepEqual((await taught()).toSorted(), [
    [false, 1],
    [true, 2],
  ]);
  await unlearn(w.db, w.tenant, ids.slice(1), 'dismissed');
  t.deepEqual(await taught(), [[true, 1]]);
  await unlearn(w.db, w.tenant, ids, 'dismissed');
  t.deepEqual(await taught(), []);
});

test('lessons are an organization’s own, and only people forget them', async t => {
  const w = await begun(t);
  const { lesson } = await w.closed('dismiss', { agent_id: await w.agentOf('odd') });
  const path = `${outliers}/lessons/${lesson.id}`;
  const rival = (await w.organization('Rival')).id;
  const them = await w.person('owner', { of: rival });
  t.deepEqual((await them.get(`${outliers}/quality`)).body.lessons, []);
  t.is((await them.delete(path)).status, 404);
  t.is((await w.as.delete(path)).status, 403);
  t.is((await w.ada.delete(`/v1/detectors/velocity_count/lessons/${lesson.id}`)).status, 404);
  t.is((await w.ada.delete(`/v1/detectors/no_such/lessons/${lesson.id}`)).status, 404);
  t.is((await w.ada.delete(`${outliers}/lessons/${newId('lsn')}`)).status, 404);
  t.is((await w.ada.delete(`${outliers}/lessons/1`)).status, 404);
  t.is((await w.ada.delete(path)).status, 200);
  t.is((await w.ada.delete(path)).status, 404);
});
