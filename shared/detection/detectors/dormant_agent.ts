import { z } from 'zod';
import { firstFrom, type History } from '#shared/detection/model/history.ts';
import type { DetectionEvent, Payment } from '#shared/events/log/payment.ts';
import { detector } from '#shared/detection/model/detector.ts';
import { AT_HAND, count, seconds } from '#shared/detection/model/params.ts';
import { expectedAbove, months, type Rarity } from '#shared/detection/model/rarity.ts';
import { oneDecimal, score } from '#shared/detection/model/score.ts';
import { dateText } from '#shared/detection/model/wording.ts';
import type { EventType } from '#shared/values/event_types.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { DAY, formatDuration, HOUR, SECOND } from '#shared/values/time.ts';

/** An agent pays again after a silence: its key may be in other hands, or its task may be long over. */
export const dormantAgent = detector({
  name: 'dormant_agent',
  about: 'An agent pays again after a long silence.',
  params: z.strictObject({
    silence_s: seconds(30 * 86_400, 'Minimum silence', 'How long the agent must have been silent'),
    least_events: count(5, 'Minimum events', 'Events needed before the silence', { most: AT_HAND }),
  }),
  behavioral: { rarity: (event, { history }) => rarityOfSilence(event, history) },
  judge(event, { history, former }, { silence_s, least_events }) {
    if (former || !begins.has(event.type)) return null;
    const least = silence_s * SECOND;
    const before = paymentsBefore(event, history, least);
    const last = before.reduce(
      (latest, payment) => Math.max(latest, activeUntil(payment, event.occurred_at)),
      -Infinity,
    );
    const silence = event.occurred_at - last;
    const events = before.reduce((sum, payment) => sum + payment.events, 0);
    if (silence < least || events < least_events) return null;
    if (hasBeenSilent(before, least, silence) || (before.length >= least_events && isMonthly(event, before)))
      return null;
    const amount = event.usd_micro === null ? 'a payment' : `a payment of ${formatUsdMicro(event.usd_micro)}`;
    const count = history.complete_from > -Infinity ? `more than ${events}` : String(events);
    return {
      score: oneDecimal(50 + score(silence, least) / 2),
      title: `First payment after ${formatDuration(silence)} of silence`,
      explanation:
        `With ${amount} to {payee} the agent is active again after ${formatDuration(silence)} of silence; it was last active on ${dateText(last)}. ` +
        `An alert is raised from ${formatDuration(least)} for an agent with at least ${least_events} earlier events; this one has ${count}.`,
      subject: '',
      seqs: [event.chain_seq],
    };
  },
});

/** Events caused by the agent itself, unlike refunds, disputes and the like. */
const begins = new Set<EventType>(['payment.requested', 'payment.authorized', 'payment.settled', 'payment.failed']);

/** The agent's payments that began before the event; empty if one began within the silence. */
function paymentsBefore(
  { occurred_at, payment_id }: DetectionEvent,
  { payments }: History,
  silence: number,
): Payment[] {
  const end = firstFrom(payments, occurred_at + 1);
  // The preceding payment usually decides. The event's own payment began with it.
  for (let at = end - 1; at >= 0; at -= 1) {
    const payment = payments[at];
    if (!payment || payment.payment_id === payment_id) continue;
    if (payment.started_at > occurred_at - silence) return [];
    return payments.slice(0, end).filter(other => other.payment_id !== payment_id);
  }
  return [];
}

/** How often the agent returns from an equally long silence, by the pauses between the days on which it began its recent payments. */
function rarityOfSilence({ occurred_at, payment_id }: DetectionEvent, { payments }: History): Rarity {
  const times = payments
    .filter(payment => payment.started_at <= occurred_at && payment.payment_id !== payment_id)
    .map(({ started_at }) => started_at);
  const pauses = times.slice(1).flatMap((time, index) => {
    const pause = time - (times[index] ?? time);
    return pause >= DAY / 2 ? Math.log(pause) : [];
  });
  const active = months(Math.max(DAY, (times.at(-1) ?? 0) - (times[0] ?? 0)));
  const sample = { values: pauses, per_month: (pauses.length + 1) / active };
  const silence = Math.log(Math.max(HOUR, occurred_at - (times.at(-1) ?? occurred_at)));
  return {
    expected: expectedAbove(silence, sample, SPREAD_OF_PAUSES),
    per_month: sample.per_month,
    among: 'pauses of half a day or more',
  };
}

/** The prior mean excess of the longest pauses over the rest, on the scale of ln. */
const SPREAD_OF_PAUSES = 0.4;

/** The last known activity of a payment by `time`. */
const activeUntil = (payment: Payment, time: number): number =>
  [payment.latest_at, payment.counted_at, payment.paid_at, payment.settled_at, payment.undone_at, payment.authorized_at]
    .filter(at => at !== null)
    .reduce((latest, at) => (at <= time ? Math.max(latest, at) : latest), payment.started_at);

/** Whether the agent has returned from a nearly as long silence before: quarterly statements, seasonal work. */
function hasBeenSilent(before: readonly Payment[], least: number, silence: number): boolean {
  let until = Infinity;
  return before.some(({ started_at, latest_at }) => {
    const gap = started_at - until;
    until = until === Infinity ? latest_at : Math.max(until, latest_at);
    return gap >= least && gap * 3 >= silence * 2;
  });
}

/** Whether this is a monthly payment: similar ones were made on about the same day of the month, and never more often. */
function isMonthly({ payee_id, price_key, occurred_at }: DetectionEvent, before: readonly Payment[]): boolean {
  const times = before
    .filter(payment => payment.payee_id === payee_id && payment.price_key === price_key)
    .map(({ started_at }) => started_at);
  const last = times.at(-1);
  if (last === undefined || times.some((time, index) => time - (times[index - 1] ?? -Infinity) < SHORTEST_MONTH))
    return false;
  // A single equal payment two months ago is a coincidence.
  if (times.length < 2 && occurred_at - last > LONGEST_MONTH) return false;
  const apart = Math.abs(new Date(occurred_at).getUTCDate() - new Date(last).getUTCDate());
  return Math.min(apart, 31 - apart) <= DAYS_OFF;
}

/** How many days weekends and holidays move a monthly payment. */
const DAYS_OFF = 3;
const SHORTEST_MONTH = (28 - DAYS_OFF) * DAY;
const LONGEST_MONTH = (31 + DAYS_OFF) * DAY;
