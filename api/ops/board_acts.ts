import { isJobKind } from './retry.ts';
import type { JobKind } from '#shared/platform/jobs.ts';

/** What an operator asks of bull-board: of one job, of the jobs in some states, of a queue, or of all queues (`kind` null). */
export type BoardAct = {
  act: string;
  kind: JobKind | null;
  job_id?: string;
  /** The jobs it is about, where it names none. */
  states: readonly JobState[];
};

type JobState = 'wait' | 'active' | 'delayed' | 'failed' | 'completed';

const statesOfQueueActs: Record<string, readonly JobState[]> = {
  pause: [],
  resume: [],
  promote: ['delayed'],
  empty: ['wait', 'delayed'],
};
const jobActs = new Set(['clean', 'promote']);
const states = new Set<string>(['wait', 'active', 'delayed', 'failed', 'completed'] satisfies JobState[]);
/** What ids of jobs are made of; of anything else there is no job, and not everything can be written down. */
const JOB_ID = /^[\w.-]{1,200}$/;

/**
 * Reads a path below bull-board's `api/queues/`. Null for what is not offered: jobs are only there to say that a row waits, so nobody makes
 * or rewrites one by hand, and how many run at once is not set there.
 */
export function readBoardAct(path: string): BoardAct | null {
  const [first = '', second = '', third, ...rest] = path.split('/').map(decoded);
  if (rest.length > 0) return null;
  if (third === undefined && second === '') return first === 'pause' || first === 'resume' ? ofAll(first) : null;
  if (!isJobKind(first)) return null;
  const kind = first;
  if (third === undefined) {
    const about = Object.hasOwn(statesOfQueueActs, second) ? statesOfQueueActs[second] : undefined;
    return about ? { act: second, kind, states: about } : null;
  }
  if (second === 'retry') return third === 'failed' ? { act: 'retry failed', kind, states: ['failed'] } : null;
  if (second === 'clean')
    return states.has(third) ? { act: `clean ${third}`, kind, states: [third as JobState] } : null;
  if (!JOB_ID.test(second)) return null;
  if (third === 'retry') return { act: 'retry failed', kind, job_id: second, states: [] };
  return jobActs.has(third) ? { act: third, kind, job_id: second, states: [] } : null;
}

const ofAll = (act: string): BoardAct => ({ act, kind: null, states: [] });

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
