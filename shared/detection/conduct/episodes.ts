import type { EventFinding } from '#shared/detection/model/detector.ts';
import { DAY } from '#shared/values/time.ts';

/** An agent's conduct that somebody has been told of: by which detector, about what, and when the latest of it occurred. */
export type Episode = { detector: string; subject: string; last_at: number };

/** What follows so long after is told by itself. */
const APART = DAY;

/**
 * One alert tells of an agent's conduct for as long as it goes on: what is found within a day of the last finding is added to that alert,
 * whichever detector is the strongest now. `episodes` are those that alerts tell of, by agent; changes them.
 */
export function joinEpisodes<Found extends EventFinding>(
  findings: readonly Found[],
  episodes: Map<string, Episode>,
): Found[] {
  return findings.map(found => {
    const { detector, event, finding } = found;
    const at = finding.conduct_at;
    if (at === undefined) return found;
    const episode = episodes.get(event.agent_id);
    const joins = episode && Math.abs(at - episode.last_at) <= APART;
    const own = joins ? episode : { detector, subject: finding.subject, last_at: at };
    episodes.set(event.agent_id, { ...own, last_at: Math.max(own.last_at, at) });
    return joins ? { ...found, detector: own.detector, finding: { ...finding, subject: own.subject } } : found;
  });
}
