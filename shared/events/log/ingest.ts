import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import type { Db } from '#shared/platform/db.ts';
import type { Append } from './append_line.ts';
import { type Detail, unavailable } from '#shared/interface/errors.ts';
import { type Logged, type LogEntry, findLogged, openEventLog, readInputs } from './event_log.ts';
import { Id } from '#shared/interface/ids.ts';
import { isErasedKey } from '#shared/events/input/erased_input.ts';
import { ERASED_KEYS } from '#shared/events/input/event_rules.ts';
import { isReading, sentId } from '#shared/events/input/as_read.ts';
import { type NormalizedEvent, normalizeEvent, withoutSource } from '#shared/events/input/event_normalize.ts';
import type { RateTable } from '#shared/events/input/fx_rates.ts';
import type { References, Registry } from './registry.ts';
import { ErrorDetail, type Tenant, Timestamp } from '#shared/interface/schemas.ts';

export const IngestResult = z
  .object({
    index: z.int(),
    id: z
      .string()
      .nullable()
      .meta({ description: 'the text that was sent, cut at 64 characters; null where it was no text' }),
    status: z.enum(['accepted', 'duplicate', 'conflict', 'rejected']),
    chain_seq: z.int().optional(),
    received_at: Timestamp.optional(),
    agent_id: Id('agt').optional(),
    owner_id: Id('own').optional(),
    payee_id: Id('pye').optional(),
    error: z.object({ code: z.string(), message: z.string(), details: z.array(ErrorDetail).optional() }).optional(),
  })
  .meta({
    id: 'IngestResult',
    description: 'What was accepted, and a duplicate, has its place in the log and whom it is about.',
  });
export type IngestResult = z.infer<typeof IngestResult>;

export type Ingest = {
  db: Db;
  append: Append;
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

/** Events that are checked in one go: after a few milliseconds others have their turn. */
const AT_ONCE = 25;

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
  const isErased = valid.some(isOfErased) || (await services.registry.erasures(tenant)) > 0;
  const fresh = isErased ? await withoutDuplicates(services, tenant, valid, inputs, results) : valid;
  const referTo = (events: Waiting[]) => refer(services, tenant, default_source_id, events, inputs, pointer, results);
  const first = await referTo(fresh);
  let { referring: waiting, payees_moved, erasures } = first;
  // Duplicates are rare: the ids are looked up only after the log refused one of them.
  for (let refused = 0; waiting.length > 0 && refused < MOST_REFUSALS;) {
    // Of several events with one id, the first is appended; the next round recognizes the others.
    const firsts = new Map(waiting.toReversed().map(entry => [entry.event.id, entry]));
    const entries = [...firsts.values()].toSorted((a, b) => a.index - b.index);
    const appended = await services.append(tenant, entries, erasures);
    for (const [offset, { index, references }] of entries.entries()) {
      if (!appended) break;
      const place = { chain_seq: appended.first_seq + offset, received_at: appended.received_at };
      results[index] = { index, id: sentId(inputs[index]), status: 'accepted', ...place, ...partiesOf(references) };
    }
    waiting = waiting.filter(({ index }) => !results[index]);
    if (waiting.length === 0) break;
    if (!appended) {
      refused += 1;
      await openEventLog(services.db, tenant);
      await services.registry.lookAgain(tenant);
    }
    waiting = await recognize(services, tenant, waiting, inputs, results);
    if (erasures !== (await services.registry.erasures(tenant))) {
      const again = await referTo(waiting);
      ({ referring: waiting, erasures } = again);
      payees_moved ||= again.payees_moved;
    }
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
    else results[index] = rejected(index, input, checked.issues);
  }
  return sound;
}

/** Finds or registers the agent, owner, payee and source of each event; an unknown source rejects the event. */
async function refer(
  { registry }: Ingest,
  tenant: Tenant,
  default_source_id: string,
  waiting: Waiting[],
  inputs: unknown[],
  pointer: (index: number) => string,
  results: IngestResult[],
) {
  const [refused, accepted] = [waiting.filter(isOfErased), waiting.filter(entry => !isOfErased(entry))];
  for (const { index } of refused) results[index] = rejected(index, inputs[index], [erasedPayee(pointer(index))]);
  waiting = accepted;
  if (waiting.length === 0) return { referring: [], payees_moved: false, erasures: 0 };
  const { references, payees_moved, erasures } = await registry.resolve(
    tenant,
    waiting.map(({ event }) => event),
    default_source_id,
  );
  const referring = waiting.flatMap((entry, position): (Waiting & LogEntry)[] => {
    const refs = references[position];
    if (refs?.source_id) {
      const isNamed = entry.event.source_id === null || entry.event.source_id === refs.source_id;
      const event = isNamed ? entry.event : withoutSource(entry.event);
      return [{ ...entry, event, references: { ...refs, source_id: refs.source_id } }];
    }
    results[entry.index] = rejected(entry.index, inputs[entry.index], [
      unknownSource(pointer(entry.index), entry.event.source_id),
    ]);
    return [];
  });
  return { referring, payees_moved, erasures };
}

