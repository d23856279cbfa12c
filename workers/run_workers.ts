import { processTypes } from '#shared/platform/jobs.ts';
import { runProcess } from '#shared/running/process.ts';
import { startWorkers } from './run.ts';

const allTypes: readonly string[] = [...processTypes, 'schedule'];

export async function runWorkers(types: readonly string[], onStarted: () => void): Promise<never> {
  if (types.length === 0 || types.some(type => !allTypes.includes(type))) {
    process.stderr.write(`Usage: node workers/main.ts TYPE...   where TYPE is one of ${allTypes.join(', ')}\n`);
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
