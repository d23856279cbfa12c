import type { FirstDaysKnown } from '#shared/detection/model/first_days.ts';
import type { Peers } from '#shared/detection/model/peers.ts';
import { percentile } from '#shared/detection/model/score.ts';
import { spanText, timesText } from '#shared/detection/model/wording.ts';
import { type Payment, spendOf } from '#shared/events/log/payment.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { DAY, formatDuration, HOUR, MINUTE } from '#shared/values/time.ts';
import type { WithinTime, OwnPaid, PaidPayment } from './record.ts';

/** What a look says where it is worth an alert, and the payments that it counts. */
export type Told = {
  title: string;
  reason: string;
  subject: string;
  payments: readonly Payment[];
  /** The price of the payment, where it is about that one. */
  price?: string;
  /** What it is rare among, as a plural. */
  among: string;
  /** Events that it names besides: of other agents. */
  seqs?: readonly number[];
};

/** What statistics say is usual, as money; what was spent is told exactly. */
export const dollars = (usd: number) => formatUsdMicro(BigInt(Math.round(usd * 1e6)));
export const sumOf = (paid: readonly PaidPayment[]) => paid.reduce((sum, { payment }) => sum + spendOf(payment), 0n);
export const paymentsOf = (paid: readonly PaidPayment[]) => paid.map(({ payment }) => payment);
/** What this share of payments was no more than, in dollars. */
export const shareWithin = (past: readonly PaidPayment[], share: number): number =>
  percentile(
    past.map(({ usd }) => usd),
    share,
  ) ?? 0;

/** What nearly all of these payments came to; of fewer than ten, all of them. */
export const mostText = (paid: readonly PaidPayment[]): string =>
  paid.length < 10
    ? `the largest was ${dollars(shareWithin(paid, 1))}`
    : `nine in ten were ${dollars(shareWithin(paid, 0.9))} or less`;

/** How far from a payment its record begins, and over how long it reaches, both in milliseconds. */
export type Reach = { apart: number; reach: number };

/** What is compared with: so many payments, over so long. */
export const recordText = (payments: number, { apart, reach }: Reach, whose = 'its') =>
  `${whose} ${payments === 1 ? 'one payment' : `${payments} payments`} ${outsideText(apart)} (over ${formatDuration(reach)})`;

export const outsideText = (apart: number) =>
  apart === DAY ? 'on other days' : apart === HOUR ? 'outside this hour' : `outside these ${formatDuration(apart)}`;

export function tellAmount(own: OwnPaid, past: readonly PaidPayment[], reach: Reach): Told {
  const usual = shareWithin(past, 0.5);
  return {
    title: `${formatUsdMicro(own.spend_micro)} to {payee}, from an agent that usually pays about ${dollars(usual)}`,
    reason:
      `${formatUsdMicro(own.spend_micro)} to {payee} is ${timesText(own.usd / usual)} times what the agent usually pays; the median of ` +
      `${recordText(past.length, reach)} is ${dollars(usual)}, and ${mostText(past)}`,
    price: formatUsdMicro(own.spend_micro),
    among: 'payments',
    subject: own.payee_id,
    payments: paymentsOf([own]),
  };
}

export function tellLargest(own: OwnPaid, largest: { own: number; all: number }): Told {
  const amount = formatUsdMicro(own.spend_micro);
  const times = timesText(own.usd / largest.all);
  return {
    title: `${amount} to {payee}, ${times} times the most that any agent here has paid`,
    reason:
      `${amount} to {payee} is ${times} times the most that any of the organization's agents is known to have paid, ${dollars(largest.all)}; ` +
      `the most of this agent was ${dollars(largest.own)}`,
    price: amount,
    among: 'payments',
    subject: own.payee_id,
    payments: paymentsOf([own]),
  };
}

export function tellExcess(
  own: OwnPaid,
  large: readonly PaidPayment[],
  past: readonly PaidPayment[],
  reach: Reach,
  peers: Pick<Peers, 'high'> | null,
): Told {
  const [many, sum] = [large.length > 1, formatUsdMicro(sumOf(large))];
  const isOwn = !many && large[0]?.payment === own.payment;
  const record =
    past.length === 0
      ? 'the agent has no record of other days yet'
      : past.length === 1
        ? `${recordText(1, reach, "the agent's")} was ${dollars(shareWithin(past, 1))}`
        : `of ${recordText(past.length, reach, "the agent's")}, ${mostText(past)}`;
  const others = peers
    ? `; of other agents on the same rail, nine in ten payments are ${dollars(Math.exp(peers.high))} or less`
    : '';
  return {
    title: many
      ? `${large.length} unusually large payments, ${sum} in total`
      : `Unusually large payment of ${sum}${isOwn ? ' to {payee}' : ''}`,
    reason: `${many ? `${large.length} payments within ${formatDuration(reach.apart)}, ${sum} in total, are` : `a payment of ${sum} is`} larger than usual; ${record}${others}`,
    ...(isOwn && { price: sum }),
    among: reach.apart === DAY ? 'days with payments' : `periods of ${formatDuration(reach.apart)} with payments`,
    subject: '',
    payments: paymentsOf(large),
  };
}

