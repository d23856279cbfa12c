import { paymentKey } from '#shared/events/ranges/load.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { TimedReplay, TimedDetector, TimedFinding } from '#shared/detection/model/detector.ts';
import { noHabit, type ReportHabit, withOutcome } from '#shared/detection/model/report_habit.ts';
import {
  type AwaitedRail,
  awaitedRails,
  dueAt,
  judgeSettlement,
  reportTypes,
  SettlementParams,
  waitOf,
} from '#shared/detection/model/settlement.ts';

/** A payment is authorized, and no further report follows. */
export const settlementMissing: TimedDetector = {
  name: 'settlement_missing',
  about: 'An x402 or card payment is authorized, and no further report follows.',
  params: SettlementParams,
  replay: params => replaySettlements(SettlementParams.parse(params)),
};

/** An authorization that is not due yet; `event` only while nothing was reported. */
type Waiting = { due_at: number; agent_id: string; key: string; event: DetectionEvent | null };

/**
 * Replays a log as the sweeps would: authorizations of a rail in the order of the log, each once it is due. Remembers the latest payments
 * that were reported before their authorization.
 */
function replaySettlements(params: SettlementParams): TimedReplay {
  const queues: Record<AwaitedRail, Set<Waiting>> = { x402: new Set(), card: new Set() };
  const unreported = new Map<string, Waiting[]>();
  const reported = latestKeys();
  const habits = new Map<string, ReportHabit>();

  function tell(rail: AwaitedRail, until: number): TimedFinding[] {
    const findings: TimedFinding[] = [];
    for (const waiting of queues[rail]) {
      if (waiting.due_at > until) break;
      queues[rail].delete(waiting);
      const { agent_id, key, event } = waiting;
      const name = `${agent_id} ${rail}`;
      const habit = habits.get(name) ?? noHabit;
      habits.set(name, withOutcome(habit, event === null));
      if (!event) continue;
      forget(unreported, key, waiting);
      const finding = judgeSettlement(event, rail, habit, params);
      if (finding) findings.push({ event, finding });
    }
    return findings;
  }
  const tellAll = (until: number) => awaitedRails.flatMap(rail => tell(rail, until));

  return {
    take(event) {
      const findings = tellAll(event.received_at - 1);
      const key = paymentKey(event);
      if (reportTypes.includes(event.type)) {
        for (const waiting of unreported.get(key) ?? []) waiting.event = null;
        unreported.delete(key);
        reported.add(key);
      }
      const rail = awaitedRails.find(rail => rail === event.rail);
      if (event.type !== 'payment.authorized' || !rail) return findings;
      const isReported = reported.has(key);
      const due_at = dueAt(event, waitOf(rail, params));
      const waiting = { due_at, agent_id: event.agent_id, key, event: isReported ? null : event };
      queues[rail].add(waiting);
      if (!isReported) unreported.set(key, [...(unreported.get(key) ?? []), waiting]);
      return findings;
    },
    end: tellAll,
  };
}

function forget(unreported: Map<string, Waiting[]>, key: string, waiting: Waiting): void {
  const others = (unreported.get(key) ?? []).filter(other => other !== waiting);
  if (others.length > 0) unreported.set(key, others);
  else unreported.delete(key);
}

/** Keys remembered until this many others have followed, or twice as many. */
const MOST_KEYS = 100_000;

function latestKeys() {
  let latest = new Set<string>();
  let former = new Set<string>();
  return {
    has: (key: string) => latest.has(key) || former.has(key),
    add(key: string) {
      latest.add(key);
      if (latest.size < MOST_KEYS) return;
      former = latest;
      latest = new Set();
    },
  };
}
