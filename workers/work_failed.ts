import { UnrecoverableError } from 'bullmq';

/**
 * The work of a job failed and its row says so: there is nothing that the queue should try again. The job is kept among the failed ones, where
 * operators see what it was for and why.
 */
export class WorkFailed extends UnrecoverableError {
  override name = 'WorkFailed';
}
