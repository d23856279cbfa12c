import { z } from 'zod';
import { firstFrom, type History, MOST_PAYMENTS } from '#shared/detection/model/history.ts';
import { isCut, nearHours } from '#shared/detection/model/near_hours.ts';
import { isPaid, type Payment } from '#shared/events/log/payment.ts';
import { countPayments } from '#shared/detection/model/counted.ts';
import { type Context, detector } from '#shared/detection/model/detector.ts';
import { AT_HAND, count, factor, seconds } from '#shared/detection/model/params.ts';
import { personOf } from '#shared/detection/model/references.ts';
import { score } from '#shared/detection/model/score.ts';
import { countAtHandText } from '#shared/detection/model/wording.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { DAY, formatDuration, HOUR, MINUTE, SECOND } from '#shared/values/time.ts';

/**
 * An agent pays for the same thing over and over, at a machine's pace or with rising attempt numbers. Batches that it pays on other days too, or for one person after the other, are none.
 */
export const runawayLoop = detector({
  name: 'runaway_loop',
  about: 'An agent pays for the same thing repeatedly, evenly spaced or as numbered retries.',
  params: z.strictObject({
    least: count(
      10,
      'Minimum payments',
      'Payments for the same thing within the window from which an alert is raised',
      {
        least: 2,
        most: AT_HAND,
      },
    ),
    window_s: seconds(300, 'Window', 'Length of the window'),
    regular_below: factor(
      0.5,
      'Max interval variation',
      'Standard deviation ÷ mean of the gaps between 20 payments or more; below this they count as evenly spaced. Fewer have to be more regular',
    ),
  }),
  judge(event, { history, payment, former, purposes }, { least, window_s, regular_below }) {
    if (former) return null;
    const { payments } = history;
    const length = window_s * SECOND;
    const from = firstFrom(payments, event.occurred_at - length + 1);
    const to = firstFrom(payments, event.occurred_at + length);
    if (to - from < least) return null;
    const alike = payments
      .slice(from, to)
      .filter(other => other.payee_id === payment.payee_id && purposeOf(other) === purposeOf(payment));
    const loop = alike.length < least ? null : longestLoop(alike, event.occurred_at, { least, length, regular_below });
    if (!loop) return null;
    const { run, rising } = loop;
    if (
      !rising &&
      (isBatch(run, history, event.occurred_at, { least, length }) || areForDifferentPeople(run, purposes))
    )
      return null;
    const { counted, seqs } = countPayments(run);
    const { payments: size, settled, spend_micro } = counted;
    const span = (run.at(-1)?.started_at ?? 0) - (run[0]?.started_at ?? 0);
    const pace = formatDuration(span / (size - 1));
    return {
      score: settled === 0 ? 90 : score(size, least),
      title: `${countAtHandText(size)} payments to {payee} in a loop within ${formatDuration(length)}`,
      explanation:
        `${countAtHandText(size)} payments to {payee}${purposeText(payment)} within ${formatDuration(span)}, ` +
        `${rising ? 'each a further attempt' : `at a regular pace, about one every ${pace}`}; ` +
        `an alert is raised from ${least} within ${formatDuration(length)}. ` +
        (settled === size ? 'All of them are settled.' : `${settled || 'None'} of them had settled by then.`) +
        (spend_micro > 0n
          ? ` ${size < MOST_PAYMENTS ? 'Together they' : `The latest ${size}`} cost ${formatUsdMicro(spend_micro)}.`
          : ''),
      subject: event.payee_id,
      counted,
      seqs,
    };
  },
});

/** Whether payments of one price each say for whom they are, and no two for the same person, such as the plans of all employees. */
function areForDifferentPeople(run: readonly Payment[], purposes: Context['purposes']): boolean {
  // What payments of several prices are for is not all known.
  if (run.some(({ price_key }) => price_key !== run[0]?.price_key) || run.filter(isPaid).length * 2 <= run.length)
    return false;
  const people = run.map(({ counted_seq }) => personOf(purposes.get(counted_seq)?.references ?? new Map()));
  return people.every(person => person !== null) && new Set(people).size === run.length;
}

type Limits = { least: number; length: number; regular_below: number };

/** The longest run of similar payments around `time`, within one window, that is evenly spaced or counts attempts up. */
function longestLoop(alike: readonly Payment[], time: number, { least, length, regular_below }: Limits) {
  let best: { run: readonly Payment[]; rising: boolean } | null = null;
  for (const [end, last] of alike.entries()) {
    if (last.started_at < time) continue;
    let [gaps, sum, squares] = [0, 0, 0];
    let rising = true;
    for (let start = end - 1; start >= 0; start -= 1) {
      const [payment, next] = [alike[start], alike[start + 1]];
      if (!payment || !next || last.started_at - payment.started_at >= length) break;
      const gap = next.started_at - payment.started_at;
      gaps += 1;
      sum += gap;
      squares += gap * gap;
      rising &&= payment.attempt !== null && next.attempt !== null && payment.attempt < next.attempt;
      const size = gaps + 1;
      const contains = payment.started_at <= time;
      if (
        contains &&
        size >= least &&
        size > (best?.run.length ?? 0) &&
        (rising || variationOf(gaps, sum, squares) < regular_below * likelyBelow(gaps))
      ) {
        best = { run: alike.slice(start, end + 1), rising };
      }
    }
  }
  return best;
}

