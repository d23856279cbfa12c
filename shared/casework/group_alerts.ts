import {
  type AssignedIncident,
  distance,
  EPISODE_GAP,
  type ReportedFinding,
  nearest,
  STORM_WINDOW,
  withAlert,
  withIncident,
  withReported,
} from './assigned_incident.ts';
import { newId } from '#shared/interface/ids.ts';

/** The stored incidents that new alerts may be assigned to. */
export type KnownIncidents = {
  /** Those of growing alerts, the open ones of their agents, and the open storms around the time. */
  incidents: readonly AssignedIncident[];
  /** The newest open incidents of single agents, which may be the beginning of a storm. */
  newest: readonly AssignedIncident[];
  /** Which of these agents each storm already includes. */
  members: ReadonlyMap<string, ReadonlySet<string>>;
  /** The incidents of growing alerts. */
  incident_of: ReadonlyMap<string, string>;
  /** How many agents the organization has; null where a storm takes `STORM_AGENTS`, however many they are. */
  agents: number | null;
};

/** The changed incidents, those merged into storms with the storm's id, and the incident of every alert. */
export type IncidentPlan = {
  changed: AssignedIncident[];
  merged: [id: string, storm_id: string][];
  incident_of: Map<string, string>;
};

/** The number of agents in a storm: this many do not have the same trouble within an hour by chance. */
export const STORM_AGENTS = 20;
/** The fewest agents of a storm: they are enough where they are half of the organization's. */
export const FEWEST_STORM_AGENTS = 5;

/** How many agents make a storm in an organization that has so many. */
const leastOfStorm = (agents: number | null): number =>
  agents === null ? STORM_AGENTS : Math.min(STORM_AGENTS, Math.max(FEWEST_STORM_AGENTS, Math.ceil(agents / 2)));

type Plan = {
  incidents: Map<string, AssignedIncident>;
  storms: Set<string>;
  members: Map<string, Set<string>>;
  /** The incidents that an agent's alerts may be assigned to, by agent. */
  of_agent: Map<string, Set<string>>;
  /** The incidents of single agents that may become a storm, by detector. */
  of_detector: Map<string, Set<string>>;
  incident_of: Map<string, string>;
  changed: Set<string>;
  merged: Map<string, string>;
  least: number;
  now: number;
};

/**
 * Assigns alerts to incidents. An alert belongs to the ongoing storm that includes its detector or its agent; otherwise to its agent's open
 * incident, if that was active within 24 hours of it; otherwise it begins one. When incidents of 20 agents with alerts of one detector
 * begin within an hour, or of half of the organization's agents, five at least, they are a storm: one incident of the organization, which takes
 * them in.
 *
 * What counts is when the conduct occurred, by the event with the finding, not when the alert was raised: a month that is sent at once has
 * its episodes on their own days, and a live episode stays one however late it is analyzed. Breaks within the conduct count too, so that an
 * alert that stays open for weeks and grows now and then does not tie everything together. Moments are processed in the order of the log,
 * so the size of a batch does not matter.
 */
export function groupAlerts(moments: readonly ReportedFinding[], stored: KnownIncidents, now: number): IncidentPlan {
  const plan: Plan = {
    incidents: new Map([...stored.newest, ...stored.incidents].map(each => [each.id, each])),
    storms: new Set(stored.incidents.flatMap(({ id, agent_id }) => (agent_id === null ? [id] : []))),
    members: new Map([...stored.members].map(([id, agents]) => [id, new Set(agents)])),
    of_agent: new Map(),
    of_detector: new Map(),
    incident_of: new Map(stored.incident_of),
    changed: new Set(),
    merged: new Map(),
    least: leastOfStorm(stored.agents),
    now,
  };
  for (const { agent_id, id } of stored.incidents) if (agent_id !== null) note(plan.of_agent, agent_id, id);
  for (const each of plan.incidents.values()) noteDetectors(plan, each);
  for (const moment of moments) place(plan, moment);
  return {
    changed: [...plan.incidents.values()].filter(({ id }) => plan.changed.has(id) && !plan.merged.has(id)),
    merged: [...plan.merged].filter(([id]) => plan.incidents.get(id)?.is_new === false),
    incident_of: new Map([...plan.incident_of].map(([alert_id, id]) => [alert_id, plan.merged.get(id) ?? id])),
  };
}

