import { availableParallelism } from 'node:os';

// Used by test/run.ts, which writes the rooms and is told what happens in them.
export default {
  files: [`${process.env.TEST_ROOMS}/*.test.ts`],
  extensions: { ts: 'module' },
  require: ['./test/helpers/setup.ts'],
  workerThreads: false,
  // Tests make much that is soon forgotten.
  nodeArguments: ['--max-semi-space-size=64'],
  // Tests wait little enough that a third room on two cores makes all of them slower, and a slow machine far slower.
  concurrency: Math.min(4, availableParallelism()),
  timeout: '4m',
  sortTestFiles: (a, b) => (a < b ? -1 : 1),
  nonSemVerExperiments: { observeRunsFromConfig: true },
  /** Tells the process that started ava what became of each test, what went wrong outside of one, and the counts of all. */
  async observeRun({ events }) {
    const running = new Map();
    for await (const { type, testFile, title, duration, err, stats, pendingTests } of events) {
      if (type === 'test-register-log-reference') running.set(testFile, title);
      else if (type === 'test-passed' || type === 'test-failed') process.send({ type, title, duration });
      else if (err) process.send({ type, title: title ?? running.get(testFile), message: err.message });
      else if (pendingTests) {
        for (const [file, titles] of pendingTests)
          if (titles.size > 0) process.send({ type, title: running.get(file), message: 'did not end' });
      } else if (type === 'stats') process.send({ type, stats: { ...stats, byFile: undefined } });
    }
    process.disconnect();
  },
};
