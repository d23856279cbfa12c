import test from 'ava';
import { DAY } from '#shared/values/time.ts';
import { every, HOUR, MINUTE, noon, play, type EventStep } from '#test/helpers/play.ts';

const fanIn = (steps: EventStep[], params = {}) => play(steps, 'payee_fan_in', { params });
const agents = (count: number, gap: number, start = noon) =>
  every(gap, count, start, { payee_id: 'pye_new' }).map((step, index) => ({ ...step, agent_id: `agt_${index}` }));

test('fan-in: five agents that begin to pay a new payee within a day raise an alert about the payee', t => {
  const [finding, ...more] = fanIn(agents(5, 4 * HOUR));
  t.deepEqual(more, []);
  t.like(finding, {
    score: 70,
    subject: 'pye_new',
    seqs: [1, 2, 3, 4, 5],
    title: '5 agents began to pay {payee} within 24 h',
  });
  t.regex(
    finding?.explanation ?? '',
    /with no payment to it before 2026-11-20 12:00:00 UTC; an alert is raised from 5 agents/,
  );
  t.is(fanIn(agents(12, HOUR)).at(-1)?.score, 81.1);
  t.deepEqual(fanIn(agents(4, HOUR)), []);
  t.deepEqual(fanIn(agents(5, 7 * HOUR)), []);
  t.is(fanIn(agents(5, 4 * HOUR).toReversed()).length, 1);
});

test('fan-in: cents of a few agents are nothing, and of many something', t => {
  const cents = (count: number, usd: number | null) => agents(count, HOUR).map(step => ({ ...step, usd }));
  t.deepEqual(fanIn(cents(7, 0.015)), []);
  t.is(fanIn(cents(5, 0.05)).length, 1);
  t.is(fanIn(cents(17, 0.015)).length, 1);
  t.is(fanIn(cents(5, null)).length, 1, 'what nobody can price may be much');
  const large = (index: number) => ({ agent_id: `agt_${index}`, payee_id: 'pye_new' });
  const last = { at: noon + 5 * HOUR, usd: 0.02, ...large(9) };
  t.is(fanIn([...agents(4, HOUR).map(step => ({ ...step, usd: 500 })), last]).length, 1, 'whoever pays last');
});

test('fan-in: that all take up a service for cents does not hide that they begin to pay much to somebody else', t => {
  const months = Array.from({ length: 10 }, (_, agent) =>
    every(6 * HOUR, 120, noon - 30 * DAY, { agent_id: `agt_${agent}`, payee_id: `usual_${agent}` }),
  ).flat();
  const begin = (payee_id: string, at: number, usd: number | null) =>
    Array.from({ length: 9 }, (_, agent) => ({ at: at + agent * MINUTE, agent_id: `agt_${agent}`, payee_id, usd }));
  const toldOf = (usd: number, later: number | null = 80) => {
    const adopted = ['pye_api', 'pye_maps', 'pye_mail'].flatMap((payee, day) =>
      begin(payee, noon - (4 - day) * DAY, usd),
    );
    const steps = [...months, ...adopted, ...begin('pye_new', noon, later)].toSorted((a, b) => a.at - b.at);
    return play(steps, 'payee_fan_in', { byBudget: true }).filter(({ subject }) => subject === 'pye_new').length;
  };
  t.is(toldOf(0.05), 5);
  t.is(toldOf(0.05, null), 5, 'what nobody can price may be much');
  t.is(toldOf(80), 0, 'what they often begin to pay as much for is usual');
});

test('fan-in: weighed against the budget, it tells of every agent that joins in', t => {
  const months = Array.from({ length: 10 }, (_, agent) =>
    every(6 * HOUR, 120, noon - 30 * DAY, { agent_id: `agt_${agent}`, payee_id: `usual_${agent}` }),
  ).flat();
  const crowd = Array.from({ length: 9 }, (_, agent) => ({
    at: noon + agent * MINUTE,
    agent_id: `agt_${agent}`,
    payee_id: 'pye_new',
  }));
  const steps = [...months, ...crowd].toSorted((a, b) => a.at - b.at);
  t.deepEqual(
    play(steps, 'payee_fan_in', { byBudget: true }).map(({ title }) => title),
    [5, 6, 7, 8, 9].map(agents => `${agents} agents began to pay {payee} within 24 h`),
  );
});

test('fan-in: a payee that has been paid for a week may win as many agents as it likes', t => {
  const early = { at: noon - 7 * DAY, agent_id: 'agt_first', payee_id: 'pye_new' };
  t.deepEqual(fanIn([early, ...agents(20, HOUR)]), []);
  t.is(fanIn([{ ...early, at: noon - 6 * DAY }, ...agents(5, HOUR)]).length, 1);
  t.deepEqual(fanIn([{ ...early, at: noon - 6 * DAY }, ...agents(5, HOUR)], { young_s: 86_400 }), []);
});

test('fan-in: in the first days of a log new shops win many agents, and accounts of somebody hardly ever', t => {
  const days = Array.from({ length: 12 }, (_, agent) =>
    every(6 * HOUR, 10, noon, { agent_id: `agt_${agent}`, payee_id: `usual_${agent}` }),
  ).flat();
  const crowd = Array.from({ length: 7 }, (_, agent) => ({
    at: noon + 2 * DAY + agent * HOUR,
    agent_id: `agt_${agent}`,
    payee_id: 'pye_new',
    usd: 250,
  }));
  const steps = [...days, ...crowd].toSorted((a, b) => a.at - b.at);
  const toldOf = (key: string) => play(steps, 'payee_fan_in', { byBudget: true, keys: { pye_new: key } }).length;
  t.is(toldOf('merchant:stripe:acct_1'), 0);
  t.true(toldOf('account:paypal:98B8L5H6ERMV9') > 0);
});
