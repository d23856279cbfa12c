import { isJobKind } from './retry.ts';
import type { JobKind } from '#shared/platform/jobs.ts';

/** An operator's act in bull-board: on one job, on jobs in some states, on a queue, or on all queues (`kind` null). */
export type BoardAct = {
  act: string;
  kind: JobKind | null;
  job_id?: string;
  /** The states of the jobs it applies to, if it names none. */
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
/** The form of job ids; there is no job for anything else, and not everything can be stored. */
const JOB_ID = /^[\w.-]{1,200}$/;

/**
 * Parses a path below bull-board's `api/queues/`. Null for what is not offered: jobs only say that a row waits, so no one creates or edits
 * one by hand, and concurrency is not set there.
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
