import test from 'ava';
import type { AssignedIncident, ReportedFinding } from '#shared/casework/assigned_incident.ts';
import { FEWEST_STORM_AGENTS, groupAlerts, STORM_AGENTS } from '#shared/casework/group_alerts.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';

const noon = Date.parse('2026-11-20T12:00:00.000Z');

let alerts = 0;
type Given = NonNullable<ReportedFinding['lead']>;
type Lead = Omit<Given, 'detectors' | 'former_key'> & Partial<Pick<Given, 'former_key'>>;
type Moment = Partial<Omit<ReportedFinding, 'lead'>> & { lead?: Lead };

/** A new alert, or with `alert_id` one more moment of it. */
function moment(at: number, agent_id = 'a', { lead: led, ...more }: Moment = {}): ReportedFinding {
  const detector = more.detector ?? 'velocity_count';
  const isNew = more.alert_id === undefined;
  const lead = led ?? (isNew ? { severity: 'medium' as const, title: 'Odd', score: 50, key: agent_id } : null);
  return {
    alert_id: `alr_${(alerts += 1)}`,
    agent_id,
    at: noon + at,
    ...more,
    detector,
    lead: lead && { former_key: null, ...lead, detectors: new Set([detector]) },
  };
}

/** Assigns moments to incidents, so many at a time. */
function assigned(moments: readonly ReportedFinding[], at_a_time = Infinity, agents_of_all: number | null = null) {
  const incidents = new Map<string, AssignedIncident>();
  const incident_of = new Map<string, string>();
  const agents = new Map<string, Set<string>>();
  for (let from = 0; from < moments.length; from += at_a_time) {
    const part = moments.slice(from, from + at_a_time);
    const known = [...incidents.values()].map(each => ({ ...each, is_new: false }));
    const storms = known.filter(({ agent_id }) => agent_id === null);
    const plan = groupAlerts(
      part,
      {
        incidents: known,
        newest: known,
        members: new Map(storms.map(({ id }) => [id, agents.get(id) ?? new Set()])),
        incident_of: new Map(part.flatMap(({ alert_id }) => [...incident_of].filter(([id]) => id === alert_id))),
        agents: agents_of_all,
      },
      noon,
    );
    for (const each of plan.changed) incidents.set(each.id, each);
    for (const [id] of plan.merged) incidents.delete(id);
    const storm_of = new Map(plan.merged);
    for (const [alert_id, id] of [...incident_of, ...plan.incident_of])
      incident_of.set(alert_id, storm_of.get(id) ?? plan.incident_of.get(alert_id) ?? id);
    for (const { alert_id, agent_id } of moments.slice(0, from + part.length)) {
      const id = incident_of.get(alert_id) ?? '';
      agents.set(id, (agents.get(id) ?? new Set()).add(agent_id));
    }
  }
  return { incidents: [...incidents.values()], ids: moments.map(({ alert_id }) => incident_of.get(alert_id)) };
}

/** What comes of moments, whatever their incidents are called. */
function shapeOf(moments: readonly ReportedFinding[], at_a_time?: number): unknown {
  const { incidents, ids } = assigned(moments, at_a_time);
  const names = [...new Set(ids)];
  return {
    alerts: ids.map(id => names.indexOf(id)),
    incidents: incidents
      .map(each => ({ ...each, id: '', is_new: false, name: names.indexOf(each.id) }))
      .toSorted((a, b) => a.name - b.name),
  };
}

test('alerts on an agent, each within 24 hours of the last, are one incident, and what comes later is another', t => {
  const { ids, incidents } = assigned([
    moment(0),
    moment(DAY),
    moment(2 * DAY),
    moment(3 * DAY + 1),
    moment(3 * DAY + 2),
  ]);
  t.deepEqual(ids, [ids[0], ids[0], ids[0], ids[3], ids[3]]);
  t.not(ids[0], ids[3]);
  t.deepEqual(
    incidents.map(({ alert_count, first_at, last_at }) => [alert_count, first_at - noon, last_at - noon]),
    [
      [3, 0, 2 * DAY],
      [2, 3 * DAY + 1, 3 * DAY + 2],
    ],
  );
});

test('alerts on two agents are two incidents', t => {
  const { ids } = assigned([moment(0, 'a'), moment(1, 'b'), moment(2, 'a')]);
  t.is(ids[0], ids[2]);
  t.not(ids[0], ids[1]);
});

