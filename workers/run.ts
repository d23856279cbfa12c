import type { JobKind, ProcessType } from '#shared/platform/jobs.ts';
import type { ProcessServices } from '#shared/running/services.ts';
import { jobKindNames, jobKinds } from '#shared/running/work/kinds/index.ts';
import { createSamples, type Samples } from '#shared/running/work/samples.ts';
import { announcePresence } from '#shared/running/worker_presence.ts';
import { loadHandler } from './handler.ts';
import { keepWorking } from './keep_working.ts';
import { measureJobs } from './measure_jobs.ts';

/** Processes the jobs of these process types until `stop`. */
export async function startWorkers(
  services: ProcessServices,
  types: readonly ProcessType[],
): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController();
  const samples = createSamples(services);
  const kinds = kindsOf(types);
  const starts = await Promise.all(kinds.map(kind => prepareWorker(services, samples, kind, stopping.signal)));
  const workers = starts.map(start => start());
  const presence = announcePresence(services, types);
  services.log.info({ kinds }, 'workers started');
  return {
    async stop() {
      stopping.abort();
      await Promise.all([presence.stop(), ...workers.map(worker => worker.stop())]);
      await samples.stop();
    },
  };
}

/** Loads the handlers for the jobs of these process types ahead of `startWorkers`. */
export const loadHandlers = (types: readonly ProcessType[]): Promise<unknown> =>
  Promise.all(kindsOf(types).map(kind => loadHandler(kind)));

const kindsOf = (types: readonly ProcessType[]) => jobKindNames.filter(kind => types.includes(jobKinds[kind].process));

/** Loads the handler of one kind. Returns a function that starts it. */
async function prepareWorker<K extends JobKind>(
  services: ProcessServices,
  samples: Samples,
  kind: K,
  stopping: AbortSignal,
) {
  const { createHandler } = await loadHandler(kind);
  return () => keepWorking(services, kind, measureJobs(services, samples, kind, createHandler(services, stopping)));
}
