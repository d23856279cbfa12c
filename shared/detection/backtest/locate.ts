import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { nothingYet, type Part } from './part.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** The events of a time, by their places in the log in its order. */
export type Located = { seqs: Float64Array; truncated: boolean };

/** Times in milliseconds; `until_seq` is how far the log has been analyzed, `most_events` how many are looked for. */
export type BacktestSpan = { from: number; to: number; until_seq: number; most_events: number };

const EVENTS_AT_ONCE = 20_000;

const Row = z.object({ bytes: z.instanceof(Buffer), last_at: z.string().nullable(), last_seq: z.number().nullable() });

/**
 * Finds the events that occurred from `from` until `to`, the earliest `most_events` of them, in parts: it yields between them. A log that
 * was filled later has them anywhere.
 */
export async function* locateEvents(
  db: Db,
  { org_id, environment }: Tenant,
  { from, to, until_seq, most_events }: BacktestSpan,
): AsyncGenerator<void, Located> {
  const seqs = new Float64Array(most_events);
  let found = 0;
  let after = { at: timestamp(from), seq: 0 };
  for (;;) {
    const { bytes, last_at, last_seq } = await db.one(sql.type(Row)`
      with part as materialized (
        select chain_seq, occurred_at from events
        where org_id = ${org_id} and environment = ${environment} and occurred_at >= ${after.at} and occurred_at < ${timestamp(to)}
          and (occurred_at, chain_seq) > (${after.at}, ${after.seq}) and chain_seq <= ${until_seq}
        order by occurred_at, chain_seq limit ${EVENTS_AT_ONCE}
      ), last as (select occurred_at, chain_seq from part order by occurred_at desc, chain_seq desc limit 1)
      select (select coalesce(string_agg(int8send(chain_seq), '' order by occurred_at, chain_seq), '') from part) as bytes,
        (select occurred_at from last) as last_at, (select chain_seq from last) as last_seq`);
    for (let at = 0; at < bytes.length; at += 8) {
      if (found === most_events) return { seqs: seqs.sort(), truncated: true };
      seqs[found] = Number(bytes.readBigInt64BE(at));
      found += 1;
    }
    if (last_at === null || last_seq === null || bytes.length < EVENTS_AT_ONCE * 8)
      return { seqs: seqs.slice(0, found).sort(), truncated: false };
    after = { at: last_at, seq: last_seq };
    yield;
  }
}

/** Hands on the pauses of a search as parts in which nothing was found. */
export async function* inParts<T>(search: AsyncGenerator<void, T>): AsyncGenerator<Part, T> {
  for (;;) {
    const { done, value } = await search.next();
    if (done) return value;
    yield nothingYet;
  }
}