function place(plan: Plan, moment: ReportedFinding): void {
  const id = plan.incident_of.get(moment.alert_id);
  const own = id === undefined ? undefined : plan.incidents.get(plan.merged.get(id) ?? id);
  if (own) return put(plan, withReported(own, moment));
  const incident = stormOf(plan, moment) ?? episodeOf(plan, moment) ?? begin(plan, moment.agent_id, moment.at);
  const joined = withAlert(withReported(incident, moment), moment);
  plan.incident_of.set(moment.alert_id, joined.id);
  if (joined.agent_id === null) return put(plan, withAgents(plan, joined, [moment.agent_id]));
  put(plan, joined);
  noteDetectors(plan, joined);
  const peers = peersOf(plan, moment);
  if (peers.length >= plan.least) gather(plan, moment, peers);
}

function put(plan: Plan, incident: AssignedIncident): void {
  plan.incidents.set(incident.id, incident);
  plan.changed.add(incident.id);
}

/** The storm ongoing at that time that includes its detector or its agent. */
const stormOf = (plan: Plan, { agent_id, detector, at }: ReportedFinding) =>
  nearest(
    stormsAt(plan, at).filter(
      ({ id, storm_detectors }) => storm_detectors.has(detector) || plan.members.get(id)?.has(agent_id),
    ),
    at,
  );

const stormsAt = ({ incidents, storms }: Plan, at: number) =>
  listed(incidents, storms).filter(each => distance(each, at) <= STORM_WINDOW);

/** The agent's incident that is active at that time. */
const episodeOf = ({ incidents, of_agent, merged }: Plan, { agent_id, at }: ReportedFinding) =>
  nearest(
    listed(incidents, of_agent.get(agent_id)).filter(each => !merged.has(each.id) && distance(each, at) <= EPISODE_GAP),
    at,
  );

/** Agents' incidents with an alert of the same detector that began around that time, one per agent. */
function peersOf({ incidents, of_detector, merged }: Plan, { detector, at }: ReportedFinding): AssignedIncident[] {
  const peers = listed(incidents, of_detector.get(detector)).filter(
    ({ id, first_at, episode_from }) =>
      !merged.has(id) && [first_at, episode_from].every(begun_at => Math.abs(begun_at - at) <= STORM_WINDOW),
  );
  return [...new Map(peers.map(each => [each.agent_id, each])).values()];
}

/** Turns the incidents of many agents into a storm, or adds them to the storm that includes at least half of these agents. */
function gather(plan: Plan, { detector, at }: ReportedFinding, peers: readonly AssignedIncident[]): void {
  const agents = peers.flatMap(({ agent_id }) => agent_id ?? []);
  const isShared = ({ id }: AssignedIncident) =>
    2 * agents.filter(agent_id => plan.members.get(id)?.has(agent_id)).length >= agents.length;
  const storm = nearest(stormsAt(plan, at).filter(isShared), at) ?? begin(plan, null, at);
  const { storm_detectors, ...grown } = withAgents(plan, peers.reduce(withIncident, storm), agents);
  put(plan, { ...grown, storm_detectors: new Set([...storm_detectors, detector]) });
  for (const { id } of peers) {
    plan.merged.set(id, storm.id);
    // Their findings are not scanned again: a storm may take in thousands.
    for (const ids of plan.of_detector.values()) ids.delete(id);
  }
}

function begin(plan: Plan, agent_id: string | null, at: number): AssignedIncident {
  const id = newId('inc', plan.now);
  if (agent_id === null) plan.storms.add(id);
  else note(plan.of_agent, agent_id, id);
  return {
    id,
    agent_id,
    severity: 'low',
    lead_title: '',
    lead_score: -1,
    lead_key: '',
    detectors: new Set(),
    storm_detectors: new Set(),
    alert_count: 0,
    agent_count: agent_id === null ? 0 : 1,
    first_at: at,
    last_at: at,
    episode_from: at,
    is_new: true,
  };
}

/** The storm with these agents added. */
function withAgents({ members }: Plan, storm: AssignedIncident, agents: readonly string[]): AssignedIncident {
  const agent_ids = members.get(storm.id) ?? new Set();
  const before = agent_ids.size;
  for (const agent_id of agents) agent_ids.add(agent_id);
  members.set(storm.id, agent_ids);
  return { ...storm, agent_count: storm.agent_count + agent_ids.size - before };
}

function noteDetectors({ of_detector }: Plan, { id, agent_id, detectors }: AssignedIncident): void {
  if (agent_id !== null) for (const detector of detectors) note(of_detector, detector, id);
}

function note(index: Map<string, Set<string>>, key: string, id: string): void {
  index.set(key, (index.get(key) ?? new Set()).add(id));
}

const listed = (incidents: Map<string, AssignedIncident>, ids: Iterable<string> = []) =>
  [...ids].flatMap(id => incidents.get(id) ?? []);
