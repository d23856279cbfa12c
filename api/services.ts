import { setTimeout as pause } from 'node:timers/promises';
import { type Callers, createCallers } from './caller.ts';
import { BOUNDS, type Bounds } from './connections.ts';
import { createPressure, type Pressure } from '#api/pressure/pressure.ts';
import { createRateLimits, type RateLimits } from './rate_limits.ts';
import type { Db } from '#shared/platform/db.ts';
import { createProvers, type ProverOf } from '#shared/ledger/proofs.ts';
import { createMailer, type Mailer } from '#shared/platform/mail.ts';
import type { Queue } from '#shared/platform/queue.ts';
import { createRateTable } from '#shared/events/input/fx_rates.ts';
import { createIngestCounts, type IngestCounts } from '#shared/keys/ingest_counts.ts';
import type { Ingest } from '#shared/events/log/ingest.ts';
import { createAppendLine } from '#shared/events/log/append_line.ts';
import { createRegistry } from '#shared/events/log/registry.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { readTogether } from '#shared/platform/read_together.ts';
import { readVersionsOf, type Versions } from '#shared/interface/versions.ts';
import { createEnquiries, type Enquiries } from '#shared/screening/flow/enquiries.ts';
import type { previewEvents } from '#shared/reassessment/preview.ts';
import type { ProcessServices } from '#shared/running/services.ts';
import { type Send, senderOf } from '#shared/webhooks/send.ts';
import { createWaiting, type Waiting } from './waiting.ts';

/** What the handlers of the API are handed beyond the common services. */
export type ApiServices = Omit<ProcessServices, 'db'> & {
  /** The database; in a handler that changes something, the transaction it runs in. */
  db: Db;
  /** Changes with the interface: what was cached from another version of the program is asked for again. */
  revision: string;
  /** What a client may have the service hold without doing its part. */
  bounds: Bounds;
  callers: Callers;
  mailer: Mailer;
  /** Sends webhooks that a person waits for; it refuses the targets that webhooks may not have. */
  send: Send;
  rate_limits: RateLimits;
  pressure: Pressure;
  /** The counters of an organization, as they are when it is asked or later. */
  versionsOf: (org_id: string) => Promise<Versions | undefined>;
  waiting: Waiting;
  ingest: Ingest;
  ingest_counts: IngestCounts;
  enquiries: Enquiries;
  /** What an event that is not sent yet would be found to be. */
  preview: Preview;
  proverOf: ProverOf;
  /** Tells detection that a log has grown. Returns at once; what the queue does not take, reconcile finds. */
  announce: (tenant: Tenant) => void;
  /** Tells screening that there are payees to be screened; the same way. */
  announcePayees: (tenant: Tenant) => void;
};

export function createApiServices(services: ProcessServices, revision: string, bounds: Bounds = BOUNDS): ApiServices {
  const { db, now, config, queue, log } = services;
  const readVersions = (org_ids: string[]) => readVersionsOf(db, org_ids, config.environment);
  const versionsOf = readTogether(readVersions);
  return {
    ...services,
    revision,
    bounds,
    callers: createCallers(services),
    mailer: createMailer(config, services.log),
    send: senderOf(config),
    rate_limits: createRateLimits(config, queue.redis, log),
    pressure: createPressure(services),
    versionsOf,
    waiting: createWaiting(versionsOf, readVersions, log),
    announce: createAnnouncer(queue, 'detect'),
    announcePayees: createAnnouncer(queue, 'screen'),
    preview: createPreview(services),
    proverOf: createProvers(db),
    enquiries: createEnquiries({ ...services, environment: config.environment }),
    ingest_counts: createIngestCounts(services),
    ingest: {
      db,
      append: createAppendLine(db),
      now,
      registry: createRegistry(db, now),
      rates: createRateTable(db, now),
      max_age_days: config.event_max_age_days,
    },
  };
}

type Preview = (tenant: Tenant, events: Previewed, source_id: string, now: number) => ReturnType<typeof previewEvents>;
type Previewed = Parameters<typeof previewEvents>[2];

/** Loads verification for the first who asks: nothing else here needs it. */
function createPreview(services: ProcessServices): Preview {
  const load = async () => {
    const [{ previewEvents }, { createAssessor }] = await Promise.all([
      import('#shared/reassessment/preview.ts'),
      import('#shared/assessment/assessor.ts'),
    ]);
    return { previewEvents, assessor: createAssessor(services) };
  };
  let loaded: ReturnType<typeof load> | undefined;
  return async (tenant, events, source_id, now) => {
    const { previewEvents, assessor } = await (loaded ??= load());
    return previewEvents(services.db, tenant, events, source_id, assessor, now);
  };
}

/**
 * The least time between two announcements of a log, in milliseconds: a range costs as much as 100 events more, and a job some, so small
 * requests are analyzed together. One that is lost when the process ends is found by reconcile.
 */
const ANNOUNCE_EVERY = 100;

/** One announcement a log is under way at a time; those that come meanwhile, or soon after, become one more. */
function createAnnouncer(queue: Queue, kind: 'detect' | 'screen'): (tenant: Tenant) => void {
  const underWay = new Map<string, { again: boolean }>();
  return ({ org_id, environment }) => {
    const state = underWay.get(org_id);
    if (state) {
      state.again = true;
      return;
    }
    const fresh = { again: true };
    underWay.set(org_id, fresh);
    void (async () => {
      while (fresh.again) {
        fresh.again = false;
        await queue.add(kind, [{ org_id, environment }]);
        await pause(ANNOUNCE_EVERY, undefined, { ref: false });
      }
      underWay.delete(org_id);
    })();
  };
}
