import type { EventFinding } from '#shared/detection/model/detector.ts';
import { DAY, HOUR } from '#shared/values/time.ts';

/** An agent's conduct that an alert tells of: by which detector, about what, from when on it was found and until `endOf` when. */
export type Episode = { detector: string; subject: string; from_at: number; last_at: number };

/** Conduct goes on to the end of its hour, so that an alert on what does not stop is not written again with every payment. */
export const endOf = (at: number): number => Math.ceil(at / HOUR) * HOUR;

/** What follows so long after is told by itself. */
const APART = DAY;

/**
 * One alert tells of an agent's conduct for as long as it goes on: what is found within a day of what it tells is added to that alert,
 * whichever detector is the strongest now. `episodes` are those that alerts tell of, by agent; changes them. What a detector finds that
 * `standsAlone` stays as it is.
 */
export function joinEpisodes<Found extends EventFinding>(
  findings: readonly Found[],
  episodes: Map<string, Episode[]>,
  standsAlone: (detector: string) => boolean,
): Found[] {
  return findings.map(entry => {
    const { detector, event, finding } = entry;
    const at = finding.conduct_at;
    if (at === undefined || standsAlone(detector)) return entry;
    const list = episodes.get(event.agent_id) ?? [];
    episodes.set(event.agent_id, list);
    const [nearest] = list.toSorted((a, b) => distance(a, at) - distance(b, at));
    if (!nearest || distance(nearest, at) > APART) {
      list.push({ detector, subject: finding.subject, from_at: at, last_at: endOf(at) });
      return entry;
    }
    nearest.from_at = Math.min(nearest.from_at, at);
    nearest.last_at = Math.max(nearest.last_at, endOf(at));
    return { ...entry, detector: nearest.detector, finding: { ...finding, subject: nearest.subject } };
  });
}

const distance = ({ from_at, last_at }: Episode, at: number): number => Math.max(0, from_at - at, at - last_at);
