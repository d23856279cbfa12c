import { fetchRates, whyNoRates } from '#shared/events/input/fetch_rates.ts';
import { asError } from '#shared/interface/errors.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import { WorkFailed } from '#workers/failures.ts';

/** Fetches exchange rates. A failure is recorded with their source, from which they are fetched again later; then throws `WorkFailed`. */
export function createHandler(services: Services): (data: Jobs['rate_fetch']) => Promise<void> {
  const { config, log } = services;
  return async ({ id }) => {
    // A job queued by another process may name a source that is not configured here.
    if (config.rates?.id !== id) return;
    try {
      const fetched = await fetchRates(services, config.rates);
      if (fetched) log.info({ rates: fetched.loaded, newest: fetched.newest }, 'exchange rates fetched');
      else log.info('exchange rates unchanged at their publisher');
    } catch (error) {
      log.warn({ error: asError(error) }, 'exchange rates not fetched; those that were there stay in use');
      throw new WorkFailed(whyNoRates(error));
    }
  };
}
