import type { ApiServices } from './services.ts';
import { ingest, type IngestResult } from '#shared/events/log/ingest.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/**
 * Stores events in a log, queues the work on them, and counts them. `pointer` gives the position of event `i` in the body; `source_id` is
 * the source of events that name none.
 */
export async function ingestEvents(
  services: ApiServices,
  tenant: Tenant,
  source_id: string,
  inputs: unknown[],
  pointer: (index: number) => string,
) {
  const { results, payees_moved } = await ingest(services.ingest, tenant, source_id, inputs, pointer);
  const count = (status: IngestResult['status']) => results.filter(result => result.status === status).length;
  const accepted = count('accepted');
  if (accepted > 0) {
    services.pressure.tookEvents(tenant, accepted);
    services.announce(tenant);
  }
  if (payees_moved) services.announcePayees(tenant);
  const outcome = {
    accepted,
    duplicates: count('duplicate'),
    conflicts: count('conflict'),
    rejected: count('rejected'),
  };
  for (const [status, events] of Object.entries(outcome)) services.metrics.eventsIngested.inc({ status }, events);
  return { results, outcome };
}
