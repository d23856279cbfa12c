import { z } from 'zod';
import { packedRows } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { holding } from '#shared/events/log/holding.ts';
import { emptyHistory, type History, MOST_PAYMENTS, remember } from '#shared/detection/model/history.ts';
import { paymentKey } from '#shared/events/ranges/load.ts';
import { type PastEvent, type Payment, withEvent } from '#shared/events/log/payment.ts';
import type { EventType } from '#shared/values/event_types.ts';
import { packedColumns, PackedEvents, unpackEvents } from './packed_events.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** Events read for a history: enough if most payments have one event; otherwise agents whose history is then not full are read again. */
const EVENTS_READ_BACK = [1.25 * MOST_PAYMENTS, 2.5 * MOST_PAYMENTS, 12 * MOST_PAYMENTS];

/**
 * The histories of agents at `cursor`, from the covering index events_by_agent_time. `newest` bounds the search by time, so that a long
 * backlog need not be walked for every agent.
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
  const rows = await db.any(sql.type(PackedEvents)`
    select a.agent_id, p.bytes, p.payment_ids, p.payee_ids
    from unnest(${sql.array(agent_ids, 'text')}) a (agent_id) cross join lateral (
      select ${packedColumns}
      from (
        select * from events e
        where e.org_id = ${org_id} and e.environment = ${environment} and e.agent_id = a.agent_id
          and e.occurred_at <= ${timestamp(newest)} and e.chain_seq <= ${cursor}
        order by e.occurred_at desc, e.chain_seq desc limit ${limit}) e) p`);
  const windows = rows.map(packed => {
    const { agent_id } = packed;
    const latest = unpackEvents(packed);
    // Payments before the oldest event read are unknown.
    const complete_from = latest.length === limit ? (latest.at(-1)?.occurred_at ?? 0) + 1 : -Infinity;
    // In the order of the log, as they arrived.
    return { agent_id, events: latest.toSorted((a, b) => a.chain_seq - b.chain_seq), complete_from };
  });
  const older = await findOlder(db, tenant, windows, cursor);
  return new Map(windows.map(agent => [agent.agent_id, historyOf(agent, older)]));
}

/** The history from these events, without the payments in `older`. */
function historyOf({ events, complete_from }: EventWindow, older: ReadonlySet<string>): History {
  const history: History = { ...emptyHistory(), complete_from };
  const payments = new Map<string, Payment>();
  for (const event of events) {
    if (!older.has(paymentKey(event))) payments.set(event.payment_id, withEvent(payments.get(event.payment_id), event));
  }
  for (const payment of [...payments.values()].toSorted(byStart)) remember(history, payment);
  return history;
}

const byStart = (a: Payment, b: Payment) => a.started_at - b.started_at;

type EventWindow = { agent_id: string; events: PastEvent[]; complete_from: number };

/**
 * The payments that began before the oldest event read, and continue after it: payments settled in batches would seem to have begun with
 * their settlement, all within a minute. A few per agent are looked up first: if none of them is older, payments usually come in one piece,
 * and a single exception makes no burst.
 */
async function findOlder(
  db: Db,
  tenant: Tenant,
  windows: readonly EventWindow[],
  cursor: number,
): Promise<Set<string>> {
  const suspects = windows.map(agent => ({ ...agent, payment_ids: withoutBeginning(agent) }));
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

/** Payments without a first event among those read. */
function withoutBeginning({ events, complete_from }: EventWindow): string[] {
  if (complete_from === -Infinity) return [];
  const begun = new Set(events.filter(({ type }) => beginnings.has(type)).map(event => event.payment_id));
  return [...new Set(events.map(event => event.payment_id))].filter(payment_id => !begun.has(payment_id));
}

const SAMPLE = 4;

/** A sample at even distances. */
const sampleOf = (payment_ids: string[]): string[] =>
  payment_ids.filter((_, index) => index % Math.ceil(payment_ids.length / SAMPLE) === 0);

const AgentPayment = z.object({ agent_id: z.string(), payment_id: z.string() });

/** Which of these payments began before the time given for their agent. */
async function lookUpOlder(
  db: Db,
  tenant: Tenant,
  suspects: readonly Suspects[],
  cursor: number,
): Promise<Set<string>> {
  const rows = suspects.flatMap(({ agent_id, payment_ids, complete_from }) =>
    payment_ids.map(payment_id => [agent_id, payment_id, timestamp(complete_from)]),
  );
  if (rows.length === 0) return new Set();
  const older = await db.any(sql.type(AgentPayment)`
    select g.agent_id, g.payment_id
    from ${packedRows(rows, ['text', 'text', 'timestamptz'])} as g (agent_id, payment_id, since)
    -- A lateral of one row keeps the planner to the index.
    cross join lateral (
      select from events e
      where ${holding('payment_id', tenant, sql.fragment`g.payment_id`)} and e.agent_id = g.agent_id
        and e.chain_seq <= ${cursor} and e.occurred_at < g.since
      limit 1) e`);
  return new Set(older.map(paymentKey));
}
