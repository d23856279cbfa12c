import { z } from 'zod';
import { packedRows } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { emptyHistory, type History, MOST_PAYMENTS, remember } from '#shared/detection/model/history.ts';
import { countedMicro, paymentKey } from '#shared/events/ranges/load.ts';
import { type DetectionEvent, type Payment, withEvent } from '#shared/events/log/payment.ts';
import { type EventType, eventTypes, type Rail } from '#shared/values/event_types.ts';
import { rails } from '#shared/values/rails.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/**
 * Events read back for a history: enough where most payments have one event; where they have two, or more, the agents whose history is not
 * full then are read again.
 */
const EVENTS_READ_BACK = [1.25 * MOST_PAYMENTS, 2.5 * MOST_PAYMENTS, 12 * MOST_PAYMENTS];

/**
 * The histories of agents as they were at `cursor`, from the covering index events_by_agent_time. `newest` bounds the search by time,
 * so that a long backlog of unread events is not walked through for every agent.
 */
export async function loadHistories(
  db: Db,
  tenant: Tenant,
  agent_ids: string[],
  cursor: number,
  newest: number,
): Promise<Map<string, History>> {
  const histories = new Map<string, History>();
  let waiting = agent_ids;
  for (const limit of EVENTS_READ_BACK) {
    if (waiting.length === 0) break;
    for (const [agent_id, history] of await readHistories(db, tenant, waiting, { cursor, newest, limit }))
      histories.set(agent_id, history);
    waiting = waiting.filter(agent_id => {
      const history = histories.get(agent_id);
      return history && history.complete_from > -Infinity && history.payments.length < MOST_PAYMENTS;
    });
  }
  return histories;
}

type Bounds = { cursor: number; newest: number; limit: number };

async function readHistories(
  db: Db,
  tenant: Tenant,
  agent_ids: string[],
  { cursor, newest, limit }: Bounds,
): Promise<Map<string, History>> {
  const { org_id, environment } = tenant;
  // Packed by the database into 64 bytes an event: rows of columns took three times as long to send and read (1,000 agents of
  // 90 events: 0.6 s against 0.25 s).
  const rows = await db.any(sql.type(Packed)`
    select a.agent_id, p.bytes, p.payment_ids, p.payee_ids
    from unnest(${sql.array(agent_ids, 'text')}) a (agent_id) cross join lateral (
      select coalesce(string_agg(int8send(e.chain_seq) || int8send((extract(epoch from e.occurred_at) * 1000)::int8)
          || int8send(coalesce(${countedMicro}, -1)::int8)
          || e.price_key || coalesce(e.resource_key, ${none}) || coalesce(e.tool_key, ${none}) || coalesce(e.tool_call_key, ${none})
          || int4send(coalesce(e.attempt, -1)) || int2send(array_position(${sql.array([...eventTypes], 'text')}, e.type)::int2)
          || int2send(array_position(${sql.array([...rails], 'text')}, e.rail)::int2), ''), '') as bytes,
        string_agg(e.payment_id, ${SEPARATOR}) as payment_ids, string_agg(e.payee_id, ${SEPARATOR}) as payee_ids
      from (
        select * from events e
        where e.org_id = ${org_id} and e.environment = ${environment} and e.agent_id = a.agent_id
          and e.occurred_at <= ${timestamp(newest)} and e.chain_seq <= ${cursor}
        order by e.occurred_at desc, e.chain_seq desc limit ${limit}) e) p`);
  const read = rows.map(({ agent_id, bytes, payment_ids, payee_ids }) => {
    const latest = unpack(agent_id, bytes, payment_ids?.split(SEPARATOR) ?? [], payee_ids?.split(SEPARATOR) ?? []);
    // Of the payments before the oldest event that was read, nothing is known.
    const complete_from = latest.length === limit ? (latest.at(-1)?.occurred_at ?? 0) + 1 : -Infinity;
    // In the order of the log, as they came one by one.
    return { agent_id, events: latest.toSorted((a, b) => a.chain_seq - b.chain_seq), complete_from };
  });
  const older = await findOlder(db, tenant, read, cursor);
  return new Map(
    read.map(({ agent_id, events, complete_from }) => {
      const history: History = { ...emptyHistory(), complete_from };
      const payments = new Map<string, Payment>();
      for (const event of events) {
        if (!older.has(paymentKey(event)))
          payments.set(event.payment_id, withEvent(payments.get(event.payment_id), event));
      }
      for (const payment of [...payments.values()].toSorted(byStart)) remember(history, payment);
      return [agent_id, history];
    }),
  );
}

const byStart = (a: Payment, b: Payment) => a.started_at - b.started_at;

type Read = { agent_id: string; events: DetectionEvent[]; complete_from: number };

/**
 * Those of the payments that began before the oldest event that was read, and go on after it: what is settled in batches would seem to
 * have begun with its settlement, all of it within a minute. Of an agent a few are looked up first: where none of them is older, payments
 * come in one piece as a rule, and one that does not makes no burst.
 */
