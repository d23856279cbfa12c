import type { Job } from 'bullmq';
import type { JobKind, Jobs } from '#shared/platform/jobs.ts';
import type { ProcessServices } from '#shared/running/services.ts';

/** Works off one job of a kind. It may run twice for one job, and the second time changes nothing. */
export type Handler<K extends JobKind> = (data: Jobs[K], job: Job<Jobs[K]>) => Promise<void>;

/** What `handlers/<kind>.ts` exports; `stopping` is aborted when the process stops. */
export type HandlerFile<K extends JobKind> = {
  createHandler(services: ProcessServices, stopping: AbortSignal): Handler<K>;
};

/** Loads the handler of a kind: a process loads only the handlers of its own kinds and their imports. */
export const loadHandler = <K extends JobKind>(kind: K): Promise<HandlerFile<K>> => import(`./handlers/${kind}.ts`);
