import { isPaid, type Payment } from '#shared/events/log/payment.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { DAY, formatDuration, HOUR, MINUTE, SECOND } from '#shared/values/time.ts';
import { countPayments } from './counted.ts';
import type { Finding } from './detector.ts';
import { isDaily, isOddSum } from './paid_again.ts';
import { dateText } from './wording.ts';
import { isAlike } from './repeats.ts';

/** Payments of a run, such as a pay run, follow one another so soon. */
const SOON = 6 * HOUR;
/** So many payees that get the same again are a run, and so many where the agent has no longer record than so many payments on so many days. */
const [LEAST_PAYEES, LEAST_UNKNOWN, LEAST_OTHERS, LEAST_SPAN] = [4, 10, 8, 2 * DAY];
/** So many payees are a run whatever the sums, where they got nothing else, and each so long after the first as the others but for so much. */
const [LEAST_ONCE, SHIFT] = [6, 30 * MINUTE];
/** From so much on a sum is one that tells, and all of them together matter. */
const [LEAST_MICRO, LEAST_TOTAL_MICRO] = [1_000_000n, 50_000_000n];
/** Pairs of equal sums beside the run that are chance: with more, this is how the agent pays. */
const MOST_OTHER_PAIRS = 1;

type Windows = { window_s: number; same_sum_window_s: number };
type IsOne = (payment: Payment, other: Payment) => boolean;
/** `is_once`: the payee got the sum at no other time. */
type Repeat = { first: Payment; second: Payment; is_once: boolean };

/**
 * The finding that a run of payments was made a second time: soon after one another, several payees get the odd sums again that each of them had got
 * once before, or more payees whatever they had got, if that was all; whatever tool calls paid them. Null where those are too few, or no half of what the agent pays meanwhile, or where it pays equal
 * sums so soon at other times too. `isOther`: whether another payment is known to be for something else than this one; `isContinued`: whether two
 * are one, reported under two ids.
 */
export function runAgain(
  payment: Payment,
  paid: readonly Payment[],
  { isOther, isContinued }: { isOther: (other: Payment) => boolean; isContinued: IsOne },
  limits: Windows,
): Finding | null {
  if (!isTelling(payment) || !mayRepeat(payment, paid, limits)) return null;
  const equal = paid.filter(other => other === payment || isAlike(other, payment));
  const pair = repeatAmong(equal, limits);
  if (pair?.second !== payment || isOther(pair.first)) return null;
  // What was paid before both is one of a run only if it came again when the rest of it did.
  const repeats = repeatsOf(paid, isContinued, limits).filter(
    each => each.is_once || Math.abs(gapOfRepeat(each) - gapOfRepeat(pair)) <= SHIFT,
  );
  const run = runAround(payment, repeats);
  const [start, until] = [paidAt(run[0]?.second), paidAt(run.at(-1)?.second)];
  const [shortest, longest] = [Math.min(...run.map(gapOfRepeat)), Math.max(...run.map(gapOfRepeat))];
  const odd = payeesOf(run.filter(isOdd));
  const before = paid.filter(other => isTelling(other) && paidAt(other) < start - longest);
  const isKnown = before.length > LEAST_OTHERS && start - longest - paidAt(before[0]) >= LEAST_SPAN;
  const isOddRun = odd.size >= (isKnown ? LEAST_PAYEES : LEAST_UNKNOWN);
  const payees = payeesOf(run);
  if (!isOddRun && (!isKnown || payees.size < LEAST_ONCE || longest - shortest > SHIFT)) return null;
  const total = run.reduce((sum, { second }) => sum + second.paid_micro, 0n);
  const meanwhile = paid.filter(other => isTelling(other) && paidAt(other) >= start && paidAt(other) <= until);
  const others = repeats.filter(
    each => !run.includes(each) && each.is_once && gapOfRepeat(each) <= 3 * longest && (!isOddRun || isOdd(each)),
  );
  if (total < LEAST_TOTAL_MICRO || meanwhile.length > 2 * run.length || others.length > MOST_OTHER_PAIRS) return null;
  const gaps = [...new Set([formatDuration(shortest), formatDuration(longest)])].join(' to ');
  return {
    score: 80,
    title: `Paid ${payees.size} payees the same sums again`,
    explanation:
      `Within ${formatDuration(until - start)}, ${payees.size} payees got sums again that each of them had got before, ${gaps} earlier: ` +
      `${formatUsdMicro(total)} in ${run.length} payments, as when a pay run is made twice. An alert is raised when at least ${isOddRun ? (isKnown ? LEAST_PAYEES : LEAST_UNKNOWN) : LEAST_ONCE} payees ${isOddRun ? 'get the same odd sums again' : 'that got nothing else get the same sums again'}, ` +
      `at most ${formatDuration(SOON)} after one another and each at most ${formatDuration(limits.same_sum_window_s * SECOND)} after the first, where the agent does not pay like that at other times.`,
    subject: `run of ${dateText(start)}`,
    ...countPayments(inOrder(run.flatMap(({ first, second }) => [first, second]))),
  };
}

