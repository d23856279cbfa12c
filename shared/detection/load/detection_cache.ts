import { getHeapStatistics } from 'node:v8';
import { createRangeCache, type Cursor, type RangeCache } from '#shared/events/ranges/range_cache.ts';
import type { History } from '#shared/detection/model/history.ts';
import { type PayeeState, sizeOfPayee } from '#shared/detection/model/payees.ts';
import type { ClosedCache } from './load_lessons.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** What a process keeps of the data of detection between ranges. */
export type DetectionCache = {
  histories: RangeCache<History>;
  payees: PayeeCache;
  closed: ClosedCache;
  startAt(tenant: Tenant, cursor: Cursor): void;
  endAt(tenant: Tenant, cursor: Cursor): void;
  drop(tenant: Tenant): void;
};

export type PayeeCache = RangeCache<PayeeState>;

/** A third of the heap this process may use, at about 500 bytes a record (measured); a tenth of that for payees. */
const MOST_RECORDS = Math.floor(getHeapStatistics().heap_size_limit / 3 / 500);

/** A cache that holds at most `most_records` records of histories, and a tenth as many of payees. */
export function createDetectionCache(most_records: number = MOST_RECORDS): DetectionCache {
  const histories = createRangeCache(most_records, sizeOfHistory);
  const payees = createRangeCache(Math.ceil(most_records / 10), sizeOfPayee);
  return {
    histories,
    payees,
    closed: new Map(),
    startAt(tenant, cursor) {
      histories.startAt(tenant, cursor);
      payees.startAt(tenant, cursor);
    },
    endAt(tenant, cursor) {
      histories.endAt(tenant, cursor);
      payees.endAt(tenant, cursor);
    },
    drop(tenant) {
      histories.drop(tenant);
      payees.drop(tenant);
    },
  };
}

const sizeOfHistory = ({ payments, hours, minutes, paid_payees, new_payees, countries }: History) =>
  10 +
  payments.length +
  Math.ceil(
    (hours?.length ?? 0) / 4 +
      minutesIn(minutes) / 4 +
      (paid_payees.size + (new_payees?.length ?? 0) + countries.size) / 4,
  );

function minutesIn(minutes: History['minutes']): number {
  let count = 0;
  for (const hour of minutes?.values() ?? []) count += 2 + hour.minutes.size;
  return count;
}
