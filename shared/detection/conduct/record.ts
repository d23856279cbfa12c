import { type AgentHour, BASELINE_LENGTH } from '#shared/detection/model/baseline.ts';
import type { History } from '#shared/detection/model/history.ts';
import { hoursFrom } from '#shared/detection/model/near_hours.ts';
import { type Payment, spendOf } from '#shared/events/log/payment.ts';
import { largest } from '#shared/values/largest.ts';
import { partitionPoint } from '#shared/values/partition_point.ts';
import { DAY, HOUR } from '#shared/values/time.ts';

/** A payment at hand that something was spent with: when it first counted as spending, and how much it was in dollars, for statistics. */
export type PaidPayment = { at: number; usd: number; payment: Payment };

/** The payment that is judged: what was spent with it, exactly and on the scale of ln too, to whom, and whether for the first time. */
export type OwnPaid = PaidPayment & { spend_micro: bigint; ln: number; payee_id: string; is_new: boolean };

/** What happened within a length of time: an hour, six hours, a day. */
export type WithinTime = { usd: number; payments: number; new_payees: number; excess: number };

/** What was spent within it, on the scale of ln. */
export const lnUsd = ({ usd }: WithinTime): number => Math.log(Math.max(usd, 1e-6));

/** The payments at hand that something was spent with, in the order in which they were paid. */
export function paidPayments({ paid }: History): readonly PaidPayment[] {
  const all: PaidPayment[] = [];
  for (const payment of paid) {
    const usd = Number(spendOf(payment)) / 1e6;
    if (usd > 0) all.push({ at: payment.paid_at ?? 0, usd, payment });
  }
  return all;
}

/** Whether much more was authorized than settled: who charges a car is held $60 for each time, and pays $12. */
export const isHeldForMore = ({ settled, authorized_micro, paid_micro }: Payment): boolean =>
  settled && authorized_micro !== null && authorized_micro * 4n >= paid_micro * 5n;

/** The same payments, those of other days than `at` with what was authorized, where that was much more than settled. */
export const asHeld = (paid: readonly PaidPayment[], at: number): readonly PaidPayment[] =>
  paid.map(each =>
    Math.abs(each.at - at) > DAY && isHeldForMore(each.payment)
      ? { ...each, usd: Number(each.payment.authorized_micro) / 1e6 }
      : each,
  );

/** What was spent with each, on the scale of ln. */
export const lnOf = (paid: readonly PaidPayment[]): number[] => paid.map(({ usd }) => Math.log(usd));

/**
 * The payments at hand that were the first to their payee, which is told by when first payments were: of several at one moment only `own` is
 * known to be one, unless all are.
 */
export function firstPayments(history: History, own: { payment: Payment; is_new: boolean }): ReadonlySet<Payment> {
  const firsts = new Set<Payment>();
  const { paid } = history;
  const oldest = paid[0]?.paid_at ?? Infinity;
  const times = history.new_payees ?? [];
  let until = paid.length;
  for (let to = times.length; (times[to - 1] ?? -Infinity) >= oldest;) {
    const at = times[to - 1] ?? 0;
    let from = to - 1;
    while (times[from - 1] === at) from -= 1;
    // Both are in order.
    while ((paid[until - 1]?.paid_at ?? -Infinity) > at) until -= 1;
    let place = until;
    while (paid[place - 1]?.paid_at === at) place -= 1;
    if (to - from >= until - place) for (const payment of paid.slice(place, until)) firsts.add(payment);
    to = from;
  }
  if (own.is_new) firsts.add(own.payment);
  else firsts.delete(own.payment);
  return firsts;
}

/**
 * The stretch of `length` around `time` that holds most: the one that ends with it, unless what arrived earlier though it was later makes another
 * hold more. As positions in `times`.
 */
export function stretchAround(times: readonly { at: number }[], time: number, length: number): [number, number] {
  let from = firstAt(times, time - length + 1);
  let to = firstAt(times, time + 1);
  let most: [number, number] = [from, to];
  // Each further stretch ends with a later one, and still holds `time`.
  for (; (times[to]?.at ?? Infinity) < time + length; to += 1) {
    const end = times[to]?.at ?? 0;
    while ((times[from]?.at ?? Infinity) <= end - length) from += 1;
    if (to + 1 - from > most[1] - most[0]) most = [from, to + 1];
  }
  return most;
}

/** Position of the first that is later than `time`. */
export const firstAfter = (times: readonly { at: number }[], time: number): number => firstAt(times, time + 1);

