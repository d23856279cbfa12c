import type { TimedFinding } from '#shared/detection/model/detector.ts';

/** What a part of a back-test came to; only what occurred in the time that was asked for counts. */
export type Part = {
  events: number;
  findings: TimedFinding[];
  /** Events of which the detector could make nothing: it threw. */
  failures: number;
  /** How much is done with this part, 0 to 1. */
  progress: number;
  /** There is more than a back-test goes through. */
  truncated: boolean;
};

export const nothingYet: Part = { events: 0, findings: [], failures: 0, progress: 0, truncated: false };
