import { hash } from 'node:crypto';
import { type Asset, assetByKey } from '#shared/values/assets.ts';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { priceInUsd } from '#shared/values/price_in_usd.ts';
import { reportedColumnList } from '#shared/events/log/event_columns.ts';
import { erasedKey, hashColumns, type StoredInput } from '#shared/events/input/erased_input.ts';
import { fieldsOf } from '#shared/events/input/event_normalize.ts';
import { leafHash } from '#shared/events/log/leaf.ts';
import type { ErasureStatement } from '#shared/ledger/erasure_statement.ts';
import type { EventRow } from './event_rows.ts';

/** An event that matches its leaf, with its parsed input; or why it does not, as the end of a sentence about it. */
type CheckedEvent = { ok: true; normal: StoredInput; leaf: Buffer } | { ok: false; reason: string };

/**
 * Computes an event's digest and leaf from its input and position, and every column derived from the input. What the input does not say
 * cannot be checked: the rate that priced a foreign currency, and the source if none was named. An emptied event is compared with the
 * statement on its erasure; `erasure` is null when no key signed that.
 */
export function checkEvent(row: EventRow, erasure: ErasureStatement | null | undefined): CheckedEvent {
  const { chain_seq, event_digest, input } = row;
  if (erasure === null) return bad('its erasure is not one that this deployment signed');
  if (erasure && erasure.event_digest !== event_digest) return bad('its erasure is one of another digest');
  if (hash('sha256', input) !== (erasure?.input_sha256 ?? event_digest))
    return bad(erasure ? 'its input is not what its erasure left of it' : 'its input is not what its digest says');
  const leaf = leafHash({ seq: chain_seq, received_at: row.received_at ?? '', event_digest });
  if (leaf.toString('hex') !== row.leaf_hash)
    return bad('its leaf hash is not that of its position, arrival and digest');
  try {
    const normal = JSON.parse(input) as StoredInput;
    if (canonicalJson(normal) !== input) return bad('its input is not in canonical form (RFC 8785)');
    const fields = fieldsOf(normal);
    const reason = columnFault(row, normal, fields) ?? partyFault(row, fields);
    return reason === null ? { ok: true, normal, leaf } : bad(reason);
  } catch {
    // Only an input that was never accepted gets here: no JSON, or without the members that every event has.
    return bad('its input is not an event');
  }
}

type Fields = ReturnType<typeof fieldsOf>;

const bad = (reason: string): CheckedEvent => ({ ok: false, reason });

function columnFault(row: EventRow, normal: StoredInput, fields: Fields): string | null {
  const { erased } = normal;
  if (fields.id !== row.id) return 'its column id is not what its input says';
  const reported = {
    ...fields,
    ...priceOf(fields, row),
    evidence_count: normal.evidence?.length ?? 0,
    signed: erased?.signed ?? normal.signature !== undefined,
  };
  // Their originals are gone: the remaining input states their values.
  const stated = new Map<string, string | null>(
    erased ? hashColumns.map(name => [name, erased.columns[name] ?? null]) : [],
  );
  const wrong = reportedColumnList.find(({ name, value, former }) => {
    const column = row[name];
    if (stated.has(name)) return stated.get(name) !== column;
    return value(reported) !== column && former(reported) !== column;
  })?.name;
  if (wrong !== undefined) return `its column ${wrong} is not what its input says`;
  if (!agree(row)) return 'its columns amount_usd_micro and amount_usd_minor contradict each other';
  return isPricedByItsRate(row, fields) ? null : 'its column usd_rate is not the rate that its price came of';
}

/** Only the price of a foreign currency or its token has a rate, if it was recorded. */
function isPricedByItsRate({ usd_rate, amount_usd_micro, amount_usd_minor }: EventRow, fields: Fields): boolean {
  // Prices of currencies are older than their rates.
  if (usd_rate === null)
    return amount_usd_micro === null || !fields.amount_denomination.includes('/') || !isForeign(paidIn(fields));
  const rate = typeof usd_rate.usd_per_unit === 'string' ? usd_rate.usd_per_unit : null;
  const paid = paidIn(fields);
  if (!isForeign(paid)) return false;
  const usd = priceInUsd({ amount: BigInt(fields.amount_value), rate, ...paid });
  return usd?.usd_micro.toString() === amount_usd_micro && usd?.usd_minor.toString() === amount_usd_minor;
}

type Price = { usd_micro: string | null; usd_minor: string | null };
type PaidIn = { asset: Asset | null } | { currency: string };

const paidIn = ({ amount_denomination }: Fields): PaidIn =>
  amount_denomination.includes('/') ? { asset: assetByKey(amount_denomination) } : { currency: amount_denomination };

/** Whether it takes a rate to price it. */
function isForeign(paid: PaidIn): boolean {
  const currency = 'asset' in paid ? paid.asset?.currency : paid.currency;
  return currency !== undefined && currency !== 'USD';
}

/**
 * US dollars and dollar tokens have one price; that of other currencies came from the rates of the day, and is accepted as stored. A token
 * added to the registry must say since when: earlier events were stored without a price.
 */
function priceOf(fields: Fields, row: EventRow): Price {
  const paid = paidIn(fields);
  if (isForeign(paid)) return { usd_micro: row.amount_usd_micro, usd_minor: row.amount_usd_minor };
  const usd = priceInUsd({ amount: BigInt(fields.amount_value), rate: null, ...paid });
  return { usd_micro: usd?.usd_micro.toString() ?? null, usd_minor: usd?.usd_minor.toString() ?? null };
}

/** Both were rounded half up from the same amount, so they differ by at most half a cent. */
function agree({ amount_usd_micro, amount_usd_minor }: EventRow): boolean {
  if (amount_usd_micro === null || amount_usd_minor === null) return amount_usd_micro === amount_usd_minor;
  if (![amount_usd_micro, amount_usd_minor].every(text => /^\d+$/.test(text))) return false;
  const difference = BigInt(amount_usd_micro) - BigInt(amount_usd_minor) * 10_000n;
  return difference >= -5_000n && difference <= 5_000n;
}

/** The records it refers to must be those of its input, by our id or the client's. */
function partyFault(row: EventRow, { agent, owner, payee, source_id }: Fields): string | null {
  const isNamed = (there: boolean, id: string, external_id: string | null, party: Fields['agent']) =>
    there && ('id' in party ? party.id === id : party.external_id === external_id);
  if (!isNamed(row.has_agent, row.agent_id, row.agent_external_id, agent))
    return 'its agent is not the one that its input names';
  if (!isNamed(row.has_owner, row.owner_id, row.owner_external_id, owner))
    return 'its owner is not the one that its input names';
  if (row.payee_key !== payee.key && erasedKey(row.payee_id) !== payee.key)
    return 'its payee is not the one that its input names';
  if (!row.has_source || (source_id !== null && source_id !== row.source_id))
    return 'its source is not there, or not the one that its input names';
  return null;
}
