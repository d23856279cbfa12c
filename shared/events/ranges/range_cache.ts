import { LRUCache } from 'lru-cache';
import { atMost } from '#shared/values/at_most.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** The position of a log's cursor, and how often earlier events were priced later. */
export type Cursor = { seq: number; repriced: number };

/**
 * What a process caches of tenants between ranges, by id. It is valid only while the cursor is where this process left it: `startAt` drops
 * a tenant when another process has moved the cursor, or any has priced events, in between.
 */
export type RangeCache<Value extends object> = {
  startAt(tenant: Tenant, cursor: Cursor): void;
  endAt(tenant: Tenant, cursor: Cursor): void;
  get(tenant: Tenant, id: string): Value | undefined;
  set(tenant: Tenant, id: string, value: Value): void;
  drop(tenant: Tenant): void;
};

/** Caches values up to a total of `most` by `sizeOf`; the least recently used go first. */
export function createRangeCache<Value extends object>(
  most: number,
  sizeOf: (value: Value) => number,
): RangeCache<Value> {
  const values = new LRUCache<string, Value>({ maxSize: most, sizeCalculation: sizeOf });
  const cursors = new LRUCache<string, { cursor: string; generation: number }>(atMost(MOST_TENANTS));
  let generations = 0;
  const nameOf = ({ org_id, environment }: Tenant) => `${org_id} ${environment}`;
  const keyOf = (tenant: Tenant, id: string) => `${nameOf(tenant)} ${cursors.get(nameOf(tenant))?.generation} ${id}`;
  // A new generation drops a tenant at once; its old entries are evicted as least recently used.
  const begin = (tenant: Tenant) => cursors.set(nameOf(tenant), { cursor: UNDER_WAY, generation: (generations += 1) });
  return {
    startAt(tenant, cursor) {
      if (cursors.get(nameOf(tenant))?.cursor !== placeOf(cursor)) begin(tenant);
      const state = cursors.get(nameOf(tenant));
      if (state) state.cursor = UNDER_WAY;
    },
    endAt(tenant, cursor) {
      const state = cursors.get(nameOf(tenant));
      if (state) state.cursor = placeOf(cursor);
    },
    get: (tenant, id) => values.get(keyOf(tenant, id)),
    set: (tenant, id, value) => void (cursors.has(nameOf(tenant)) && values.set(keyOf(tenant, id), value)),
    drop: begin,
  };
}

/** Of one that is forgotten, everything is read again. */
const MOST_TENANTS = 10_000;

/** Not a cursor: values that a range is changing are valid again only when it has completed. */
const UNDER_WAY = '';

const placeOf = ({ seq, repriced }: Cursor) => `${seq} ${repriced}`;