test('a month that is sent at once has its episodes on their days, in whatever order it is sent', t => {
  const month = [0, 1, 2].flatMap(week => [0, 5, 10].map(hour => moment(week * 7 * DAY + hour * HOUR)));
  for (const moments of [month, month.toReversed()]) {
    const { ids, incidents } = assigned(moments);
    t.is(incidents.length, 3);
    t.is(new Set(ids.slice(0, 3)).size, 1);
    t.true(incidents.every(({ first_at, last_at }) => last_at - first_at === 10 * HOUR));
  }
});

test('an alert that grows for weeks takes its incident along, and ties nothing together that lies between', t => {
  const grows = moment(0);
  const again = (at: number) => moment(at, 'a', { alert_id: grows.alert_id });
  const { ids, incidents } = assigned([
    grows,
    again(10 * DAY),
    moment(5 * DAY),
    again(20 * DAY),
    moment(20 * DAY + HOUR),
  ]);
  t.is(ids[0], ids[4]);
  t.not(ids[0], ids[2]);
  t.deepEqual(
    incidents.map(({ alert_count, last_at }) => [alert_count, last_at - noon]),
    [
      [2, 20 * DAY + HOUR],
      [1, 5 * DAY],
    ],
  );
});

test('an incident is as severe as its worst alert and is called after its strongest', t => {
  const { incidents } = assigned([
    moment(0, 'a', { lead: { severity: 'high', title: 'First', score: 70, key: 'b' } }),
    moment(1, 'a', { lead: { severity: 'critical', title: 'Worst', score: 60, key: 'c' } }),
    moment(2, 'a', { detector: 'price_drift', lead: { severity: 'low', title: 'Strongest', score: 95, key: 'd' } }),
  ]);
  t.is(incidents.length, 1);
  const [{ severity, lead_title, detectors } = {}] = incidents;
  t.deepEqual(
    [severity, lead_title, [...(detectors ?? [])]],
    ['critical', 'Strongest', ['velocity_count', 'price_drift']],
  );
});

test('the alert that leads keeps leading when its words are of another payee', t => {
  const lead = (title: string, key: string, former_key: string | null, score = 70) => ({
    lead: { severity: 'high' as const, title, score, key, former_key },
  });
  const titleOf = (...moments: ReportedFinding[]) => assigned(moments).incidents[0]?.lead_title;
  const first = moment(0, 'a', lead('First', 'outlier agt p2', null));
  t.is(titleOf(first, moment(1, 'a', lead('Second', 'outlier agt p1', 'outlier agt p2'))), 'Second');
  t.is(titleOf(first, moment(1, 'a', lead('Another', 'outlier agt p1', null))), 'First');
  t.is(titleOf(first, moment(1, 'a', lead('Weaker', 'outlier agt p1', 'outlier agt p2', 60))), 'First');
});

test('of a used-up budget and a breach that are equally strong the breach leads, whichever came first', t => {
  const leads = ['budget_threshold agt m', 'mandate_breach agt m'].map((key, at) =>
    moment(at, 'a', { detector: key, lead: { severity: 'high', title: key, score: 70, key } }),
  );
  for (const moments of [leads, leads.toReversed()])
    t.is(assigned(moments).incidents[0]?.lead_title, 'mandate_breach agt m');
});

const crowd = (count: number, more: Moment = {}, from = 0) =>
  Array.from({ length: count }, (_, index) => moment(from + index * MINUTE, `agent-${index}`, more));

test('one fewer agents than a storm has keep an incident each', t => {
  t.is(assigned(crowd(STORM_AGENTS - 1)).incidents.length, STORM_AGENTS - 1);
});

test('many agents in the same trouble within an hour are one incident of no single agent', t => {
  const { incidents, ids } = assigned([...crowd(55), moment(56 * MINUTE, 'agent-3')]);
  t.is(new Set(ids).size, 1);
  t.is(incidents.length, 1);
  t.like(incidents[0], {
    agent_id: null,
    alert_count: 56,
    agent_count: 55,
    first_at: noon,
    last_at: noon + 56 * MINUTE,
  });
});

test('agents that get into trouble over a day are no storm', t => {
  const slow = Array.from({ length: 3 * STORM_AGENTS }, (_, index) => moment(index * 7 * MINUTE, `agent-${index}`));
  t.is(assigned(slow).incidents.length, 3 * STORM_AGENTS);
});

