import { SECOND } from '#shared/values/time.ts';
import type { Attempt } from './send.ts';
import type { DeliveryState } from './webhook_deliveries.ts';

/** Waits of 0.5, 1, 2 and 4 s lie between the five attempts of a delivery. */
export const MOST_ATTEMPTS = 5;
export const FIRST_WAIT = 0.5 * SECOND;

/** How long is waited after so many attempts, in milliseconds. */
export const waitAfter = (attempts: number, first_wait = FIRST_WAIT): number => first_wait * 2 ** (attempts - 1);

/** What a delivery has come to with the outcome of its attempt of this number. */
export function stateAfter(outcome: Attempt['outcome'], number: number): DeliveryState {
  if (outcome === 'delivered') return 'delivered';
  if (outcome !== 'failed') return 'refused';
  return number < MOST_ATTEMPTS ? 'pending' : 'failed';
}
