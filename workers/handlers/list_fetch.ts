import { asError } from '#shared/interface/errors.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { accountWarnings } from '#shared/screening/account.ts';
import { fetchList, whyNotFetched } from '#shared/screening/flow/fetch_list.ts';
import type { Services } from '#shared/platform/services.ts';
import { WorkFailed } from '#workers/failures.ts';

/** Fetches a list from its publisher. A failure is recorded with the list, which is fetched again later; then throws `WorkFailed`. */
export function createHandler(services: Services): (data: Jobs['list_fetch']) => Promise<void> {
  const { config, log } = services;
  return async ({ name }) => {
    // A job queued by another process may name a list that is not configured here.
    if (!config.screening_lists[name]) return;
    const start = performance.now();
    try {
      const loaded = await fetchList(services, name, 'schedule');
      const ms = Math.round(performance.now() - start);
      if (loaded) {
        const { account, ...counts } = loaded;
        log.info({ list: name, ...counts, read: account.read, ms }, 'list fetched and loaded');
        for (const warning of accountWarnings(account))
          log.warn({ list: name, warning }, 'list not understood in part');
      } else log.info({ list: name, ms }, 'list unchanged at its publisher');
    } catch (error) {
      log.warn({ error: asError(error), list: name }, 'list not fetched; what was loaded before stays in use');
      throw new WorkFailed(whyNotFetched(error));
    }
  };
}
