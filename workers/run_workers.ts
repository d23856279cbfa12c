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
export async function runWorkers(types: readonly string[], onStarted: () => void): Promise<never> {
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
