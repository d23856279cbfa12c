import { z } from 'zod';
import { BLOCK } from '#shared/events/log/event_blocks.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { nothingYet, type BacktestPart } from './part.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** The events of a time span, by position in the log. */
export type Located = { seqs: Float64Array; truncated: boolean };

/** Times in milliseconds; `until_seq` is how far the log has been analyzed, `most_events` the limit of the search. */
export type BacktestSpan = { from: number; to: number; until_seq: number; most_events: number };

/** Blocks of the log searched at once: about 20,000 events. */
const BLOCKS_AT_ONCE = 10;

const Row = z.object({ bytes: z.instanceof(Buffer), last_block: z.number().nullable() });

/**
 * Finds the events that occurred from `from` until `to`, the earliest `most_events` of them, in parts: it yields between them. In a log
 * that was filled later they may be anywhere; of others only the blocks of that time are read.
 */
export async function* locateEvents(
  db: Db,
  { org_id, environment }: Tenant,
  { from, to, until_seq, most_events }: BacktestSpan,
): AsyncGenerator<void, Located> {
  let places: Places = { seqs: [], times: [] };
  let end = to;
  let block = -1;
  while (block < Math.floor(until_seq / BLOCK)) {
    if (block >= 0) yield;
    const { bytes, last_block } = await db.one(sql.type(Row)`
      with block as materialized (
        select block from event_blocks
        where org_id = ${org_id} and environment = ${environment} and block > ${block} and block <= ${until_seq}::int8 / ${BLOCK}
          and latest >= ${timestamp(from)} and earliest < ${timestamp(end)}
        order by block limit ${BLOCKS_AT_ONCE}
      )
      select (select max(block) from block) as last_block, coalesce(string_agg(e.place, ''), '') as bytes
      from block b cross join lateral (
        select int8send(chain_seq) || int8send((extract(epoch from occurred_at) * 1000)::int8) as place from events
        where org_id = ${org_id} and environment = ${environment} and chain_seq <= ${until_seq}
          and chain_seq >= b.block * ${BLOCK} and chain_seq < (b.block + 1) * ${BLOCK}
          and occurred_at >= ${timestamp(from)} and occurred_at < ${timestamp(end)}) e`);
    if (last_block === null) break;
    for (let at = 0; at < bytes.length; at += 16) {
      places.seqs.push(Number(bytes.readBigInt64BE(at)));
      places.times.push(Number(bytes.readBigInt64BE(at + 8)));
    }
    if (places.seqs.length > 2 * most_events) {
      places = earliest(places, most_events + 1);
      end = (places.times.at(-1) ?? end) + 1;
    }
    block = last_block;
  }
  const { seqs } = earliest(places, most_events);
  return { seqs: Float64Array.from(seqs).sort(), truncated: places.seqs.length > most_events };
}

/** The positions of events, and when each occurred, in milliseconds. */
type Places = { seqs: number[]; times: number[] };

function earliest({ seqs, times }: Places, most: number): Places {
  if (seqs.length <= most) return { seqs, times };
  const [seqOf, timeOf] = [(index: number) => seqs[index] ?? 0, (index: number) => times[index] ?? 0];
  const order = Uint32Array.from(seqs.keys()).sort((a, b) => timeOf(a) - timeOf(b) || seqOf(a) - seqOf(b));
  const latest = [...order.subarray(0, most)];
  return { seqs: latest.map(seqOf), times: latest.map(timeOf) };
}

/** Passes the pauses of a search on as parts without findings. */
export async function* inParts<T>(search: AsyncGenerator<void, T>): AsyncGenerator<BacktestPart, T> {
  for (;;) {
    const { done, value } = await search.next();
    if (done) return value;
    yield nothingYet;
  }
}
