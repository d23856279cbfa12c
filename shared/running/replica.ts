import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import type { Logger } from '#shared/platform/log.ts';

/** A standby of the database that answers what decides nothing. */
export type Replica = {
  /** The standby, where what it answers is at most `most_delay` old; else null. */
  current(): Db | null;
  close(): Promise<void>;
};

/** How far two servers are in the write-ahead log; `replayed` is null at a server that is no standby. */
export type Positions = { written(): Promise<bigint>; replayed(): Promise<bigint | null> };

const MEASURED_EVERY = 250;

/**
 * Measures how old the answers of a standby are, four times a second: how far the primary has written at a moment, and whether the standby has
 * replayed that. A standby that is behind, gone or promoted is not asked, until it has caught up.
 */
export function createReplica(
  db: Pool,
  { written, replayed }: Positions,
  { most_delay, log, now }: { most_delay: number; log: Logger; now: () => number },
): Replica {
  const marks: { at: number; position: bigint }[] = [];
  let as_of = -Infinity;
  let was_there: boolean | undefined;
  const closing = new AbortController();

  async function measure(): Promise<void> {
    const at = now();
    marks.push({ at, position: await written() });
    const reached = await replayed();
    // A server that is no standby any more has its own history.
    if (reached === null) as_of = -Infinity;
    while (reached !== null && marks[0] && marks[0].position <= reached) as_of = marks.shift()?.at ?? as_of;
    // What is older than anybody would be served no longer matters.
    while (marks[0] && marks[0].at < at - most_delay - 10 * MEASURED_EVERY) marks.shift();
  }

  const current = () => (now() - as_of <= most_delay ? db : null);

  async function keepMeasuring(): Promise<void> {
    while (!closing.signal.aborted) {
      await measure().catch((error: unknown) => log.debug({ error }, 'read replica not measured'));
      const is_there = current() !== null;
      if (is_there !== was_there)
        log.info(
          is_there
            ? 'lists and statistics are read from the replica'
            : 'the replica is behind or away; the primary is read',
        );
      was_there = is_there;
      await pause(MEASURED_EVERY, undefined, { ref: false, signal: closing.signal }).catch(() => {});
    }
  }
  let measuring: Promise<void> | undefined;

  return {
    current() {
      // Who never asks need not know.
      measuring ??= keepMeasuring();
      return current();
    },
    async close() {
      closing.abort();
      await measuring;
      await db.end();
    },
  };
}

const Position = z.object({ position: z.string().nullable() });

/** Where a primary and its standby are, as they say. */
export const positionsOf = (primary: Db, standby: Db): Positions => ({
  async written() {
    const position = await primary.oneFirst(sql.type(Position)`select pg_current_wal_insert_lsn()::text as position`);
    return positionOf(position) ?? 0n;
  },
  async replayed() {
    return positionOf(await standby.oneFirst(sql.type(Position)`select pg_last_wal_replay_lsn()::text as position`));
  },
});

/** `16/B374D848` as a number. */
export function positionOf(text: string | null): bigint | null {
  if (text === null) return null;
  const [high = '', low = ''] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
