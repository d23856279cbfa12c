import { UnrecoverableError } from 'bullmq';

/**
 * The work of a job failed and its row says so: there is nothing that the queue should try again. The job is kept among the failed ones, where
 * operators see what it was for and why.
 */
export class WorkFailed extends UnrecoverableError {
  override name = 'WorkFailed';
}

/** An attempt failed and the queue will run another: the fault lies with the remote side, not with us. */
export class AttemptFailed extends Error {
  override name = 'AttemptFailed';
}