async function findOlder(db: Db, tenant: Tenant, read: readonly Read[], cursor: number): Promise<Set<string>> {
  const suspects = read.map(agent => ({ ...agent, payment_ids: withoutBeginning(agent) }));
  const samples = suspects.map(agent => ({ ...agent, payment_ids: sampleOf(agent.payment_ids) }));
  const sampled = await lookUpOlder(db, tenant, samples, cursor);
  const isSuspect = ({ agent_id, payment_ids }: Suspects) =>
    payment_ids.some(payment_id => sampled.has(paymentKey({ agent_id, payment_id })));
  return lookUpOlder(
    db,
    tenant,
    suspects.filter((_, index) => samples[index] && isSuspect(samples[index])),
    cursor,
  );
}

/** Payments of an agent that may have begun before `complete_from`. */
type Suspects = { agent_id: string; payment_ids: string[]; complete_from: number };

const beginnings = new Set<EventType>(['payment.requested', 'payment.authorized']);

/** Payments of which no event was read that payments begin with. */
function withoutBeginning({ events, complete_from }: Read): string[] {
  if (complete_from === -Infinity) return [];
  const begun = new Set(events.filter(({ type }) => beginnings.has(type)).map(event => event.payment_id));
  return [...new Set(events.map(event => event.payment_id))].filter(payment_id => !begun.has(payment_id));
}

const SAMPLE = 4;

/** So many at most, at even distances. */
const sampleOf = (payment_ids: string[]): string[] =>
  payment_ids.filter((_, index) => index % Math.ceil(payment_ids.length / SAMPLE) === 0);

/** Which of these payments began before the time given for their agent. */
async function lookUpOlder(
  db: Db,
  { org_id, environment }: Tenant,
  suspects: readonly Suspects[],
  cursor: number,
): Promise<Set<string>> {
  const rows = suspects.flatMap(({ agent_id, payment_ids, complete_from }) =>
    payment_ids.map(payment_id => [agent_id, payment_id, timestamp(complete_from)]),
  );
  if (rows.length === 0) return new Set();
  const older = await db.any(sql.type(z.object({ agent_id: z.string(), payment_id: z.string() }))`
    select g.agent_id, g.payment_id
    from ${packedRows(rows, ['text', 'text', 'timestamptz'])} as g (agent_id, payment_id, since)
    -- A lateral of one row keeps the planner to the index.
    cross join lateral (
      select from events e
      where e.org_id = ${org_id} and e.environment = ${environment} and e.payment_id = g.payment_id and e.agent_id = g.agent_id
        and e.chain_seq <= ${cursor} and e.occurred_at < g.since
      limit 1) e`);
  return new Set(older.map(paymentKey));
}

// No id may hold a control character.
const SEPARATOR = '\u001f';
const none = sql.fragment`'\\x0000000000000000'::bytea`;

const Packed = z.object({
  agent_id: z.string(),
  bytes: z.instanceof(Buffer),
  payment_ids: z.string().nullable(),
  payee_ids: z.string().nullable(),
});

/** Bytes of an event: seq, time, amount (8 each), four keys (8 each), attempt (4), type and rail (2 each). */
const SIZE = 64;

function unpack(agent_id: string, bytes: Buffer, payment_ids: string[], payee_ids: string[]): DetectionEvent[] {
  return payment_ids.map((payment_id, index) => {
    const at = index * SIZE;
    const micro = bytes.readBigInt64BE(at + 16);
    const attempt = bytes.readInt32BE(at + 56);
    return {
      chain_seq: Number(bytes.readBigInt64BE(at)),
      occurred_at: Number(bytes.readBigInt64BE(at + 8)),
      usd_micro: micro < 0n ? null : micro,
      price_key: intern(bytes.toString('hex', at + 24, at + 32)),
      resource_key: keyAt(bytes, at + 32),
      tool_key: keyAt(bytes, at + 40),
      tool_call_key: keyAt(bytes, at + 48),
      attempt: attempt < 0 ? null : attempt,
      type: eventTypes[bytes.readInt16BE(at + 60) - 1] as EventType,
      rail: rails[bytes.readInt16BE(at + 62) - 1] as Rail,
      payment_id,
      payee_id: intern(payee_ids[index] ?? ''),
      agent_id,
      id: '',
      received_at: 0,
      source_id: '',
      owner_id: '',
      payee_country: null,
      payee_name_key: null,
      domain_key: null,
    };
  });
}

function keyAt(bytes: Buffer, at: number): string | null {
  const key = bytes.toString('hex', at, at + 8);
  return key === '0000000000000000' ? null : intern(key);
}

/** One copy of a text that recurs, as payees and prices do: a cut-out of a long text would keep all of it in memory. */
function intern(text: string): string {
  const known = interned.get(text);
  if (known !== undefined) return known;
  if (interned.size >= MOST_INTERNED) interned.clear();
  interned.set(text, text);
  return text;
}

const interned = new Map<string, string>();
const MOST_INTERNED = 100_000;
