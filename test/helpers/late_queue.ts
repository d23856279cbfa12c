import type { Queue } from '#shared/platform/queue.ts';

/**
 * A queue that keeps jobs to itself until somebody looks at it or works: most tests do neither, and a queue in the database has four
 * connections of its own.
 */
export function lateQueue(queue: Queue): Queue {
  let kept: (() => Promise<void>)[] = [];
  let handed: Promise<unknown> | undefined;
  /** Hands over what was kept; from then on nothing is. */
  const open = () => {
    handed ??= kept.reduce((before, add) => before.then(add), Promise.resolve());
    kept = [];
    return handed;
  };
  /** What waits for the queue to have everything. */
  const opened =
    <A extends unknown[], R>(ask: (...given: A) => Promise<R>) =>
    async (...given: A) => {
      await open();
      return ask(...given);
    };
  return {
    ...queue,
    add: (kind, jobs) => {
      if (handed) return opened(queue.add)(kind, jobs);
      kept.push(() => queue.add(kind, jobs));
      return Promise.resolve();
    },
    counts: opened(queue.counts),
    isPaused: opened(queue.isPaused),
    setPaused: opened(queue.setPaused),
    failed: opened(queue.failed) as Queue['failed'],
    failedJob: opened(queue.failedJob) as Queue['failedJob'],
    ids: opened(queue.ids),
    retryFailed: opened(queue.retryFailed),
    forgetFailed: opened(queue.forgetFailed),
    freeAbandoned: opened(queue.freeAbandoned),
    releaseDead: opened(queue.releaseDead) as Queue['releaseDead'],
    work(...given) {
      void open();
      return queue.work(...given);
    },
    board(kind) {
      void open();
      return queue.board(kind);
    },
  };
}