export function tellSpend(
  spent: bigint,
  length: number,
  inside: readonly PaidPayment[],
  episodes: readonly WithinTime[],
): Told {
  const sums = episodes.map(({ usd }) => usd);
  const within = formatDuration(length);
  return {
    title: `${formatUsdMicro(spent)} spent within ${within}`,
    reason:
      `the agent spent ${formatUsdMicro(spent)} within ${within}; ` +
      othersText(sums.length, within, 'spent', dollars(percentile(sums, 0.5) ?? 0), dollars(Math.max(...sums))),
    among: 'such periods',
    subject: '',
    payments: paymentsOf(inside),
  };
}

export function tellFirstDay(spent: bigint, inside: readonly PaidPayment[], days: FirstDaysKnown): Told {
  return {
    title: `${formatUsdMicro(spent)} spent within 24 h by a new agent`,
    reason:
      `the agent spent ${formatUsdMicro(spent)} within 24 h on its first day; on their first days, other agents spent a median of ` +
      `${dollars(Math.exp(days.middle))}, and nine in ten spent ${dollars(Math.exp(days.high))} or less`,
    among: 'first days',
    subject: '',
    payments: paymentsOf(inside),
  };
}

/** `before`: how many payments the agent has made, the largest of which was `most` dollars. */
export function tellFirstLeap(own: OwnPaid, before: number, most: number, days: FirstDaysKnown): Told {
  const amount = formatUsdMicro(own.spend_micro);
  return {
    title: `${amount} to {payee} from a new agent that paid ${dollars(most)} at most`,
    reason:
      `${amount} to {payee} is ${timesText(own.usd / most)} times the largest of the agent's ${before} earlier payments, ${dollars(most)}; ` +
      `on their whole first day, nine in ten other agents spent ${dollars(Math.exp(days.high))} or less`,
    price: amount,
    among: 'first days',
    subject: own.payee_id,
    payments: paymentsOf([own]),
  };
}

export function tellMany(
  [count, spent]: [number, bigint],
  length: number,
  inside: readonly PaidPayment[],
  episodes: readonly WithinTime[],
): Told {
  const counts = episodes.map(({ payments }) => payments);
  const within = formatDuration(length);
  return {
    title: `${formatUsdMicro(spent)} spent within ${within}, in ${paymentsText(count)}`,
    reason:
      `the agent spent ${formatUsdMicro(spent)} within ${within} in ${paymentsText(count)}; ` +
      othersText(
        counts.length,
        within,
        'made',
        paymentsText(percentile(counts, 0.5) ?? 0),
        String(Math.max(...counts)),
      ),
    among: 'such periods',
    subject: '',
    payments: paymentsOf(inside),
  };
}

export function tellPace(count: number, length: number, inside: readonly Payment[], counts: readonly number[]): Told {
  const within = formatDuration(length);
  const middle = Math.round(Math.exp(percentile(counts, 0.5) ?? 0));
  const most = String(Math.round(Math.exp(Math.max(...counts))));
  const isMinute = length === MINUTE;
  const dates = inside.length === count ? `, ${spanText(inside.map(({ started_at }) => started_at))}` : '';
  return {
    title: `${paymentsText(count)} within ${within}`,
    reason:
      `the agent made ${paymentsText(count)} within ${within}${dates}; ` +
      (isMinute
        ? busiestText(counts.length, paymentsText(middle), most)
        : othersText(counts.length, within, 'made', paymentsText(middle), most)),
    among: isMinute ? 'days with payments' : 'such periods',
    subject: '',
    payments: inside,
  };
}

/** What it did in as many other stretches of time; of one there is no median. */
export const othersText = (count: number, within: string, did: string, middle: string | null, most: string) =>
  count === 1
    ? `in the one other period of ${within} with payments, it ${did} ${most}`
    : `in ${count.toLocaleString('en-US')} other periods of ${within} with payments, ${middle === null ? '' : `the median was ${middle} and `}the maximum ${middle === null ? 'was ' : ''}${most}`;

/** How many payments the busiest minute had of each of so many other days. */
const busiestText = (days: number, middle: string, most: string) =>
  days === 1
    ? `on the one other day with payments, the busiest minute had ${most}`
    : `on ${days.toLocaleString('en-US')} other days with payments, the busiest minute had ${middle} at the median and ${most} at most`;

export const paymentsText = (count: number) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? 'payment' : 'payments'}`;