/** Position of the first that is at `time` or later. */
const firstAt = (times: readonly { at: number }[], time: number): number =>
  partitionPoint(times.length, index => (times[index]?.at ?? 0) >= time);

/** An episode's payment: when it was, and what it adds. */
export type EpisodePart = { at: number; usd: number; is_new: boolean; excess: number };

/**
 * The stretches of `length` in which something happened, outside `[from, to)`: those before it end with a payment, as the one that they are
 * compared with does; those after it begin with one. The earliest is left out where it is longer than an hour, since it may be cut off, unless even so it
 * cost more than any other.
 */
export function episodesOutside(
  moments: readonly EpisodePart[],
  [from, to]: [number, number],
  length: number,
): WithinTime[] {
  const episodes: WithinTime[] = [];
  const first = moments[0]?.at ?? 0;
  let cut: WithinTime | null = null;
  for (let at = from - 1; at >= 0;) {
    const end = moments[at]?.at ?? 0;
    const episode = nothing();
    for (; at >= 0; at -= 1) {
      const moment = moments[at];
      if (!moment || moment.at <= end - length) break;
      add(episode, moment);
    }
    if (length <= HOUR || end - length >= first) episodes.push(episode);
    else cut = episode;
  }
  for (let at = to; at < moments.length;) {
    const start = moments[at]?.at ?? 0;
    const episode = nothing();
    for (; at < moments.length; at += 1) {
      const moment = moments[at];
      if (!moment || moment.at >= start + length) break;
      add(episode, moment);
    }
    episodes.push(episode);
  }
  const most = episodes.reduce((sum, { usd }) => Math.max(sum, usd), 0);
  if (cut !== null && episodes.length > 0 && cut.usd > most) episodes.push(cut);
  return episodes;
}

/** The stretches with new payees in the 30 days until `time`, before all payments at hand. */
export const episodesOfNews = ({ new_payees, complete_from }: History, time: number, length: number): WithinTime[] => {
  const news = (new_payees ?? []).filter(at => at < complete_from && at >= time - BASELINE_LENGTH && at < time - DAY);
  return episodesOutside(
    news.map(at => ({ at, usd: 0, is_new: true, excess: 0 })),
    [news.length, news.length],
    length,
  );
};

const nothing = (): WithinTime => ({ usd: 0, payments: 0, new_payees: 0, excess: 0 });

/** What these come to, as one episode. */
export function episodeOf(parts: readonly EpisodePart[]): WithinTime {
  const episode = nothing();
  for (const part of parts) add(episode, part);
  return episode;
}

function add(episode: WithinTime, { usd, is_new, excess }: EpisodePart): void {
  episode.usd += usd;
  episode.payments += 1;
  if (is_new) episode.new_payees += 1;
  episode.excess += excess;
}

/**
 * The hours of the 30 days until `time` that lie before all payments at hand. They are loaded where those cost more than `least_usd`
 * together; else, and where the payments at hand are all there were, there are none.
 */
export const olderHours = (
  { hours, complete_from, spend_micro }: History,
  time: number,
  least_usd: number,
): readonly AgentHour[] =>
  Number(spend_micro) / 1e6 > least_usd
    ? hoursFrom(hours, time - BASELINE_LENGTH, Math.min(time - DAY, complete_from - HOUR + 1))
    : [];

/** The same from the hours of a busy agent, which are whole clock hours. */
export function episodesOfHours(hours: readonly AgentHour[], time: number, length: number): WithinTime[] {
  const episodes: WithinTime[] = [];
  const past = hours.filter(({ hour }) => hour <= time - length - HOUR || hour >= time + length);
  for (let at = past.length - 1; at >= 0;) {
    const end = past[at]?.hour ?? 0;
    const episode = nothing();
    for (; at >= 0; at -= 1) {
      const row = past[at];
      if (!row || row.hour <= end - length) break;
      episode.usd += Number(row.spend_micro) / 1e6;
      episode.payments += row.payments;
    }
    episodes.push(episode);
  }
  return episodes;
}

/** How long the record goes back, in milliseconds; of a young one a day. */
export const spanOf = (first: number, last: number): number => Math.max(last - first, DAY);

/** What nine in ten of the payments stay within, in dollars; Infinity: there are none. */
export function nineTenths(past: readonly PaidPayment[]): number {
  const above = past.length - Math.min(past.length - 1, Math.floor(past.length * 0.9));
  return (
    largest(
      past.map(({ usd }) => usd),
      above,
    )[0] ?? Infinity
  );
}
