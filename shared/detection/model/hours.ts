import { addRows } from '#shared/platform/add_rows.ts';
import { spreadKey, spreadValue } from '#shared/platform/spread.ts';
import { packedRows, type Statement } from '#shared/platform/bulk.ts';
import { sql } from '#shared/platform/db.ts';
import { numberOf } from '#shared/events/parties/number_of.ts';
import type { AgentHour } from './baseline.ts';
import { firstFrom, type History } from './history.ts';
import { addToMinutes, type MinuteChange } from './minutes.ts';
import { type Payment, spendOf } from '#shared/events/log/payment.ts';
import type { Rail } from '#shared/values/event_types.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { partitionPoint } from '#shared/values/partition_point.ts';
import { HOUR, MINUTE, timestamp } from '#shared/values/time.ts';

/** A change, whom and how it was paid, and how many payments of its minute are known with it. */
export type ActivityChange = MinuteChange & { payee_id: string; rail: Rail; busiest_minute: number };

/**
 * What a payment's change adds, and when: it counts when it started, its cost when it was first paid; both under the payee and the
 * rail of its latest event. What its former self had added elsewhere is taken away there.
 */
export function activityChanges(former: Payment | undefined, payment: Payment, history: History): ActivityChange[] {
  const changes: ActivityChange[] = [];
  const add = ({ payee_id, rail }: Payment, at: number, payments: number, spend_micro: bigint, busiest_minute = 0) =>
    changes.push({ at, payee_id, rail, payments, spend_micro, busiest_minute });
  const moved = former && (former.payee_id !== payment.payee_id || former.rail !== payment.rail);
  if (moved || former?.started_at !== payment.started_at) {
    if (former) add(former, former.started_at, -1, 0n);
    add(payment, payment.started_at, 1, 0n, paymentsInMinute(history, payment.started_at));
  }
  const [before, after] = [former ? spendOf(former) : 0n, spendOf(payment)];
  const [paidBefore, paidAfter] = [former?.paid_at ?? null, payment.paid_at];
  if (!moved && before === after && paidBefore === paidAfter) return changes;
  if (former && before > 0n && paidBefore !== null) add(former, paidBefore, 0, -before);
  if (after > 0n && paidAfter !== null) add(payment, paidAfter, 0, after);
  return changes;
}

function paymentsInMinute({ payments }: History, time: number): number {
  const minute = time - (time % MINUTE);
  return firstFrom(payments, minute + MINUTE) - firstFrom(payments, minute);
}

/** Keeps the hours and minutes at hand up with a change, and forgets a baseline that it makes untrue. Changes `history`. */
export function applyChange(history: History, change: ActivityChange): void {
  const { hours, minutes, baseline } = history;
  if (minutes) addToMinutes(minutes, change);
  if (!hours) return;
  const row = hourOf(change);
  if (baseline && row.hour < baseline.hour) history.baseline = null;
  let at = hours.length;
  while (at > 0 && (hours[at - 1]?.hour ?? 0) > row.hour) at -= 1;
  const nearest = hours[at - 1];
  if (nearest?.hour === row.hour) hours[at - 1] = sumOf(nearest, row);
  else hours.splice(at, 0, row);
}

/** Forgets hours that only events still later than those of a range would ask for, of many: one that does has them read again. Changes `history`. */
export function forgetOldHours(history: History, before: number): void {
  const { hours } = history;
  if (!hours || hours.length <= 2 * MOST_HOURS) return;
  const kept = partitionPoint(hours.length, index => (hours[index]?.hour ?? 0) >= before);
  const gone = hours.splice(0, Math.min(kept, hours.length - MOST_HOURS)).at(-1);
  // A change of an older payment may lie before what is known.
  if (gone) history.hours_from = Math.max(history.hours_from, gone.hour + HOUR);
}

const hourOf = ({ at, payments, spend_micro, busiest_minute }: ActivityChange): AgentHour => ({
  hour: at - (at % HOUR),
  payments,
  spend_micro,
  busiest_minute,
});

/** The 30 days of a baseline and some more, so that a late event finds its own. */
const MOST_HOURS = 40 * 24;

const sumOf = (a: AgentHour, b: AgentHour): AgentHour => ({
  hour: a.hour,
  payments: a.payments + b.payments,
  spend_micro: a.spend_micro + b.spend_micro,
  busiest_minute: Math.max(a.busiest_minute, b.busiest_minute),
});

/** What adds a range's changes to the stored hours, one row an agent and hour. */
export function hoursStatement(
  tenant: Tenant,
  changes: ReadonlyMap<string, readonly ActivityChange[]>,
): Statement | null {
  const rows = [...changes].flatMap(([agent_id, list]) => {
    const hours = new Map<number, AgentHour>();
    for (const change of list) {
      const row = hourOf(change);
      const existing = hours.get(row.hour);
      hours.set(row.hour, existing ? sumOf(existing, row) : row);
    }
    return [...hours.values()].map(row => [
      agent_id,
      timestamp(row.hour),
      row.payments,
      String(row.spend_micro),
      row.busiest_minute,
    ]);
  });
  if (rows.length === 0) return null;
  return sql.unsafe`
    with ${addRows({
      org_id: tenant.org_id,
      table: 'hours_of_agents',
      key: [...spreadKey(), 'agent', 'hour'],
      values: { payments: 'sum', spend_usd_micro: 'sum', busiest_minute: 'greatest' },
      rows: sql.fragment`
        select ${spreadValue(tenant.org_id)}a.number, r.hour, r.payments, r.spend_usd_micro, r.busiest_minute
        from ${packedRows(rows, ['text', 'timestamptz', 'int4', 'numeric', 'int4'])}
          as r (agent_id, hour, payments, spend_usd_micro, busiest_minute)
        cross join lateral ${numberOf('agents', tenant, sql.fragment`r.agent_id`)} a`,
    })}
    select`;
}
