import { z } from 'zod';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { columnOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { noRates } from '#shared/values/price_in_usd.ts';
import { normalizeEvent } from '#shared/events/input/event_normalize.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Evidenced, EventFault } from './check_evidence.ts';
import { inPortions } from './portions.ts';

/**
 * Compares the signed inputs of events with their inputs: they exist for signed events only, and with the signature their normal form is
 * the input. That of an event in `erased` may be gone, since it repeats the evidence. Whoever makes the rules for events stricter must
 * ensure that formerly accepted events still pass here.
 */
export async function checkSignedInputs(
  db: Db,
  tenant: Tenant,
  events: readonly Evidenced[],
  erased: ReadonlySet<string>,
): Promise<EventFault[]> {
  const sizes = await readSizes(db, tenant, events);
  const stored_ids = new Set(sizes.map(({ event_id }) => event_id));
  const faults = events.flatMap(({ chain_seq, id, normal }): EventFault[] => {
    const is_signed = normal.signature !== undefined || normal.erased?.signed === true;
    if (stored_ids.has(id) && !is_signed)
      return [{ chain_seq, reason: 'it is not signed, and yet there is what a signature covers' }];
    if (!stored_ids.has(id) && is_signed && !erased.has(id) && !normal.erased)
      return [{ chain_seq, reason: 'what its signature covers is missing' }];
    return [];
  });
  const byId = new Map(events.map(event => [event.id, event]));
  for (const portion of inPortions(sizes))
    for (const { event_id, input } of await readInputs(db, tenant, portion)) {
      const event = byId.get(event_id);
      if (event && !isWhatWasSent(event, input))
        faults.push({ chain_seq: event.chain_seq, reason: 'what its signature covers is not what was sent' });
    }
  return faults;
}

const Size = z.object({ event_id: z.string(), bytes: z.number() });
const Stored = z.object({ event_id: z.string(), input: z.string() });

const readSizes = (db: Db, { org_id, environment }: Tenant, events: readonly Evidenced[]) =>
  db.any(sql.type(Size)`
    select event_id, octet_length(input) as bytes from signed_inputs
    where org_id = ${org_id} and environment = ${environment} and event_id = any(${columnOf(events, 'id', 'text')})`);

const readInputs = (db: Db, { org_id, environment }: Tenant, rows: readonly z.infer<typeof Size>[]) =>
  db.any(sql.type(Stored)`
    select event_id, input from signed_inputs
    where org_id = ${org_id} and environment = ${environment} and event_id = any(${columnOf(rows, 'event_id', 'text')})`);

/** An event that was accepted once is not too old or too early now: it is judged by the clock of its own time. */
function isWhatWasSent({ normal }: Evidenced, text: string): boolean {
  try {
    const sent: unknown = JSON.parse(text);
    if (typeof sent !== 'object' || canonicalJson(sent) !== text) return false;
    const context = { now: Date.parse(normal.occurred_at), max_age_days: 1, rates: noRates };
    const again = normalizeEvent({ ...sent, signature: normal.signature }, context);
    return again.ok && again.event.input === canonicalJson(normal);
  } catch {
    return false;
  }
}
