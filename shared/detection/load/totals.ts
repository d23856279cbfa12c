import { addRows } from '#shared/platform/add_rows.ts';
import { packedRows, type Statement } from '#shared/platform/bulk.ts';
import { sql } from '#shared/platform/db.ts';
import { spreadKey, spreadValue } from '#shared/platform/spread.ts';
import { numberOf } from '#shared/events/parties/number_of.ts';
import type { ActivityChange } from '#shared/detection/model/hours.ts';
import type { NewPair } from '#shared/detection/model/payees.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { HOUR, timestamp } from '#shared/values/time.ts';

/**
 * What adds a range to the totals of its agents, owners and payees. An owner's agents are those registered as its own of which an event
 * was analyzed; a payee's agents are those that paid it. The caller holds the log's cursor, and so is alone.
 */
export function totalsStatement(
  { org_id, environment }: Tenant,
  events: readonly DetectionEvent[],
  new_pairs: readonly NewPair[],
  spent: ReadonlyMap<string, bigint> = new Map(),
): Statement {
  const newAgents = Map.groupBy(
    new_pairs.filter(pair => !pair.known),
    pair => pair.payee_id,
  );
  const payees = seenBy(events, event => event.payee_id).map(row => [...row, newAgents.get(row[0])?.length ?? 0]);
  const ofTenant = sql.fragment`${org_id}, ${environment}`;
  return sql.unsafe`
    with ${addRows({
      org_id,
      table: 'agent_totals',
      key: ['org_id', 'environment', 'agent_id'],
      values: { event_count: 'sum', last_seen_at: 'greatest', spend_usd_micro: 'sum' },
      rows: sql.fragment`select ${ofTenant}, g.* from ${packedRows(
        seenBy(events, event => event.agent_id).map(row => [...row, String(spent.get(row[0]) ?? 0n)]),
        ['text', 'int8', 'timestamptz', 'numeric'],
      )} as g`,
    })}, ${addRows({
      org_id,
      table: 'payee_totals',
      key: ['org_id', 'environment', 'payee_id'],
      values: { event_count: 'sum', last_seen_at: 'greatest', agent_count: 'sum' },
      rows: sql.fragment`select ${ofTenant}, g.* from ${packedRows(payees, ['text', 'int8', 'timestamptz', 'int8'])} as g`,
    })}, ${addRows({
      org_id,
      table: 'owner_totals',
      key: ['org_id', 'environment', 'owner_id'],
      values: { agent_count: 'sum', last_seen_at: 'greatest' },
      rows: sql.fragment`
        select ${ofTenant}, owner_id, sum(agents), max(last_seen_at) from (
          -- A lateral of one row keeps the planner to the primary key.
          select a.owner_id, 1 as agents, null::timestamptz as last_seen_at from agent_totals_new n cross join lateral (
            select owner_id from agents where org_id = ${org_id} and environment = ${environment} and id = n.agent_id limit 1) a
          union all
          select o.owner_id, 0, o.last_seen_at
          from ${packedRows(
            seenBy(events, event => event.owner_id),
            ['text', 'int8', 'timestamptz'],
          )} as o (owner_id, event_count, last_seen_at)
        ) owned group by owner_id`,
    })}
    select`;
}

/** For each id in the events: how many there are, and when the last of them was received (never goes back within a log). */
function seenBy(
  events: readonly DetectionEvent[],
  idOf: (event: DetectionEvent) => string,
): [string, number, string][] {
  return [...Map.groupBy(events, idOf)].map(([id, list]) => [
    id,
    list.length,
    timestamp(list.at(-1)?.received_at ?? 0),
  ]);
}

type Sum = { key: string[]; events: number; payments: number; spend_micro: bigint };

/** What adds a range to what each agent did by day, rail and payee, and to what the organization did by the hour (both UTC). */
export function spendStatement(
  tenant: Tenant,
  events: readonly DetectionEvent[],
  changes: ReadonlyMap<string, readonly ActivityChange[]>,
): Statement {
  const { org_id, environment } = tenant;
  const hours = new Map<number, Sum>();
  const days = new Map<string, Sum>();
  const add = (agent_id: string, change: Moved, events: number) => {
    const hour = change.at - (change.at % HOUR);
    const ofHour = hours.get(hour) ?? nothing([timestamp(hour)]);
    hours.set(hour, ofHour);
    const day = ofHour.key[0]?.slice(0, 'YYYY-MM-DD'.length) ?? '';
    const key = `${agent_id} ${day} ${change.rail} ${change.payee_id}`;
    const ofDay = days.get(key) ?? nothing([agent_id, day, change.rail, change.payee_id]);
    days.set(key, ofDay);
    for (const sum of [ofHour, ofDay]) {
      sum.events += events;
      sum.payments += change.payments;
      sum.spend_micro += change.spend_micro;
    }
  };
  for (const { agent_id, occurred_at, rail, payee_id } of events)
    add(agent_id, { at: occurred_at, rail, payee_id, payments: 0, spend_micro: 0n }, 1);
  for (const [agent_id, list] of changes) for (const change of list) add(agent_id, change, 0);

  return sql.unsafe`
    with ${addRows({
      org_id,
      table: 'organization_hours',
      key: ['org_id', 'environment', 'hour'],
      values: sumsOf,
      rows: sql.fragment`select ${org_id}, ${environment}, g.* from ${packedRows(rowsOf(hours), ['timestamptz', ...sums])} as g`,
    })}, ${addRows({
      org_id,
      table: 'days_of_agents',
      key: [...spreadKey(), 'agent', 'payee', 'day', 'rail'],
      values: sumsOf,
      rows: sql.fragment`
        select ${spreadValue(org_id)}a.number, p.number, r.day, r.rail, r.events, r.payments, r.spend_usd_micro
        from ${packedRows(rowsOf(days), ['text', 'date', 'text', 'text', ...sums])}
          as r (agent_id, day, rail, payee_id, events, payments, spend_usd_micro)
        cross join lateral ${numberOf('agents', tenant, sql.fragment`r.agent_id`)} a
        cross join lateral ${numberOf('payees', tenant, sql.fragment`r.payee_id`)} p`,
    })}
    select`;
}

type Moved = Omit<ActivityChange, 'busiest_minute'>;

const sums = ['int8', 'int8', 'numeric'] as const;
const sumsOf = { events: 'sum', payments: 'sum', spend_usd_micro: 'sum' } as const;

const nothing = (key: string[]): Sum => ({ key, events: 0, payments: 0, spend_micro: 0n });

const rowsOf = (all: Map<unknown, Sum>) =>
  [...all.values()].map(({ key, events, payments, spend_micro }) => [...key, events, payments, String(spend_micro)]);
