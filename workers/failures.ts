import { UnrecoverableError } from 'bullmq';

/**
 * The work of a job failed and its row records it, so the queue need not retry. The job stays among the failed ones, where operators see
 * what it was for and why it failed.
 */
export class WorkFailed extends UnrecoverableError {
  override name = 'WorkFailed';
}

/** An attempt failed through the remote side's fault, and the queue will run another. */
export class AttemptFailed extends Error {
  override name = 'AttemptFailed';
}
