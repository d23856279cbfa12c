import { DAY } from '#shared/values/time.ts';
import type { FamilyLabel } from '#test/worlds/families/plant.ts';
import type { Hit } from '#test/worlds/families/judge.ts';

/** A world that was judged, as far as counting needs to know it. Times are milliseconds since 1970. */
export type Watched = {
  labels: readonly FamilyLabel[];
  /** Every agent that was seen, and from when until when it is counted: never earlier than the phase counts. */
  agents: readonly { id: string; family: string; from: number; to: number }[];
  /** Events of the time that is counted. */
  events: number;
  counted_from: number;
  /** The log does not arrive in the order in which things happened. */
  disordered: boolean;
  is_behavioral: (detector: string) => boolean;
  /** In which order the log was sent, where that is known. */
  order?: string | undefined;
};

/** What worlds came to. Alerts, false alarms and incidents are those of behavioral detectors. */
export type Tally = {
  events: number;
  agents: { family: string; order: string; months: number; alarms: number; incidents: number }[];
  /** False alarms by the detector that raised them; `hard` are alerts of hard detectors about what belongs to no label. */
  by_detector: Map<string, number>;
  hard: Map<string, number>;
  /** Alerts of a day before or after something planted, by the same agent: consequences, neither right nor wrong. */
  aftermath: number;
  alerts: number;
  incidents: number;
  found: { kind: string; strength: string; found: boolean; by_any: boolean; delay: number | null }[];
  alarms: Alert[];
  hard_alarms: Alert[];
  /** How many false alarms there would be if nobody ever closed an alert, so that all that follows is added to it. */
  never_closed: number;
};

export type Alert = { detector: string; agent_id: string; hits: Hit[] };

/** Once nothing was added to it for so long, an alert has been closed, and an incident is over. */
const EPISODE = DAY;
const MONTH = 30 * DAY;

/** Holds what detectors said of a world against what was planted in it. Pure. */
export function tally(world: Watched, hits: readonly Hit[]): Tally {
  const labelOf = new Map(world.labels.flatMap(label => label.event_ids.map(id => [id, label] as const)));
  const counted = hits.filter(({ at }) => at >= world.counted_from);
  const behavioral = counted.filter(({ detector, goes_on }) => world.is_behavioral(detector) && !goes_on);
  const isLabelled = ({ event_id }: Hit) => labelOf.has(event_id);
  const isAftermath = (hit: Hit) => world.labels.some(label => isNear(label, hit, world.disordered));
  const isFalse = ({ hits: list }: Alert) => !list.some(isLabelled) && !list.every(isAftermath);
  const isConsequence = ({ hits: list }: Alert) => !list.some(isLabelled) && list.every(isAftermath);

  const alerts = alertsOf(behavioral);
  const incidents = incidentsOf(behavioral);
  const alarms = alerts.filter(isFalse);
  const false_incidents = incidents.filter(isFalse);
  const hard = alertsOf(counted.filter(({ detector }) => !world.is_behavioral(detector))).filter(isFalse);
  const countBy = (list: readonly Alert[], keyOf: (alert: Alert) => string) =>
    new Map([...Map.groupBy(list, keyOf)].map(([key, group]) => [key, group.length]));
  const alarmsOf = countBy(alarms, ({ agent_id }) => agent_id);
  const incidentsOfAgent = countBy(false_incidents, ({ agent_id }) => agent_id);
  return {
    events: world.events,
    agents: world.agents.map(({ id, family, from, to }) => ({
      family,
      order: world.order ?? 'given',
      months: Math.max(0, to - from) / MONTH,
      alarms: alarmsOf.get(id) ?? 0,
      incidents: incidentsOfAgent.get(id) ?? 0,
    })),
    by_detector: countBy(alarms, ({ detector }) => detector),
    hard: countBy(hard, ({ detector }) => detector),
    aftermath: alerts.filter(isConsequence).length,
    alerts: alerts.length,
    incidents: incidents.length,
    found: world.labels.map(label => foundOf(label, counted, world.is_behavioral)),
    alarms,
    hard_alarms: hard,
    never_closed: alertsOf(behavioral, Infinity).filter(isFalse).length,
  };
}

function foundOf(label: FamilyLabel, hits: readonly Hit[], is_behavioral: Watched['is_behavioral']) {
  const own = new Set(label.event_ids);
  const answers = hits.filter(({ event_id }) => own.has(event_id));
  const behavioral = answers.filter(({ detector }) => is_behavioral(detector));
  const { kind, strength, from } = label;
  const delay = behavioral.length === 0 ? null : Math.min(...behavioral.map(({ at }) => at - from));
  return { kind, strength, found: behavioral.length > 0, by_any: answers.length > 0, delay };
}

/** One detector, agent and subject, as long as it goes on. */
const alertsOf = (hits: readonly Hit[], episode = EPISODE): Alert[] =>
  episodesOf(
    hits,
    ({ detector, agent_id, whichever_agent, subject }) => `${detector} ${whichever_agent ? '' : agent_id} ${subject}`,
    episode,
  );

/** One agent, as long as it goes on; where alerts name their incident, that. */
const incidentsOf = (hits: readonly Hit[]): Alert[] =>
  episodesOf(hits, ({ incident_id, agent_id }) => incident_id ?? agent_id, EPISODE);

function episodesOf(hits: readonly Hit[], keyOf: (hit: Hit) => string, episode: number): Alert[] {
  const inOrder = hits.toSorted((a, b) => a.at - b.at);
  return [...Map.groupBy(inOrder, keyOf).values()].flatMap(list => {
    const episodes: Alert[] = [];
    let last = -Infinity;
    for (const hit of list) {
      if (episodes.length === 0 || hit.at - last > episode)
        episodes.push({ detector: hit.detector, agent_id: hit.agent_id, hits: [] });
      episodes.at(-1)?.hits.push(hit);
      last = hit.at;
    }
    return episodes;
  });
}

/** Of an agent that something befalls, within a day of it: after it, and before it too where that is judged later. */
function isNear({ agents, from, to }: FamilyLabel, { agent_id, at }: Hit, disordered: boolean): boolean {
  return agents.includes(agent_id) && at >= from - (disordered ? DAY : 0) && at <= to + DAY;
}

/** Several worlds taken together. */
export function sumOfTallies(list: readonly Tally[]): Tally {
  const added = (maps: readonly Map<string, number>[]) => {
    const sum = new Map<string, number>();
    for (const map of maps) for (const [key, count] of map) sum.set(key, (sum.get(key) ?? 0) + count);
    return sum;
  };
  const total = (valueOf: (tally: Tally) => number) => list.reduce((sum, tally) => sum + valueOf(tally), 0);
  return {
    events: total(({ events }) => events),
    agents: list.flatMap(({ agents }) => agents),
    by_detector: added(list.map(({ by_detector }) => by_detector)),
    hard: added(list.map(({ hard }) => hard)),
    aftermath: total(({ aftermath }) => aftermath),
    alerts: total(({ alerts }) => alerts),
    incidents: total(({ incidents }) => incidents),
    found: list.flatMap(({ found }) => found),
    alarms: list.flatMap(({ alarms }) => alarms),
    hard_alarms: list.flatMap(({ hard_alarms }) => hard_alarms),
    never_closed: total(({ never_closed }) => never_closed),
  };
}
