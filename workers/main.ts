import { setFlagsFromString } from 'node:v8';
import { processTypes } from '#shared/platform/jobs.ts';
import { runProcess } from '#shared/running/process.ts';
import { helpText } from '#shared/settings/describe_settings.ts';
import { startWorkers } from './run.ts';

const allTypes: readonly string[] = [...processTypes, 'schedule'];
const usage = `Usage: bin/node workers/main.ts TYPE...   where TYPE is one of ${allTypes.join(', ')}`;

/**
 * Runs one process that works as these types until SIGINT or SIGTERM, calling `onStarted` once everything is loaded. Exits 2 for an unknown
 * type.
 */
async function runWorkers(types: readonly string[], onStarted: () => void): Promise<never> {
  if (types.includes('--help')) {
    process.stdout.write(helpText(usage));
    process.exit(0);
  }
  if (types.length === 0 || types.some(type => !allTypes.includes(type))) {
    process.stderr.write(`${usage}\n`);
    process.exit(2);
  }
  return runProcess(types.join('-'), async services => {
    const jobTypes = processTypes.filter(type => types.includes(type));
    const workers = jobTypes.length > 0 ? await startWorkers(services, jobTypes) : null;
    const schedule = types.includes('schedule') ? (await import('./schedule.ts')).startSchedule(services) : null;
    onStarted();
    return async () => {
      await schedule?.stop();
      await workers?.stop();
    };
  });
}

// The worker processes of the Procfile: `node workers/main.ts detect`, or several types in one process, or `schedule`.
// Garbage from loading makes V8 enlarge the young generation for good, by 60 MB for `detect`: the command line has it not grow (set here, the flag
// would invalidate what other processes have compiled), and from now on it may.
await runWorkers(process.argv.slice(2), () => setFlagsFromString('--semi-space-growth-factor=2'));
