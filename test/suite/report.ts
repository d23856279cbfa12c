/** What the observer in test/ava.config.js tells: a test that ended, something else that went wrong, or ava's counts so far. */
export type TestNotice =
  | { type: 'test-passed' | 'test-failed'; title: string; duration: number }
  | { type: 'stats'; stats: Counts }
  | { type: 'uncaught-exception' | 'unhandled-rejection' | 'hook-failed' | string; title?: string; message: string };

/** Of ava's counts those that matter. What was selected and has not ended remains. */
type Counts = Record<
  | 'passedTests'
  | 'failedTests'
  | 'failedHooks'
  | 'remainingTests'
  | 'failedWorkers'
  | 'uncaughtExceptions'
  | 'unhandledRejections'
  | 'internalErrors',
  number
>;

/** Gathers what ava tells, for the end. */
export function createReport() {
  let counts: Counts | undefined;
  const failures: string[] = [];
  const durations: Record<string, number> = {};
  return {
    durations,
    hear(told: TestNotice) {
      if ('stats' in told) counts = told.stats;
      else if ('message' in told) failures.push(`${told.title ?? 'outside of a test'}: ${told.message}`);
      else {
        const file = fileOf(told.title);
        durations[file] = (durations[file] ?? 0) + told.duration;
        if (told.type === 'test-failed') failures.push(told.title);
      }
    },
    failures,
    /** Tests that have begun and not ended, or were never begun. */
    remaining: () => counts?.remainingTests ?? 0,
    passed: () => counts?.passedTests ?? 0,
    /** A test that never ended has failed, and so has a process that did not end well. */
    failed() {
      if (!counts) return 1;
      const { failedTests, failedHooks, remainingTests, failedWorkers, ...outside } = counts;
      const crashes = outside.uncaughtExceptions + outside.unhandledRejections + outside.internalErrors;
      return failedTests + failedHooks + remainingTests + Math.max(crashes, failedWorkers);
    },
    /** The files that took longest, the longest first. */
    slowest: (count: number) =>
      Object.entries(durations)
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, count),
  };
}

const fileOf = (title: string) => title.split(' › ', 1)[0] ?? '';

export const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(1)} s`;
