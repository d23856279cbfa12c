import { plainSubject, subjectFrom } from '#shared/casework/episode_subject.ts';
import type { EventFinding } from '#shared/detection/model/detector.ts';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';

/** An agent's conduct that an alert tells of: by which detector, about what, from when on it was found and until `endOf` when. */
export type Episode = {
  detector: string;
  subject: string;
  from_at: number;
  last_at: number;
  /** The alert was closed a short while ago: what goes on is added to nothing, and raises no other alert for a while either. */
  closed?: true;
};

/** Conduct goes on to the end of its hour, so that an alert on what does not stop is not written again with every payment. */
export const endOf = (at: number): number => Math.ceil(at / HOUR) * HOUR;

/** What follows so long after is told by itself. */
const APART = DAY;

/** A finding with the detector and subject of its alert, and what the alert's are once it has this finding's words. */
export type Joined<Found> = Found & { told_as: { detector: string; subject: string } };

/**
 * One alert tells of an agent's conduct for as long as it goes on: what is found within a day of what it tells is added to that alert,
 * whichever detector is the strongest now; by that the alert goes once it has its words. What comes later gets an alert of its own, even while
 * the earlier one is open, unless it only goes on (`goes_on`): that is added to the live alert that told of it, which tells of the time that it did before, or left out. `episodes` are those that alerts tell of, by agent; changes them. What a detector finds that `standsAlone` stays as
 * it is. What tells of several days (`of_days`) is added to the live alert on the same, however long ago that told of it.
 */
export function joinEpisodes<Found extends EventFinding>(
  findings: readonly Found[],
  episodes: Map<string, Episode[]>,
  standsAlone: (detector: string) => boolean,
): Joined<Found>[] {
  return findings.flatMap((entry): Joined<Found>[] => {
    const { detector, event, finding } = entry;
    const at = finding.conduct_at;
    const own = { detector, subject: finding.subject };
    if (at === undefined || standsAlone(detector))
      return finding.goes_on === undefined ? [{ ...entry, told_as: own }] : [];
    const list = episodes.get(event.agent_id) ?? [];
    episodes.set(event.agent_id, list);
    const nearTo = (time: number) => list.toSorted((a, b) => distance(a, time) - distance(b, time));
    if (finding.goes_on !== undefined) {
      const live = nearTo(finding.goes_on).find(({ closed }) => !closed);
      if (!live) return [];
      const told_as = { detector, subject: subjectFrom(own.subject, timestamp(live.from_at)) };
      return [{ ...entry, detector: live.detector, finding: { ...finding, subject: live.subject }, told_as }];
    }
    const isSame = (each: Episode) => each.detector === detector && plainSubject(each.subject) === finding.subject;
    const near = nearTo(at).filter(each => (finding.of_days ? isSame(each) : distance(each, at) <= APART));
    const live = near.find(({ closed }) => !closed);
    if (live) {
      live.from_at = Math.min(live.from_at, at);
      live.last_at = Math.max(live.last_at, endOf(at));
      // Dated by its conduct, so that no other live alert has the same subject.
      const told_as = { detector, subject: subjectFrom(own.subject, timestamp(live.from_at)) };
      return [{ ...entry, detector: live.detector, finding: { ...finding, subject: live.subject }, told_as }];
    }
    const isLive = (subject: string) =>
      list.some(each => !each.closed && each.detector === detector && each.subject === subject);
    const closed = near.find(isSame);
    const known = closed?.subject ?? finding.subject;
    const subject = isLive(known) ? subjectFrom(finding.subject, timestamp(at)) : known;
    list.push({ detector, subject, from_at: at, last_at: endOf(at) });
    return [{ ...entry, finding: { ...finding, subject }, told_as: { detector, subject } }];
  });
}

const distance = ({ from_at, last_at }: Episode, at: number): number => Math.max(0, from_at - at, at - last_at);
