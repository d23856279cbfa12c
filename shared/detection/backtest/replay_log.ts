import { z } from 'zod';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import { inParts, locateEvents, type BacktestSpan } from './locate.ts';
import { nothingYet, type BacktestPart } from './part.ts';
import { Milliseconds, readRange } from '#shared/events/ranges/load.ts';
import type { Params, TimedDetector } from '#shared/detection/model/detector.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { DAY, SECOND } from '#shared/values/time.ts';

const EVENTS_AT_ONCE = 1_000;
/** How long before the requested time rhythms are learned, and from how many events at most. */
const LEAD = 31 * DAY;
const MOST_LEADING = 200_000;
/** How long after it something may become overdue, unless a parameter is longer. */
const TAIL = 40 * DAY;

/**
 * Replays the log through a detector of missing events, in order of arrival: from a month before the requested time until nothing of it can
 * become overdue. Writes nothing, and yields between its parts.
 */
export async function* replayLog(
  db: Pool,
  tenant: Tenant,
  span: BacktestSpan,
  { detector, params }: { detector: TimedDetector; params: Params },
  now: number,
): AsyncGenerator<BacktestPart> {
  const located = yield* inParts(locateEvents(db, tenant, span));
  const [first, last] = [located.seqs[0], located.seqs.at(-1)];
  if (first === undefined || last === undefined) return;
  const { from, to, until_seq, most_events } = span;
  const isAsked = ({ occurred_at }: { occurred_at: number }) => occurred_at >= from && occurred_at < to;
  const firstAfter = async (seq: number, wait: number) =>
    firstReceived(db, tenant, (await receivedAt(db, tenant, seq)) + wait, until_seq);
  const begin = Math.max(await firstAfter(first, -LEAD), first - MOST_LEADING);
  const wanted = (await firstAfter(last, tailOf(params))) - 1;
  const end = Math.min(wanted, first + most_events - 1);
  const truncated = located.truncated || end < wanted;
  const replay = detector.replay(params);
  let at = now;
  for (let cursor = begin - 1; cursor < end;) {
    const events = await readRange(db, tenant, cursor, Math.min(EVENTS_AT_ONCE, end - cursor));
    const findings = events.flatMap(event => replay.take(event)).filter(({ event }) => isAsked(event));
    cursor = events.at(-1)?.chain_seq ?? end;
    if (end < until_seq) at = events.at(-1)?.received_at ?? at;
    yield {
      ...nothingYet,
      events: events.filter(isAsked).length,
      findings,
      progress: (cursor - begin + 1) / (end - begin + 1),
    };
  }
  const findings = replay.end(at).filter(({ event }) => isAsked(event));
  yield { ...nothingYet, findings, progress: 1, truncated };
}

/** The longest time among the parameters, or a default. */
const tailOf = (params: Params): number =>
  Math.max(
    TAIL,
    ...Object.entries(params).map(([name, value]) => (name.endsWith('_s') ? Number(value) * SECOND + DAY : 0)),
  );

const Received = z.object({ received_at: Milliseconds });

const receivedAt = (db: Db, { org_id, environment }: Tenant, seq: number): Promise<number> =>
  db.oneFirst(sql.type(Received)`
    select received_at from events where org_id = ${org_id} and environment = ${environment} and chain_seq = ${seq}`);

/** The first event of a log that was received after `time`; one past `until_seq` if there is none. Later events were received later. */
async function firstReceived(db: Db, tenant: Tenant, time: number, until_seq: number): Promise<number> {
  let low = (await archivedSeq(db, tenant)) + 1;
  let high = until_seq + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await receivedAt(db, tenant, middle)) > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

const Archived = z.object({ archived_seq: z.int() });

/** The last archived event. */
const archivedSeq = (db: Db, { org_id, environment }: Tenant): Promise<number> =>
  db.oneFirst(sql.type(Archived)`
    select archived_seq from event_logs where org_id = ${org_id} and environment = ${environment}`);
