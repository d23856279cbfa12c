import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import type { Db } from '#shared/platform/db.ts';
import { type Detail, unavailable } from '#shared/interface/errors.ts';
import { type LogEntry, appendEvents, findLogged, openEventLog } from './event_log.ts';
import { type NormalizedEvent, normalizeEvent } from '#shared/events/input/event_normalize.ts';
import type { RateTable } from '#shared/events/input/fx_rates.ts';
import type { Registry } from './registry.ts';
import { ErrorDetail, type Tenant, Timestamp } from '#shared/interface/schemas.ts';

export const IngestResult = z
  .object({
    index: z.int(),
    id: z.string().nullable().meta({ description: 'null when the event has no readable id' }),
    status: z.enum(['accepted', 'duplicate', 'conflict', 'rejected']),
    chain_seq: z.int().optional(),
    received_at: Timestamp.optional(),
    error: z.object({ code: z.string(), message: z.string(), details: z.array(ErrorDetail).optional() }).optional(),
  })
  .meta({ id: 'IngestResult' });
export type IngestResult = z.infer<typeof IngestResult>;

export type Ingest = {
  db: Db;
  registry: Registry;
  rates: RateTable;
  now: () => number;
  max_age_days: number;
};

/**
 * Most refusals by the log. The first may be of a duplicate, or a log not yet begun; each further one means that another request stored
 * one of the same ids at the same moment, which by chance ends soon.
 */
const MOST_REFUSALS = 10;

/** Events that are checked in one go: after some ten milliseconds others have their turn. */
const AT_ONCE = 100;

type Waiting = { index: number; event: NormalizedEvent };

/** One result per input, in input order. `payees_moved`: there are payees to screen. */
export type Ingested = { results: IngestResult[]; payees_moved: boolean };

/**
 * Ingests events: checks each, detects duplicates and conflicts by id, registers what they refer to, and appends the new ones.
 * Returns after the commit. `pointer` gives the position of event `i` in the body.
 */
export async function ingest(
  services: Ingest,
  tenant: Tenant,
  default_source_id: string,
  inputs: unknown[],
  pointer: (index: number) => string,
): Promise<Ingested> {
  const results: IngestResult[] = [];
  const valid = await check(services, inputs, pointer, results);
  const { referring, payees_moved } = await refer(services, tenant, default_source_id, valid, pointer, results);
  let waiting = referring;
  // Duplicates are rare: the ids are looked up only after the log refused one of them.
  for (let refused = 0; waiting.length > 0 && refused < MOST_REFUSALS;) {
    // Of several events with one id, the first is appended; the next round recognizes the others.
    const firsts = new Map(waiting.toReversed().map(entry => [entry.event.id, entry]));
    const entries = [...firsts.values()].toSorted((a, b) => a.index - b.index);
    const appended = await appendEvents(services.db, tenant, entries);
    for (const [offset, { index, event }] of entries.entries()) {
      if (!appended) break;
      const chain_seq = appended.first_seq + offset;
      results[index] = { index, id: event.id, status: 'accepted', chain_seq, received_at: appended.received_at };
    }
    waiting = waiting.filter(({ index }) => !results[index]);
    if (waiting.length === 0) break;
    if (!appended) {
      refused += 1;
      await openEventLog(services.db, tenant);
    }
    waiting = await recognize(services, tenant, waiting, results);
  }
  if (waiting.length > 0)
    throw unavailable('These events keep arriving from elsewhere at the same moment. Send them again.');
  return { results, payees_moved };
}

/** Keeps the well-formed events and rejects the others with all their faults. */
async function check(
  { now, max_age_days, rates }: Ingest,
  inputs: unknown[],
  pointer: (index: number) => string,
  results: IngestResult[],
) {
  const context = { now: now(), max_age_days, rates: await rates.current() };
  const sound: Waiting[] = [];
  for (const [index, input] of inputs.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await turn();
    const checked = normalizeEvent(input, { ...context, pointer: pointer(index) });
    if (checked.ok) sound.push({ index, event: checked.event });
    else results[index] = rejected(index, checked.id, checked.issues);
  }
  return sound;
}

/** Finds or registers the agent, owner, payee and source of each event; an unknown source rejects the event. */
async function refer(
  { registry }: Ingest,
  tenant: Tenant,
  default_source_id: string,
  waiting: Waiting[],
  pointer: (index: number) => string,
  results: IngestResult[],
) {
  if (waiting.length === 0) return { referring: [], payees_moved: false };
  const { references, payees_moved } = await registry.resolve(
    tenant,
    waiting.map(({ event }) => event),
    default_source_id,
  );
  const referring = waiting.flatMap((entry, position): (Waiting & LogEntry)[] => {
    const refs = references[position];
    if (refs?.source_id) return [{ ...entry, references: { ...refs, source_id: refs.source_id } }];
    const message = 'There is no active source with this id; leave source_id out to use the source of the key.';
    results[entry.index] = rejected(entry.index, entry.event.id, [
      { path: `${pointer(entry.index)}/source_id`, code: 'unknown_source', message },
    ]);
    return [];
  });
  return { referring, payees_moved };
}

/** Writes the results of events whose id is already in the log, and returns the others. */
async function recognize<W extends Waiting>(
  { db }: Ingest,
  tenant: Tenant,
  waiting: W[],
  results: IngestResult[],
): Promise<W[]> {
  const ids = [...new Set(waiting.map(({ event }) => event.id))];
  const logged = new Map((await findLogged(db, tenant, ids)).map(row => [row.id, row]));
  if (logged.size === 0) return waiting;
  return waiting.filter(({ index, event }) => {
    const logged_event = logged.get(event.id);
    if (!logged_event) return true;
    results[index] =
      logged_event.digest === event.digest
        ? {
            index,
            id: event.id,
            status: 'duplicate',
            chain_seq: logged_event.chain_seq,
            received_at: logged_event.received_at,
          }
        : {
            index,
            id: event.id,
            status: 'conflict',
            error: {
              code: 'conflict',
              message:
                'An event with this id and other content is stored; nothing was changed. A new event needs a new id.',
            },
          };
    return false;
  });
}

const rejected = (index: number, id: string | null, details: Detail[]): IngestResult => ({
  index,
  id,
  status: 'rejected',
  error: { code: 'invalid_request', message: details[0]?.message ?? 'This event is not valid.', details },
});
