import { isPaid, type Payment } from '#shared/events/log/payment.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { DAY, formatDuration, HOUR, SECOND } from '#shared/values/time.ts';
import { countPayments } from './counted.ts';
import type { Finding } from './detector.ts';
import { isDaily, isOddSum } from './paid_again.ts';
import { isAlike } from './repeats.ts';

/** A run of payments, such as a pay run, takes so long at most. */
const LONGEST_RUN = 6 * HOUR;
/** So many payees that get the same again are a run, and so many where the agent has no longer record than so many payments on so many days. */
const [LEAST_PAYEES, LEAST_UNKNOWN, LEAST_OTHERS, LEAST_SPAN] = [3, 5, 8, 2 * DAY];
/** From so much on a sum is one that tells, and all of them together matter. */
const [LEAST_MICRO, LEAST_TOTAL_MICRO] = [1_000_000n, 50_000_000n];
/** Pairs of equal sums before the run that are chance: with more, this is how the agent pays. */
const MOST_OTHER_PAIRS = 1;

type Windows = { window_s: number; same_sum_window_s: number };
type IsOne = (payment: Payment, other: Payment) => boolean;
type Repeat = { first: Payment; second: Payment };

/**
 * The finding that a run of payments was made a second time: one after the other, several payees get the odd sums again that each of them had got
 * once before, whatever tool calls paid them. Null where those are too few, or no half of what the agent pays meanwhile, or where it pays equal
 * sums so soon at other times too. `isOther`: whether another payment is known to be for something else than this one; `isContinued`: whether two
 * are one, reported under two ids.
 */
export function runAgain(
  payment: Payment,
  paid: readonly Payment[],
  { isOther, isContinued }: { isOther: (other: Payment) => boolean; isContinued: IsOne },
  limits: Windows,
): Finding | null {
  if (!isTelling(payment) || !isOddSum(payment)) return null;
  const [twin, ...more] = paid.filter(other => isAlike(other, payment));
  if (!twin || more.length > 0 || isOther(twin) || !isRepeat({ first: twin, second: payment }, limits)) return null;
  const until = payment.paid_at ?? 0;
  const from = until - LONGEST_RUN;
  const repeats = repeatsOf(paid, isContinued, limits);
  const run = repeats.filter(({ second }) => isWithin(second, from, until));
  const payees = new Set(run.map(({ second }) => second.payee_id));
  const [start, longest] = [run[0]?.second.paid_at ?? until, Math.max(...run.map(gapOfRepeat))];
  const before = paid.filter(other => isTelling(other) && (other.paid_at ?? 0) < start - longest);
  const isKnown = before.length > LEAST_OTHERS && start - longest - (before[0]?.paid_at ?? until) >= LEAST_SPAN;
  if (run.at(-1)?.second !== payment || payees.size < (isKnown ? LEAST_PAYEES : LEAST_UNKNOWN)) return null;
  const total = run.reduce((sum, { second }) => sum + second.paid_micro, 0n);
  const meanwhile = paid.filter(other => isTelling(other) && isWithin(other, start, until));
  const others = repeats.filter(each => (each.second.paid_at ?? 0) < from && gapOfRepeat(each) <= 3 * longest);
  if (total < LEAST_TOTAL_MICRO || meanwhile.length > 2 * run.length || others.length > MOST_OTHER_PAIRS) return null;
  const shortest = Math.min(...run.map(gapOfRepeat));
  const gaps = [...new Set([formatDuration(shortest), formatDuration(longest)])].join(' to ');
  return {
    score: 80,
    title: `Paid ${payees.size} payees the same sums again`,
    explanation:
      `Within ${formatDuration(until - start)}, ${payees.size} payees got sums again that each of them had got once before, ${gaps} earlier: ` +
      `${formatUsdMicro(total)} in ${run.length} payments, as when a pay run is made twice. An alert is raised when at least ${isKnown ? LEAST_PAYEES : LEAST_UNKNOWN} payees get ` +
      `the same odd sums again within ${formatDuration(LONGEST_RUN)}, each at most ${formatDuration(limits.same_sum_window_s * SECOND)} after the first, where the agent does not pay like that at other times.`,
    subject: `run of ${run[0]?.second.payment_id ?? ''}`,
    ...countPayments(inOrder(run.flatMap(({ first, second }) => [first, second]))),
  };
}

const keyOf = ({ payee_id, price_key }: Payment) => `${payee_id} ${price_key}`;
const gapOfRepeat = ({ first, second }: Repeat) => (second.paid_at ?? 0) - (first.paid_at ?? 0);
const isTelling = (payment: Payment) => isPaid(payment) && payment.paid_micro >= LEAST_MICRO;
const isWithin = ({ paid_at }: Payment, from: number, to: number) => (paid_at ?? 0) >= from && (paid_at ?? 0) <= to;
const inOrder = (payments: readonly Payment[]) => payments.toSorted((a, b) => (a.paid_at ?? 0) - (b.paid_at ?? 0));

/** Odd sums that a payee got exactly twice, in the order of the second, so far apart as two runs are. */
function repeatsOf(paid: readonly Payment[], isContinued: IsOne, limits: Windows): Repeat[] {
  const groups = Map.groupBy(
    paid.filter(each => isTelling(each) && isOddSum(each)),
    keyOf,
  );
  const repeats = [...groups.values()].flatMap(([first, second, ...more]): Repeat[] => {
    const isOne = first && second && more.length === 0 && isRepeat({ first, second }, limits);
    return isOne && !isContinued(second, first) ? [{ first, second }] : [];
  });
  return repeats.toSorted((a, b) => (a.second.paid_at ?? 0) - (b.second.paid_at ?? 0));
}

/** Whether the second came as long after the first as the second of two runs. */
function isRepeat({ first, second }: Repeat, { window_s, same_sum_window_s }: Windows): boolean {
  const gap = gapOfRepeat({ first, second });
  return gap > window_s * SECOND && gap <= same_sum_window_s * SECOND && !isDaily(gap) && first.refunded_micro === 0n;
}
