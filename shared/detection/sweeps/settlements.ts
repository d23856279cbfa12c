import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { holdingAny, holdingRailStatus } from '#shared/events/log/holding.ts';
import type { EventFinding } from '#shared/detection/model/detector.ts';
import { Milliseconds, paymentKey, readEvents } from '#shared/events/ranges/load.ts';
import { type LogProgress, MOST_AT_ONCE, MOST_LOGS, type SweepOf, type TimedSetting } from './sweep_of.ts';
import { noHabit, type ReportHabit, withOutcome } from '#shared/detection/model/report_habit.ts';
import {
  type AwaitedRail,
  dueAt,
  judgeSettlement,
  reportTypes,
  SettlementParams,
  waitOf,
} from '#shared/detection/model/settlement.ts';
import { settlementMissing } from '#shared/detection/detectors/settlement_missing.ts';
import { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

const { name } = settlementMissing;

/**
 * Checks the authorizations over a rail, in log order, each once its time is up. While the detector is disabled this continues without
 * judging: what becomes overdue then is never reported.
 */
export const settlementsOver = (rail: AwaitedRail): SweepOf => ({
  detector: settlementMissing,
  due: (db, now) => dueLogs(db, rail, now),
  async sweep(tx, tenant, reach, setting) {
    const cursor = await lockSweep(tx, tenant, rail);
    const isCurrent = cursor?.settings_at === setting.updated_at;
    // Another process was faster.
    if (cursor && isCurrent && cursor.next_at > reach.now) return { findings: [], more: false };
    const params = SettlementParams.parse(setting.params);
    const next = await nextAuthorized(tx, tenant, rail, cursor?.seq ?? 0, reach.seq);
    const { overdue, ...position } = take(next, waitOf(rail, params), reach);
    const findings = setting.enabled ? await judge(tx, tenant, rail, overdue, params) : [];
    await moveSweep(tx, tenant, rail, position, setting);
    return { findings, more: position.more };
  },
});

const Authorized = z.object({
  chain_seq: z.number(),
  agent_id: z.string(),
  payment_id: z.string(),
  occurred_at: Milliseconds,
  received_at: Milliseconds,
});
type Authorized = z.infer<typeof Authorized>;

type Position = { seq: number; next_at: number; more: boolean };

/** The authorizations that are due, up to the first one that is not, and the resulting position of the cursor. */
function take(
  next: readonly Authorized[],
  wait: number,
  { seq, until, now }: LogProgress,
): Position & { overdue: readonly Authorized[] } {
  const waiting = next.findIndex(event => dueAt(event, wait) > now);
  const blocking = next[waiting];
  if (blocking) {
    const position = { seq: blocking.chain_seq - 1, next_at: dueAt(blocking, wait), more: false };
    return { overdue: next.slice(0, waiting), ...position };
  }
  const last = next.at(-1);
  if (last && next.length === MOST_AT_ONCE) return { overdue: next, seq: last.chain_seq, next_at: now, more: true };
  // Whatever is not analyzed or stored yet was received after `until`.
  return { overdue: next, seq, next_at: until + wait, more: false };
}

async function judge(
  tx: Db,
  tenant: Tenant,
  rail: AwaitedRail,
  overdue: readonly Authorized[],
  params: SettlementParams,
): Promise<EventFinding[]> {
  if (overdue.length === 0) return [];
  const unreported = new Set(await findUnreported(tx, tenant, overdue));
  const events = new Map((await readEvents(tx, tenant, [...unreported])).map(event => [event.chain_seq, event]));
  const habits = await loadHabits(tx, tenant, rail, [...new Set(overdue.map(event => event.agent_id))]);
  const findings: EventFinding[] = [];
  for (const { agent_id, chain_seq } of overdue) {
    const habit = habits.get(agent_id) ?? noHabit;
    const event = events.get(chain_seq);
    const finding = event && judgeSettlement(event, rail, habit, params);
    if (finding) findings.push({ detector: name, event, finding });
    habits.set(agent_id, withOutcome(habit, !event));
  }
  await saveHabits(tx, tenant, rail, habits);
  return findings;
}

/** Those whose payments got no further report, by position in the log. One lookup of the events, whatever the query plan. */
async function findUnreported(tx: Db, tenant: Tenant, overdue: readonly Authorized[]): Promise<number[]> {
  const payment_ids = [...new Set(overdue.map(({ payment_id }) => payment_id))];
  const rows = await tx.any(sql.type(Reported)`
    select distinct agent_id, payment_id from events e
    where ${holdingAny('payment_id', tenant, payment_ids)} and type = any(${sql.array([...reportTypes], 'text')})`);
  const reported = new Set(rows.map(paymentKey));
  return overdue.filter(event => !reported.has(paymentKey(event))).map(({ chain_seq }) => chain_seq);
}

const Reported = z.object({ agent_id: z.string(), payment_id: z.string() });

/** The next authorizations over a rail. */
const nextAuthorized = (tx: Db, tenant: Tenant, rail: AwaitedRail, after: number, to: number) =>
  tx.any(sql.type(Authorized)`
    select chain_seq, agent_id, payment_id, occurred_at, received_at from events e
    where ${holdingRailStatus(tenant, `${rail} authorized`)} and chain_seq > ${after} and chain_seq <= ${to}
    order by chain_seq limit ${MOST_AT_ONCE}`);

const kindOf = (rail: AwaitedRail) => `${name}:${rail}`;

/** Logs that have grown since, and in which something may be overdue or whose settings have changed. */
const dueLogs = (db: Db, rail: AwaitedRail, now: number) =>
  db.any(sql.type(Tenant)`
    select l.org_id, l.environment from event_logs l
    left join sweep_cursors c on c.org_id = l.org_id and c.environment = l.environment and c.kind = ${kindOf(rail)}
    left join detector_settings s on s.org_id = l.org_id and s.environment = l.environment and s.detector = ${name}
    where l.size > coalesce(c.seq, 0)
      and (c.next_at is null or c.next_at <= ${timestamp(now)} or s.updated_at is distinct from c.settings_at)
    order by c.next_at nulls first limit ${MOST_LOGS}`);

const Cursor = z.object({ seq: z.number(), next_at: Milliseconds, settings_at: z.string().nullable() });

const lockSweep = (tx: Db, { org_id, environment }: Tenant, rail: AwaitedRail) =>
  tx.maybeOne(sql.type(Cursor)`
    select seq, next_at, settings_at from sweep_cursors
    where org_id = ${org_id} and environment = ${environment} and kind = ${kindOf(rail)} for update`);

const moveSweep = (
  tx: Db,
  { org_id, environment }: Tenant,
  rail: AwaitedRail,
  { seq, next_at }: Position,
  { updated_at }: TimedSetting,
) =>
  tx.query(sql.unsafe`
    insert into sweep_cursors (org_id, environment, kind, seq, next_at, settings_at)
    values (${org_id}, ${environment}, ${kindOf(rail)}, ${seq}, ${timestamp(next_at)}, ${updated_at})
    on conflict (org_id, environment, kind) do update set
      seq = excluded.seq, next_at = excluded.next_at, settings_at = excluded.settings_at`);

const Row = z.object({ agent_id: z.string(), seen: z.number(), outcomes: z.number() });

/** What became of the earlier authorizations of these agents over a rail; without agents that had none. */
async function loadHabits(
  tx: Db,
  { org_id, environment }: Tenant,
  rail: AwaitedRail,
  agent_ids: string[],
): Promise<Map<string, ReportHabit>> {
  const rows = await tx.any(sql.type(Row)`
    select agent_id, seen, outcomes from report_habits
    where org_id = ${org_id} and environment = ${environment} and agent_id = any(${sql.array(agent_ids, 'text')}) and rail = ${rail}`);
  return new Map(rows.map(({ agent_id, ...habit }) => [agent_id, habit]));
}

/** Saves the habits of agents; most are unchanged. */
async function saveHabits(
  tx: Db,
  { org_id, environment }: Tenant,
  rail: AwaitedRail,
  habits: ReadonlyMap<string, ReportHabit>,
): Promise<void> {
  const rows = [...habits].map(([agent_id, { seen, outcomes }]) => [agent_id, seen, outcomes]);
  await tx.query(sql.unsafe`
    insert into report_habits as h (org_id, environment, agent_id, rail, seen, outcomes)
    select ${org_id}, ${environment}, r.agent_id, ${rail}, r.seen, r.outcomes
    from ${sql.unnest(rows, ['text', 'int2', 'int4'])} as r (agent_id, seen, outcomes)
    on conflict (org_id, environment, agent_id, rail) do update set seen = excluded.seen, outcomes = excluded.outcomes
    where (h.seen, h.outcomes) is distinct from (excluded.seen, excluded.outcomes)`);
}
