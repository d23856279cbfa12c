import type { Verdict } from '#shared/assessment/verdict.ts';
import { type Baseline, baselineAt } from '#shared/detection/baseline.ts';
import type { Found } from '#shared/detection/findings.ts';
import { type History, remember } from '#shared/detection/history.ts';
import { type ActivityChange, activityChanges, applyChange } from '#shared/detection/hours.ts';
import { type Minutes, minutesBetween } from '#shared/detection/minutes.ts';
import { paymentKey } from '#shared/detection/load.ts';
import type { LoadedRange } from '#shared/detection/load_range.ts';
import { counts, type DetectionEvent, isPaid, withEvent } from '#shared/detection/payment.ts';
import type { Context, Detector } from '#shared/detectors/detector.ts';
import { HOUR } from '#shared/time.ts';

/** An event of which a detector could make nothing: it threw. */
export type Failure = { chain_seq: number; detector: string };
export type NewPair = { agent_id: string; payee_id: string; first_seen_at: number; first_seq: number };

/** What a range came to, ready to be written. */
export type Judged = {
  found: Found[];
  failures: Failure[];
  changes: Map<string, ActivityChange[]>;
  new_pairs: NewPair[];
};

/**
 * Goes through a range in the order of the log: each event becomes part of its agent's history, then every detector is asked.
 * A detector that throws is noted and does not keep the others, or the events that follow, from being judged. Changes the histories.
 */
export function judgeRange(
  events: readonly DetectionEvent[],
  { histories, outside }: LoadedRange,
  verdictOf: (event: DetectionEvent) => Verdict,
  detectors: readonly Detector[],
): Judged {
  const judged: Judged = { found: [], failures: [], changes: new Map(), new_pairs: [] };
  for (const event of events) {
    const history = histories.get(event.agent_id);
    if (!history) throw new Error('the history of an agent was not loaded');
    const context = { ...take(event, history, outside, judged), verdict: verdictOf(event) };
    for (const detector of detectors) {
      try {
        for (const finding of [detector.judge(event, context) ?? []].flat())
          judged.found.push({ detector: detector.name, event, finding });
      } catch {
        judged.failures.push({ chain_seq: event.chain_seq, detector: detector.name });
      }
    }
  }
  return judged;
}

/** Makes an event part of its agent's history, and notes what that changes in the hours and the known payees. */
function take(
  event: DetectionEvent,
  history: History,
  outside: LoadedRange['outside'],
  { changes, new_pairs }: Judged,
): Omit<Context, 'verdict'> {
  const { agent_id, payee_id } = event;
  const key = paymentKey(event);
  const former = history.by_id.get(event.payment_id) ?? outside.get(key);
  const payment = withEvent(former, event);
  remember(history, payment);
  if (history.by_id.has(event.payment_id)) outside.delete(key);
  else outside.set(key, payment);
  const added = activityChanges(former, payment, history);
  for (const change of added) applyChange(history, change);
  const known = changes.get(agent_id);
  if (known) known.push(...added);
  else changes.set(agent_id, added);
  const is_new_payee = counts(event.type) && isPaid(payment) && !history.paid_payees.has(payee_id);
  if (is_new_payee) {
    history.paid_payees.add(payee_id);
    new_pairs.push({ agent_id, payee_id, first_seen_at: event.occurred_at, first_seq: event.chain_seq });
  }
  return {
    payment,
    former,
    history,
    is_new_payee,
    baseline: () => baselineOf(history, event.occurred_at),
    between: (from, to) => minutesBetween(minutesOf(history), from, to),
  };
}

/** The agent's baseline, computed once for the events of an hour. */
function baselineOf(history: History, time: number): Baseline {
  const hour = time - (time % HOUR);
  if (history.baseline?.hour !== hour) history.baseline = { hour, value: baselineAt(hour, hoursOf(history)) };
  return history.baseline.value;
}

function hoursOf({ hours }: History) {
  if (!hours) throw new Error('the hours of an agent were not loaded');
  return hours;
}

/** None are loaded for an agent that was not busy: what was paid longer than a day ago is told by the payments at hand. */
const minutesOf = ({ minutes }: History): Minutes => minutes ?? new Map();