/** Whether an event that was read names a payee that was erased where it was read: here nobody can be known by that. */
const isOfErased = ({ event }: Waiting) => isErasedKey(event.payee.key);

const erasedPayee = (pointer: string): Detail => ({
  path: `${pointer}/payment/payee/key`,
  code: 'not_allowed',
  message: `The key of a payee must not begin with erased:, ${ERASED_KEYS}.`,
});

/** What is wrong with the source of the event at `pointer`: the one it names, or the one of its key. */
export const unknownSource = (pointer: string, source_id: string | null): Detail => ({
  path: `${pointer}/source_id`,
  code: 'unknown_source',
  message:
    source_id === null
      ? 'The source of this key is disabled: name an active one in source_id, or enable it (PATCH /v1/sources/{id}).'
      : 'There is no active source with this id; name another, or leave source_id out to use the source of the key.',
});

/** The events that are not stored yet. Where parties were erased, one that is sent again must not register them anew. */
async function withoutDuplicates(
  services: Ingest,
  tenant: Tenant,
  waiting: Waiting[],
  inputs: unknown[],
  results: IngestResult[],
): Promise<Waiting[]> {
  const looked: IngestResult[] = [];
  await recognize(services, tenant, waiting, inputs, looked);
  return waiting.filter(({ index }) => {
    const result = looked[index];
    if (result?.status !== 'duplicate') return true;
    results[index] = result;
    return false;
  });
}

/** Writes the results of events whose id is already in the log, and returns the others. */
async function recognize<W extends Waiting>(
  { db }: Ingest,
  tenant: Tenant,
  waiting: W[],
  inputs: unknown[],
  results: IngestResult[],
): Promise<W[]> {
  const ids = [...new Set(waiting.map(({ event }) => event.id))];
  const logged = new Map((await findLogged(db, tenant, ids)).map(row => [row.id, row]));
  if (logged.size === 0) return waiting;
  const isSame = await comparison(db, tenant, waiting, logged);
  return waiting.filter(({ index, event }) => {
    const row = logged.get(event.id);
    if (!row) return true;
    const item = { index, id: sentId(inputs[index]) };
    const place = { chain_seq: row.chain_seq, received_at: row.received_at };
    results[index] = isSame(event, row)
      ? { ...item, status: 'duplicate', ...place, ...partiesOf(row) }
      : { ...item, status: 'conflict', error: conflict };
    return false;
  });
}

/**
 * Tells whether an event is one that is stored. One that was read here names by the service's ids whom it had named by the client's, and
 * from the list it has not all members: it is the same when all that it says is so.
 */
async function comparison(db: Db, tenant: Tenant, waiting: readonly Waiting[], logged: ReadonlyMap<string, Logged>) {
  const wasRead = (event: NormalizedEvent, { chain_seq, digest }: Logged) =>
    event.position === chain_seq && event.digest !== digest;
  const seqs = waiting.flatMap(({ event }) => {
    const row = logged.get(event.id);
    return row && wasRead(event, row) ? [row.chain_seq] : [];
  });
  const stored = seqs.length > 0 ? await readInputs(db, tenant, seqs) : new Map<number, string>();
  return (event: NormalizedEvent, row: Logged): boolean => {
    if (!wasRead(event, row)) return event.digest === row.digest;
    const { agent_id, owner_id, source_id } = row;
    return isReading(event.input, { input: stored.get(row.chain_seq) ?? '{}', agent_id, owner_id, source_id });
  };
}

const conflict = {
  code: 'conflict',
  message: 'An event with this id and other content is stored; nothing was changed. A new event needs a new id.',
};

const partiesOf = ({ agent_id, owner_id, payee_id }: Pick<References, 'agent_id' | 'owner_id' | 'payee_id'>) => ({
  agent_id,
  owner_id,
  payee_id,
});

const rejected = (index: number, input: unknown, details: Detail[]): IngestResult => ({
  index,
  id: sentId(input),
  status: 'rejected',
  error: { code: 'invalid_request', message: details[0]?.message ?? 'This event is not valid.', details },
});
