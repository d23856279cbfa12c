import { getHeapStatistics } from 'node:v8';
import { LRUCache } from 'lru-cache';
import type { History } from '#shared/detection/history.ts';
import type { Tenant } from '#shared/schemas.ts';

/**
 * Histories of agents, kept in this process between ranges. They are believed only while the cursor stands where this process
 * left it: `startAt` forgets a tenant's histories when another process has moved the cursor in between.
 */
export type HistoryCache = {
  startAt(tenant: Tenant, cursor: number): void;
  endAt(tenant: Tenant, cursor: number): void;
  get(tenant: Tenant, agent_id: string): History | undefined;
  set(tenant: Tenant, agent_id: string, history: History): void;
  drop(tenant: Tenant): void;
};

/** A third of the heap this process may use, at about 400 bytes a record (measured). */
const MOST_RECORDS = Math.floor(getHeapStatistics().heap_size_limit / 3 / 400);

export function createHistoryCache(most_records: number = MOST_RECORDS): HistoryCache {
  const histories = new LRUCache<string, History>({ maxSize: most_records, sizeCalculation: sizeOf });
  const cursors = new Map<string, { cursor: number; generation: number }>();
  let generations = 0;
  const nameOf = ({ org_id, environment }: Tenant) => `${org_id} ${environment}`;
  const keyOf = (tenant: Tenant, agent_id: string) =>
    `${nameOf(tenant)} ${cursors.get(nameOf(tenant))?.generation} ${agent_id}`;
  // A new generation forgets a tenant at once; the old entries fall out as the least recently used.
  const begin = (tenant: Tenant) => cursors.set(nameOf(tenant), { cursor: UNDER_WAY, generation: (generations += 1) });
  return {
    startAt(tenant, cursor) {
      if (cursors.get(nameOf(tenant))?.cursor !== cursor) begin(tenant);
      const state = cursors.get(nameOf(tenant));
      if (state) state.cursor = UNDER_WAY;
    },
    endAt(tenant, cursor) {
      const state = cursors.get(nameOf(tenant));
      if (state) state.cursor = cursor;
    },
    get: (tenant, agent_id) => histories.get(keyOf(tenant, agent_id)),
    set: (tenant, agent_id, history) => histories.set(keyOf(tenant, agent_id), history),
    drop: begin,
  };
}

/** No cursor: histories that a range is changing are believed again only when it has ended well. */
const UNDER_WAY = -1;

const sizeOf = ({ payments, hours, minutes, paid_payees }: History) =>
  10 + payments.length + Math.ceil((hours?.length ?? 0) / 2 + (minutes?.size ?? 0) * 30 + paid_payees.size / 4);
