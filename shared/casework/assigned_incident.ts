import { Severity } from './alerts.ts';
import { DAY, HOUR } from '#shared/values/time.ts';

/** An incident as alerts are assigned to it. Times are those of the conduct, in milliseconds since 1970. */
export type AssignedIncident = {
  id: string;
  /** Null for a storm over many agents. */
  agent_id: string | null;
  severity: Severity;
  lead_title: string;
  lead_score: number;
  /** The key of that alert: its detector, agent and subject. */
  lead_key: string;
  detectors: ReadonlySet<string>;
  /** The detectors that make it a storm; empty for an agent's incident. */
  storm_detectors: ReadonlySet<string>;
  alert_count: number;
  agent_count: number;
  first_at: number;
  last_at: number;
  /** The start of the stretch without a break that lasts until `last_at`. */
  episode_from: number;
  is_new: boolean;
};

/** One finding that an alert reports. */
export type ReportedFinding = {
  alert_id: string;
  agent_id: string;
  /** By which the alert was raised. */
  detector: string;
  /** When the event with the finding occurred. */
  at: number;
  /** The alert after it; null when it only adds its time. */
  lead: Lead | null;
};

/** `detectors`: those by which it has been told since; `former_key`: what its key was until then. */
type Lead = {
  severity: Severity;
  title: string;
  score: number;
  key: string;
  former_key: string | null;
  detectors: ReadonlySet<string>;
};

/** After this much quiet an agent's next conduct is another episode. */
export const EPISODE_GAP = DAY;
/** How close together the incidents of a storm begin, and how long a storm is quiet before it is over. */
export const STORM_WINDOW = HOUR;

/** How far a time is from the incident's last stretch, in milliseconds. */
export const distance = ({ episode_from, last_at }: AssignedIncident, at: number): number =>
  Math.max(0, episode_from - at, at - last_at);

/** The incident whose last stretch is closest to a time; of equally close ones the newest. */
export const nearest = (incidents: readonly AssignedIncident[], at: number): AssignedIncident | undefined =>
  incidents.toSorted((a, b) => distance(a, at) - distance(b, at) || (a.id < b.id ? 1 : -1))[0];

/** The incident after one more moment. After a break a new stretch begins; a late moment only extends it backwards. */
export function withReported(incident: AssignedIncident, { at, lead }: ReportedFinding): AssignedIncident {
  const { first_at, last_at, episode_from, detectors } = incident;
  const gap = incident.agent_id === null ? STORM_WINDOW : EPISODE_GAP;
  const goes_on = distance(incident, at) <= gap;
  const grown = {
    ...incident,
    detectors: lead ? new Set([...detectors, ...lead.detectors]) : detectors,
    first_at: Math.min(first_at, at),
    last_at: Math.max(last_at, at),
    episode_from: goes_on ? Math.min(episode_from, at) : at > last_at ? at : episode_from,
  };
  return lead ? withLead(grown, lead) : grown;
}

export const withAlert = (incident: AssignedIncident, { detector }: ReportedFinding): AssignedIncident => ({
  ...incident,
  detectors: new Set([...incident.detectors, detector]),
  alert_count: incident.alert_count + 1,
});

/** A storm after taking in an agent's incident. */
export function withIncident(storm: AssignedIncident, incident: AssignedIncident): AssignedIncident {
  const { severity, lead_title: title, lead_score: score, lead_key: key } = incident;
  return {
    ...withLead(storm, { severity, title, score, key, former_key: null }),
    detectors: new Set([...storm.detectors, ...incident.detectors]),
    alert_count: storm.alert_count + incident.alert_count,
    first_at: Math.min(storm.first_at, incident.first_at),
    last_at: Math.max(storm.last_at, incident.last_at),
    episode_from: Math.min(storm.episode_from, incident.episode_from),
  };
}

/** The incident, with this as a candidate for its lead alert. */
function withLead(
  incident: AssignedIncident,
  { severity, title, score, key, former_key }: Omit<Lead, 'detectors'>,
): AssignedIncident {
  const is_worse = Severity.options.indexOf(severity) > Severity.options.indexOf(incident.severity);
  // Of two equally strong alerts always the same leads, whichever came first, in its latest words. Keys begin with the detector's name,
  // and by that a breach goes before the budget that it used up.
  const is_stronger = score > incident.lead_score || (score === incident.lead_score && key >= incident.lead_key);
  // The alert that leads has other words now, of a detector or a payee whose key may come before its former one.
  const leads = is_stronger || (score === incident.lead_score && former_key === incident.lead_key);
  return {
    ...incident,
    severity: is_worse ? severity : incident.severity,
    lead_title: leads ? title : incident.lead_title,
    lead_score: leads ? score : incident.lead_score,
    lead_key: leads ? key : incident.lead_key,
  };
}
