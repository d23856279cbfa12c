import { AsyncLocalStorage } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';
import type { Assessor } from './assessor.ts';
import { loadReports } from './load_reports.ts';
import type { Trust } from './trust.ts';
import { checkReports, isProven, nothingRead, type Outcomes } from './verify_reports.ts';
import type { Db } from '#shared/platform/db.ts';
import { costOf, type LoggedEvent, readRange } from '#shared/events/ranges/load.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/**
 * A range of the log that was read before its turn: its events, some of them in full, and the outcomes of verification by the keys trusted
 * then. The log never changes, so all of it is valid unless `trust` has changed by its turn.
 */
export type ReadAhead = {
  events: readonly LoggedEvent[];
  reports: ReadonlyMap<number, ReportedEvent>;
  trust: Trust | null;
  outcomes: Outcomes;
};

/** The range after `cursor`, as `readRange` reads it; `in_full`: what every event reports is wanted, not only what those with evidence do. */
type Wanted = { cursor: number; limit: number; most_cost: number | undefined; in_full: boolean };

export type RangeReader = {
  /** Begins to read a range while the database writes the one before. */
  begin(tenant: Tenant, wanted: Wanted): void;
  /** Waits until a begun reading ends. Not within a transaction: its connection may be the one that the reading waits for. */
  settled(tenant: Tenant): Promise<void>;
  /**
   * The range after `cursor`, if it has been read ahead and is not much larger than is wanted now: what may be analyzed at once moves a little
   * from range to range. Each is given once.
   */
  take(tenant: Tenant, wanted: Pick<Wanted, 'cursor' | 'limit' | 'most_cost'>): ReadAhead | undefined;
};

/** How much larger a range may be than what is wanted by its turn. */
const MUCH = 1.5;

/** Ranges kept at a time: a few more than logs are worked on at once. */
const MOST_RANGES = 8;

/** Reads ranges ahead on connections of their own. One that cannot be read ahead is read in its turn, where its error shows. */
export function createReader(db: Db, assessor: Pick<Assessor, 'verifiers' | 'readTrust'>): RangeReader {
  const ranges = new LRUCache<string, { cursor: number; reading: Promise<void>; range: ReadAhead | null }>({
    max: MOST_RANGES,
  });
  // A transaction allows only its own connection to what it calls; a reader that was made outside of one reads outside.
  const outside = AsyncLocalStorage.snapshot();
  return {
    begin(tenant, wanted) {
      const entry = { cursor: wanted.cursor, reading: Promise.resolve(), range: null as ReadAhead | null };
      entry.reading = outside(() => readRangeAhead(db, tenant, assessor, wanted)).then(
        range => void (entry.range = range),
        () => {},
      );
      ranges.set(nameOf(tenant), entry);
    },
    settled: async tenant => ranges.get(nameOf(tenant))?.reading,
    take(tenant, { cursor, limit, most_cost = Infinity }) {
      const entry = ranges.get(nameOf(tenant));
      ranges.delete(nameOf(tenant));
      if (entry?.cursor !== cursor || !entry.range) return undefined;
      const { events } = entry.range;
      const fits = events.length <= MUCH * limit && costOf(events) <= MUCH * most_cost;
      return events.length > 0 && fits ? entry.range : undefined;
    },
  };
}

async function readRangeAhead(
  db: Db,
  tenant: Tenant,
  { verifiers, readTrust }: Pick<Assessor, 'verifiers' | 'readTrust'>,
  { cursor, limit, most_cost, in_full }: Wanted,
): Promise<ReadAhead> {
  const events = await readRange(db, tenant, cursor, limit, most_cost);
  const proven = events.filter(isProven);
  const reports = await loadReports(db, tenant, in_full ? events : proven);
  if (proven.length === 0) return { events, reports, trust: null, outcomes: new Map() };
  const trust = await readTrust(db, tenant);
  const outcomes = await checkReports(db, tenant, proven, reports, { verifiers, trust, chainOf: () => nothingRead });
  return { events, reports, trust, outcomes };
}

const nameOf = ({ org_id, environment }: Tenant) => `${org_id} ${environment}`;
