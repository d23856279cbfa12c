import { useLayoutEffect, useReducer } from 'preact/hooks';
import type { ArgsOf } from '#api/client/call.ts';
import { keyOf, readingOf, records, rememberRecord, watch } from './store.ts';
import type { RowOf } from './use_rows.ts';
import { STILL } from './use_reading.ts';

/** Lists that answer records by their ids. */
type ByIds =
  | 'GET /v1/agents'
  | 'GET /v1/owners'
  | 'GET /v1/payees'
  | 'GET /v1/alerts'
  | 'GET /v1/events'
  | 'GET /v1/packs'
  | 'GET /v1/screenings'
  | 'GET /v1/members'
  | 'GET /v1/api-keys';

/** What is asked for at once: whoever looks at a record, and its id. */
type Batch = { members: Map<() => void, string>; stop: () => void };

/** As many ids as the API takes. */
const MOST_IDS = 200;

const open = new Map<ByIds, Batch>();

/**
 * One record of a list, by its id. All that are drawn together are asked for in one request. Undefined until it is known, null where
 * the list has no such record.
 */
export function useRecord<O extends ByIds>(operation: O, id: string | null): RowOf<O> | null | undefined {
  const [, redraw] = useReducer<number, void>(times => times + 1, 0);
  useLayoutEffect(() => (id === null ? undefined : join(operation, id, redraw)), [operation, id]);
  return id === null ? undefined : (records.get(id) as RowOf<O> | null | undefined);
}

function join(operation: ByIds, id: string, redraw: () => void): () => void {
  const joined = open.get(operation);
  const batch = joined && joined.members.size < MOST_IDS ? joined : begin(operation);
  batch.members.set(redraw, id);
  return () => {
    batch.members.delete(redraw);
    if (batch.members.size === 0) batch.stop();
  };
}

/** A batch that is asked for when everything has joined it that is drawn now. */
function begin(operation: ByIds): Batch {
  const batch: Batch = { members: new Map(), stop: () => {} };
  open.set(operation, batch);
  queueMicrotask(() => {
    if (open.get(operation) === batch) open.delete(operation);
    const ids = [...new Set(batch.members.values())].toSorted();
    if (ids.length === 0) return;
    const args = { query: { ids: ids.join(','), limit: MOST_IDS } } as ArgsOf<ByIds>;
    const take = () => {
      const { data } = readingOf<{ data: { id: string }[] }>(keyOf(operation, args));
      if (!data) return;
      for (const id of ids) rememberRecord(id, data.data.find(record => record.id === id) ?? null);
      for (const redraw of batch.members.keys()) redraw();
    };
    batch.stop = watch(operation, args, STILL, take);
    take();
  });
  return batch;
}
