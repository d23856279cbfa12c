import { type Db, sql } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { DAY, HOUR, SECOND, timestamp } from '#shared/values/time.ts';

/** How long counts are kept. */
export const INGEST_COUNTS_KEPT = 31 * DAY;
const FLUSH_EVERY = 5 * SECOND;
/** Distinct reasons per key and hour between two writes; faults come from a schema, so there are few. */
const MOST_REASONS = 50;

/** The outcome of a request's events; `faults` are the first faults of rejected ones. */
type Outcome = {
  accepted: number;
  duplicates: number;
  conflicts: number;
  rejected: number;
  faults: readonly { code: string; path: string }[];
};

type Key = Tenant & { key_id: string };
type Sum = Key & {
  hour: number;
  requests: number;
  rate_limited: number;
  accepted: number;
  duplicates: number;
  conflicts: number;
  rejected: number;
  least_left: number | null;
  reasons: Map<string, { code: string; path: string; events: number }>;
};

export type IngestCounts = {
  /** Counts a request, with what its rate limit has left; null without a limit. */
  request(key: Key, standing: { left: number | null; refused: boolean }): void;
  /** Counts the outcomes of its events. */
  events(key: Key, outcome: Outcome): void;
  /** Writes the rest. Counts are otherwise written every five seconds. */
  close(): Promise<void>;
};

/** Counts for each key what it sends and with what outcome. Adds up in memory: no request costs a query. */
export function createIngestCounts({ db, log, now }: Pick<Services, 'db' | 'log' | 'now'>): IngestCounts {
  let sums = new Map<string, Sum>();
  const sumOf = ({ org_id, environment, key_id }: Key): Sum => {
    const hour = Math.floor(now() / HOUR) * HOUR;
    const name = `${org_id} ${key_id} ${hour}`;
    const existing = sums.get(name);
    if (existing) return existing;
    const nothing = { requests: 0, rate_limited: 0, accepted: 0, duplicates: 0, conflicts: 0, rejected: 0 };
    const sum = { org_id, environment, key_id, hour, ...nothing, least_left: null, reasons: new Map() };
    sums.set(name, sum);
    return sum;
  };
  const flush = async () => {
    const batch = [...sums.values()];
    sums = new Map();
    if (batch.length === 0) return;
    // Unwritten counts are only missing in developers' statistics.
    await save(db, batch).catch((error: unknown) => log.warn({ error }, 'counts of ingested events not written'));
  };
  let flushing = Promise.resolve();
  const timer = setInterval(() => (flushing = flush()), FLUSH_EVERY).unref();
  return {
    request(key, { left, refused }) {
      const sum = sumOf(key);
      sum.requests += 1;
      if (refused) sum.rate_limited += 1;
      if (left !== null) sum.least_left = Math.min(left, sum.least_left ?? left);
    },
    events(key, { faults, accepted, duplicates, conflicts, rejected }) {
      const sum = sumOf(key);
      sum.accepted += accepted;
      sum.duplicates += duplicates;
      sum.conflicts += conflicts;
      sum.rejected += rejected;
      for (const fault of faults) {
        const { code } = fault;
        const path = placeOf(fault);
        const name = `${code} ${path}`;
        const reason = sum.reasons.get(name);
        if (reason) reason.events += 1;
        else if (sum.reasons.size < MOST_REASONS) sum.reasons.set(name, { code, path, events: 1 });
      }
    },
    async close() {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}

/** Where in an event a fault is, by names of the interface only: a sender may call a member anything. */
function placeOf({ code, path }: { code: string; path: string }): string {
  const parts = path
    .replace(/^\/events\/\d+/, '')
    .split('/')
    .slice(1);
  const members = code === 'unrecognized_member' ? parts.slice(0, -1) : parts;
  const free = members.findIndex(part => part === 'metadata' || part === 'value');
  const place = (free === -1 ? members : members.slice(0, free + 1)).map(part =>
    /^\d+$/.test(part) ? '*' : part.slice(0, 40),
  );
  return place.length === 0 ? '/' : `/${place.slice(0, 5).join('/')}`;
}

const nameOf = ({ org_id, key_id, hour }: Sum) => `${org_id} ${key_id} ${hour}`;

/** In a fixed order, so that two processes cannot deadlock. */
async function save(db: Db, batch: readonly Sum[]): Promise<void> {
  const sums = batch.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const placeIn = (sum: Sum) => [sum.org_id, sum.environment, sum.key_id, timestamp(sum.hour)];
  const place = ['text', 'text', 'text', 'timestamptz'] as const;
  const reasons = sums.flatMap(sum =>
    [...sum.reasons]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { code, path, events }]) => [...placeIn(sum), code, path, events]),
  );
  await db.transaction(async tx => {
    await tx.query(sql.unsafe`
      insert into key_hours as k
        (org_id, environment, key_id, hour, requests, rate_limited, accepted, duplicates, conflicts, rejected, least_left)
      select * from ${sql.unnest(
        sums.map(sum => [
          ...placeIn(sum),
          sum.requests,
          sum.rate_limited,
          sum.accepted,
          sum.duplicates,
          sum.conflicts,
          sum.rejected,
          sum.least_left,
        ]),
        [...place, 'int8', 'int8', 'int8', 'int8', 'int8', 'int8', 'int4'],
      )} as given
      on conflict (org_id, environment, key_id, hour) do update set requests = k.requests + excluded.requests,
        rate_limited = k.rate_limited + excluded.rate_limited, accepted = k.accepted + excluded.accepted,
        duplicates = k.duplicates + excluded.duplicates, conflicts = k.conflicts + excluded.conflicts,
        rejected = k.rejected + excluded.rejected, least_left = least(k.least_left, excluded.least_left)`);
    if (reasons.length === 0) return;
    await tx.query(sql.unsafe`
      insert into key_rejections as k (org_id, environment, key_id, hour, code, path, events)
      select * from ${sql.unnest(reasons, [...place, 'text', 'text', 'int8'])} as given
      on conflict (org_id, environment, key_id, hour, code, path) do update set events = k.events + excluded.events`);
  });
}
