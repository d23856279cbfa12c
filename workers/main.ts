import { type ProcessType, processTypes } from '#shared/platform/jobs.ts';
import { runProcess } from '#shared/running/process.ts';
import { startWorkers } from './run.ts';
import { startSchedule } from './schedule.ts';

// The worker processes of the Procfile: `node workers/main.ts detect`, or several types in one process, or `schedule`.
const types = process.argv.slice(2);
const known = [...Object.keys(processTypes), 'schedule'];
if (types.length === 0 || types.some(type => !known.includes(type))) {
  process.stderr.write(`Usage: node workers/main.ts TYPE...   where TYPE is one of ${known.join(', ')}\n`);
  process.exit(2);
}

await runProcess(types.join('-'), async services => {
  const jobTypes = types.filter((type): type is ProcessType => type in processTypes);
  const workers = jobTypes.length > 0 ? startWorkers(services, jobTypes) : null;
  const schedule = types.includes('schedule') ? startSchedule(services) : null;
  return async () => {
    await schedule?.stop();
    await workers?.stop();
  };
});
