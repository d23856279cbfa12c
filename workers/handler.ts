import type { Job } from 'bullmq';
import type { JobKind, Jobs } from '#shared/platform/jobs.ts';
import type { ProcessServices } from '#shared/running/services.ts';

/** Processes one job of a kind. A job may run twice; the second run changes nothing. */
export type Handler<K extends JobKind> = (data: Jobs[K], job: Job<Jobs[K]>) => Promise<void>;

/** What `handlers/<kind>.ts` exports. `stopping` is aborted when the process stops. */
export type HandlerFile<K extends JobKind> = {
  createHandler(services: ProcessServices, stopping: AbortSignal): Handler<K>;
};

/** Loads the handler of a kind, so that a process loads only the handlers of its own kinds and their imports. */
export const loadHandler = <K extends JobKind>(kind: K): Promise<HandlerFile<K>> => import(`./handlers/${kind}.ts`);