/** So often at other times, half a day or more apart, it was a batch, and is how the agent works. */
const BATCHES = 2;
const APART = DAY / 2;
/** A loop of more than twice as many payments as batches have, or of more than twice as much money, is none of them. */
const MUCH_LARGER = 2;

/**
 * Whether the agent pays the payee in batches: at other times too, so many payments to it came within the window, at least half as many as now and
 * half as much. A loop that goes on for days is told on the first of them. What mostly fails is no batch. Batches that are most of what is at hand
 * leave no room there for those before them: then one is enough, or hours of that kind.
 */
function isBatch(
  run: readonly Payment[],
  history: History,
  time: number,
  { least, length }: Omit<Limits, 'regular_below'>,
) {
  const [first] = run;
  if (!first || run.filter(isPaid).length * 2 <= run.length) return false;
  const many = Math.max(least, Math.ceil(run.length / MUCH_LARGER));
  const cost = run.reduce((sum, { paid_micro }) => sum + paid_micro, 0n);
  const toPayee = history.paid.filter(other => other.payee_id === first.payee_id);
  const others = toPayee.filter(other => Math.abs((other.paid_at ?? 0) - first.started_at) > APART);
  let [batches, latest, from, sum] = [0, -Infinity, 0, 0n];
  for (const [index, { paid_at, paid_micro }] of others.entries()) {
    const at = paid_at ?? 0;
    sum += paid_micro;
    for (; (others[from]?.paid_at ?? 0) <= at - length; from += 1) sum -= others[from]?.paid_micro ?? 0n;
    if (index + 1 - from < many || sum * BigInt(MUCH_LARGER) < cost || at - latest < APART) continue;
    batches += 1;
    latest = at;
  }
  const hasNoRoom = history.complete_from > -Infinity && toPayee.length * 2 > history.paid.length;
  if (!hasNoRoom) return batches >= BATCHES;
  return batches > 0 || (isCut(history, time) && busyHours(history, time, run, { many, cost }) >= BATCHES);
}

/**
 * How often the agent had an hour like this one at other times: at least half as many payments, in all and in a minute, and in all as much spent as with
 * half the run.
 */
function busyHours(
  history: History,
  time: number,
  run: readonly Payment[],
  { many, cost }: { many: number; cost: bigint },
): number {
  const hours = nearHours(history, time);
  const here = hours.filter(({ hour }) => Math.abs(hour - time) <= HOUR);
  const now = here.reduce((most, { payments }) => Math.max(most, payments), 0);
  const ofMinutes = [...Map.groupBy(run, ({ started_at }) => Math.floor(started_at / MINUTE)).values()];
  const in_minute = ofMinutes.reduce((most, { length }) => Math.max(most, length), 0);
  let [busy, latest] = [0, -Infinity];
  for (const { hour, payments, spend_micro, busiest_minute } of hours) {
    if (Math.abs(hour - time) <= APART || hour - latest < APART || payments < many) continue;
    if (payments * MUCH_LARGER < now || busiest_minute * MUCH_LARGER < in_minute) continue;
    if (spend_micro * BigInt(MUCH_LARGER) < cost) continue;
    busy += 1;
    latest = hour;
  }
  return busy;
}

/** From so many gaps on, payments at random are almost never as regular as the parameter says. */
const ENOUGH_GAPS = 19;

/**
 * The part of the parameter that so few gaps have to stay below: payments at random (exponential gaps) do so once in 1,000 runs, as simulated,
 * and of ten payments 1 run in 33 would be below all of it.
 */
const likelyBelow = (gaps: number) => Math.min(1, (gaps / ENOUGH_GAPS) ** 0.6);

/** The coefficient of variation, from the count of the gaps, their sum and that of their squares. A single instant has no pace. */
function variationOf(gaps: number, sum: number, squares: number): number {
  const mean = sum / gaps;
  return mean > 0 ? Math.sqrt(Math.max(0, squares / gaps - mean * mean)) / mean : Infinity;
}

/** What was paid for: the resource, or else the tool. */
const purposeOf = ({ resource_key, tool_key }: Payment) => resource_key ?? tool_key;

const purposeText = ({ resource_key, tool_key }: Payment) =>
  resource_key !== null ? ' for the same resource' : tool_key !== null ? ' with the same tool' : '';
