import type { TimedFinding } from '#shared/detection/model/detector.ts';

/** The result of a part of a back-test; only events of the requested time count. */
export type BacktestPart = {
  events: number;
  findings: TimedFinding[];
  /** Events on which the detector threw. */
  failures: number;
  /** The overall progress after this part, 0 to 1. */
  progress: number;
  /** There are more events than a back-test reads. */
  truncated: boolean;
};

export const nothingYet: BacktestPart = { events: 0, findings: [], failures: 0, progress: 0, truncated: false };
