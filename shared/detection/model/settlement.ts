import { z } from 'zod';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { Finding } from './detector.ts';
import { seconds } from './params.ts';
import { isUsuallySilent, type ReportHabit, reportedOf } from './report_habit.ts';
import { momentText } from './wording.ts';
import type { EventType } from '#shared/values/event_types.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { DAY, formatDuration, MINUTE, SECOND } from '#shared/values/time.ts';

export const SettlementParams = z.strictObject({
  x402_s: seconds(
    (15 * MINUTE) / SECOND,
    'x402 timeout',
    'Time allowed for a follow-up report after an x402 authorization',
  ),
  card_s: seconds((8 * DAY) / SECOND, 'Card timeout', 'Time allowed for a follow-up report after a card authorization'),
});
export type SettlementParams = z.infer<typeof SettlementParams>;

/** Rails on which an authorization is soon followed by another report. */
export const awaitedRails = ['x402', 'card'] as const;
export type AwaitedRail = (typeof awaitedRails)[number];

/** Event types that settle an authorization's fate, whenever they arrived. */
export const reportTypes: readonly EventType[] = [
  'payment.settled',
  'payment.failed',
  'payment.canceled',
  'payment.refunded',
  'payment.disputed',
];

/** How long a report may take, in milliseconds. */
export const waitOf = (rail: AwaitedRail, { x402_s, card_s }: SettlementParams): number =>
  (rail === 'x402' ? x402_s : card_s) * SECOND;

/** The time from which a report is missing. For an authorization that arrived late, the wait begins then. */
export const dueAt = (event: Pick<DetectionEvent, 'occurred_at' | 'received_at'>, wait: number): number =>
  Math.max(event.occurred_at, event.received_at) + wait;

/**
 * The finding on an authorization without a report in time. `habit`: the agent's earlier ones on this rail. Null if the agent's are seldom
 * reported in time.
 */
export function judgeSettlement(
  event: DetectionEvent,
  rail: AwaitedRail,
  habit: ReportHabit,
  params: SettlementParams,
): Finding | null {
  if (isUsuallySilent(habit)) return null;
  const { usd_micro, occurred_at, received_at } = event;
  const amount = usd_micro === null ? '' : ` of ${formatUsdMicro(usd_micro)}`;
  const wait = formatDuration(waitOf(rail, params));
  const late = received_at - occurred_at >= MINUTE ? ` (reported at ${momentText(received_at)})` : '';
  return {
    score: 45,
    title: `Payment${amount} to {payee} authorized, with no report since`,
    explanation:
      `A payment${amount} to {payee} ${over[rail]} was authorized at ${momentText(occurred_at)}${late}. Within ${wait}, ` +
      `no report followed that it was settled, failed or canceled. An alert is raised after ${wait} ${over[rail]}. ` +
      `${baselineText(rail, habit)} ${advice[rail]}`,
    subject: event.payment_id,
    seqs: [event.chain_seq],
  };
}

const over: Record<AwaitedRail, string> = { x402: 'over x402', card: 'by card' };

const advice: Record<AwaitedRail, string> = {
  x402:
    'Check on the chain whether the money has moved before paying again: a client may report a failure although the chain ' +
    'has confirmed the payment.',
  card: 'Ask the payment service whether the money was taken or the authorization has lapsed.',
};

function baselineText(rail: AwaitedRail, habit: ReportHabit): string {
  const { seen } = habit;
  if (seen === 0) return `It is this agent’s first payment ${over[rail]} to come due.`;
  if (seen === 1) return `The one before it ${over[rail]} was ${reportedOf(habit) ? '' : 'not '}followed up in time.`;
  return `Of this agent’s ${seen} authorizations ${over[rail]} before it, ${reportedOf(habit)} were followed up in time.`;
}