/** The repeats around a payment, in order, each soon after the one before, whichever of them was reported last. */
function runAround(payment: Payment, repeats: readonly Repeat[]): Repeat[] {
  const isSoon = (a: Repeat | undefined, b: Repeat | undefined) =>
    a && b && paidAt(b.second) - paidAt(a.second) <= SOON;
  let from = repeats.findIndex(({ second }) => second === payment);
  if (from < 0) return [];
  let to = from;
  while (isSoon(repeats[from - 1], repeats[from])) from -= 1;
  while (isSoon(repeats[to], repeats[to + 1])) to += 1;
  return repeats.slice(from, to + 1);
}

const keyOf = ({ payee_id, price_key }: Payment) => `${payee_id} ${price_key}`;
const paidAt = (payment: Payment | undefined): number => payment?.paid_at ?? 0;
const gapOfRepeat = ({ first, second }: Pick<Repeat, 'first' | 'second'>) => paidAt(second) - paidAt(first);
const isTelling = (payment: Payment) => isPaid(payment) && payment.paid_micro >= LEAST_MICRO;
const inOrder = (payments: readonly Payment[]) => payments.toSorted((a, b) => paidAt(a) - paidAt(b));

const payeesOf = (repeats: readonly Repeat[]) => new Set(repeats.map(({ second }) => second.payee_id));
const isOdd = ({ second }: Repeat) => isOddSum(second);

/** Sums that a payee got twice, odd ones or nothing else, in the order of the second, so far apart as two runs are. */
function repeatsOf(paid: readonly Payment[], isContinued: IsOne, limits: Windows): Repeat[] {
  const telling = paid.filter(isTelling);
  const got = new Map<string, number>();
  for (const { payee_id } of telling) got.set(payee_id, (got.get(payee_id) ?? 0) + 1);
  const groups = Map.groupBy(
    telling.filter(each => isOddSum(each) || got.get(each.payee_id) === 2),
    keyOf,
  );
  const repeats = [...groups.values()].flatMap((equal): Repeat[] => {
    const pair = repeatAmong(equal, limits);
    return pair && !isContinued(pair.second, pair.first) ? [pair] : [];
  });
  return repeats.toSorted((a, b) => paidAt(a.second) - paidAt(b.second));
}

/** Whether a payment may be the second of a run, by the two equal ones before it: few are, and to know of them the whole list need not be read. */
function mayRepeat(payment: Payment, paid: readonly Payment[], limits: Windows): boolean {
  let first: Payment | null = null;
  for (let place = paid.lastIndexOf(payment) - 1; place >= 0; place -= 1) {
    const other = paid[place];
    if (!other || !isAlike(other, payment)) continue;
    const pair = { first: first ?? other, second: payment };
    if (first) return gapOfRepeat({ first: other, second: first }) >= PERIODS * gapOfRepeat(pair);
    if (!isRepeat(pair, limits)) return false;
    first = other;
  }
  return first !== null;
}

/** The one of these equal payments, in order, that came again so soon, while all others are a pay period or more apart; null: there is none. */
function repeatAmong(equal: readonly Payment[], limits: Windows): Repeat | null {
  const gapBefore = (place: number) => paidAt(equal[place]) - paidAt(equal[place - 1]);
  let [closest, next] = [0, 0];
  for (let place = 1; place < equal.length; place += 1) {
    if (closest === 0 || gapBefore(place) < gapBefore(closest)) [closest, next] = [place, closest];
    else if (next === 0 || gapBefore(place) < gapBefore(next)) next = place;
  }
  const repeatAt = (place: number): Repeat | null => {
    const [first, second] = [equal[place - 1], equal[place]];
    return first && second && isRepeat({ first, second }, limits)
      ? { first, second, is_once: equal.length === 2 }
      : null;
  };
  const isAlone = next === 0 || (gapBefore(next) >= PERIODS * gapBefore(closest) && !repeatAt(next));
  return isAlone ? repeatAt(closest) : null;
}

/** Whoever is paid on Mondays and Thursdays gets the same again after three days and after four. */
const PERIODS = 3;

/** Whether the second came as long after the first as the second of two runs. */
function isRepeat(
  { first, second }: Pick<Repeat, 'first' | 'second'>,
  { window_s, same_sum_window_s }: Windows,
): boolean {
  const gap = gapOfRepeat({ first, second });
  return (
    gap > window_s * SECOND &&
    gap <= same_sum_window_s * SECOND &&
    !isDaily(gap) &&
    first.refunded_micro === 0n &&
    !isForAnother(first, second)
  );
}

/** What is named is bought again, and another thing at the same price. */
const isForAnother = (first: Payment, second: Payment) =>
  first.resource_key !== null && second.resource_key !== null && first.resource_key !== second.resource_key;
