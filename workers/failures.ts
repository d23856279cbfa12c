import { UnrecoverableError } from 'bullmq';

/**
 * The work of a job failed and its row says so: there is nothing that the queue should try again. The job is kept among the failed ones, where
 * operators see what it was for and why.
 */
export class WorkFailed extends UnrecoverableError {
  override name = 'WorkFailed';
}

/** An attempt came to nothing and another one is due, for which the queue waits: the trouble of whoever was asked, not ours. */
export class AttemptFailed extends Error {
  override name = 'AttemptFailed';
}