test('half of an organization’s agents in the same trouble within an hour are one incident, five at least', t => {
  for (const [agents, of_all, incidents] of [
    [FEWEST_STORM_AGENTS, 2 * FEWEST_STORM_AGENTS, 1],
    [FEWEST_STORM_AGENTS, 2 * FEWEST_STORM_AGENTS + 1, FEWEST_STORM_AGENTS],
    [FEWEST_STORM_AGENTS - 1, FEWEST_STORM_AGENTS - 1, FEWEST_STORM_AGENTS - 1],
    [STORM_AGENTS - 1, 2 * STORM_AGENTS - 1, STORM_AGENTS - 1],
    [STORM_AGENTS, 1_000, 1],
  ] as const)
    for (const at_a_time of [1, 3, Infinity])
      t.is(assigned(crowd(agents), at_a_time, of_all).incidents.length, incidents, `${agents} of ${of_all}`);
});

test('agents in trouble of different kinds at the same time are no storm', t => {
  const mixed = Array.from({ length: 2 * STORM_AGENTS - 2 }, (_, index) =>
    moment(index * MINUTE, `agent-${index}`, { detector: index % 2 ? 'price_drift' : 'velocity_count' }),
  );
  t.is(assigned(mixed).incidents.length, 2 * STORM_AGENTS - 2);
});

test('what else is found about the agents of a storm belongs to it, and what is found about others does not', t => {
  const { incidents, ids } = assigned([
    ...crowd(STORM_AGENTS),
    moment(25 * MINUTE, 'agent-0', { detector: 'price_drift' }),
    moment(25 * MINUTE, 'other', { detector: 'price_drift' }),
  ]);
  t.is(ids[STORM_AGENTS], ids[0]);
  t.not(ids[STORM_AGENTS + 1], ids[0]);
  t.is(incidents.length, 2);
});

test('two kinds of alerts on the same agents are one storm', t => {
  const both = crowd(2 * STORM_AGENTS).flatMap(each => [
    { ...each, alert_id: `${each.alert_id}b`, detector: 'price_drift' },
    each,
  ]);
  const { incidents } = assigned(both);
  t.is(incidents.length, 1);
  t.like(incidents[0], { alert_count: 4 * STORM_AGENTS, agent_count: 2 * STORM_AGENTS });
});

test('two storms over different agents are two incidents', t => {
  const others = crowd(30, { detector: 'price_drift' }).map(each => ({ ...each, agent_id: `other-${each.agent_id}` }));
  t.is(assigned([...crowd(30), ...others]).incidents.length, 2);
});

test('a storm is over when it was quiet for an hour', t => {
  const { ids } = assigned([...crowd(STORM_AGENTS), moment(STORM_AGENTS * MINUTE + HOUR + MINUTE, 'late')]);
  t.not(ids[STORM_AGENTS], ids[0]);
});

test('an agent that has been in trouble since yesterday keeps that incident when a storm comes', t => {
  const { ids } = assigned([moment(-5 * HOUR, 'agent-0', { detector: 'price_drift' }), ...crowd(STORM_AGENTS + 1)]);
  t.is(new Set(ids.slice(2)).size, 1);
  t.is(ids[0], ids[1], 'what came before the storm began stays with the agent');
  t.not(ids[0], ids[2]);
});

test('an incident that only reaches back to when a storm began is not part of it', t => {
  const grows = moment(20 * DAY, 'agent-0');
  const { ids } = assigned([
    grows,
    moment(0, 'agent-0', { alert_id: grows.alert_id }),
    ...crowd(STORM_AGENTS + 1).slice(1),
  ]);
  t.not(ids[0], ids[2]);
  t.is(new Set(ids.slice(2)).size, 1);
});

test('it does not matter in how many ranges the log is analyzed', t => {
  const grows = moment(0, 'agent-1');
  const moments = [
    grows,
    ...crowd(STORM_AGENTS + 5),
    moment(3 * DAY),
    moment(HOUR, 'agent-1', { alert_id: grows.alert_id }),
    ...crowd(STORM_AGENTS + 5, { detector: 'price_drift' }, 10 * MINUTE),
    moment(3 * DAY + HOUR),
    moment(DAY, 'agent-2'),
  ];
  const at_once = shapeOf(moments);
  for (const at_a_time of [1, 2, 7, 30]) t.deepEqual(shapeOf(moments, at_a_time), at_once, `${at_a_time}`);
});

test('of thousands of agents in a storm each is looked at once', t => {
  const moments = Array.from({ length: 5_000 }, (_, index) => moment(index * 500, `agent-${index}`));
  const { incidents } = assigned(moments);
  t.is(incidents.length, 1);
  t.is(incidents[0]?.agent_count, 5_000);
});
