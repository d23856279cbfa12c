import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { StatementReader } from '#shared/ledger/erasure_statement.ts';
import { readErasures } from './check_erasure.ts';
import { checkEvent } from './check_event.ts';
import { checkEvidence, type Evidenced, type EventFault } from './check_evidence.ts';
import { checkSignedInputs } from './check_signed_inputs.ts';
import { readEventRows } from './event_rows.ts';

/** A difference from what was stored: at which `chain_seq`, or null if it belongs to no event; `reason` is a sentence. */
export type Flaw = { seq: number | null; reason: string };

/** The concatenated leaf hashes of the events before the first flaw, and how many of them were erased. */
type CheckedEvents = { leaves: Buffer; erased: number; flaw: Flaw | null };

/**
 * Checks each event of a range, both ends included, by itself: that it exists, and matches its leaf or the statement on its erasure.
 * Everything is read in one snapshot, so a concurrent erasure is seen before or after, not in between.
 */
export const checkEvents = (
  db: Db,
  tenant: Tenant,
  range: { from: number; to: number },
  readStatement: StatementReader,
): Promise<CheckedEvents> =>
  db.transaction(async tx => {
    await tx.query(sql.unsafe`set transaction isolation level repeatable read, read only`);
    return checkEventsIn(tx, tenant, range, readStatement);
  });

/** The same for events that cannot change meanwhile. */
export async function checkEventsIn(
  db: Db,
  tenant: Tenant,
  { from, to }: { from: number; to: number },
  readStatement: StatementReader,
): Promise<CheckedEvents> {
  const rows = await readEventRows(db, tenant, from, to);
  const erasures = await readErasures(db, tenant, { from, to }, readStatement);
  const sound: Evidenced[] = [];
  const leaves: Buffer[] = [];
  let fault: EventFault | null = null;
  for (let seq = from; seq <= to && !fault; seq += 1) {
    const row = rows[seq - from];
    const checked =
      row?.chain_seq === seq ? checkEvent(row, erasures.get(seq)) : { ok: false as const, reason: 'it is missing' };
    if (!checked.ok || !row) fault = { chain_seq: seq, reason: checked.ok ? 'it is missing' : checked.reason };
    else {
      sound.push({ chain_seq: seq, id: row.id, normal: checked.normal, erased: erasures.get(seq)?.evidence ?? [] });
      leaves.push(checked.leaf);
    }
  }
  const { faults, erased } = await checkEvidence(db, tenant, sound);
  const all = [...faults, ...(await checkSignedInputs(db, tenant, sound, erased)), ...(fault ? [fault] : [])];
  const first = all.toSorted((a, b) => a.chain_seq - b.chain_seq)[0];
  const erasedBefore = (end: number) =>
    sound.filter(({ chain_seq }) => chain_seq < end && erasures.has(chain_seq)).length;
  if (!first) return { leaves: Buffer.concat(leaves), erased: erasedBefore(Infinity), flaw: null };
  const { chain_seq, reason } = first;
  return {
    leaves: Buffer.concat(leaves.slice(0, chain_seq - from)),
    erased: erasedBefore(chain_seq),
    flaw: { seq: chain_seq, reason: `Event ${chain_seq} is not as it was stored: ${reason}.` },
  };
}
