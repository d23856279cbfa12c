import { z } from 'zod';
import type { Baseline } from '#shared/detection/model/baseline.ts';
import { type Payment, spendOf } from '#shared/events/log/payment.ts';
import { countPayments } from '#shared/detection/model/counted.ts';
import { detector, type Finding } from '#shared/detection/model/detector.ts';
import { timesExactly } from '#shared/detection/model/exact.ts';
import { factor, microUsd, usd } from '#shared/detection/model/params.ts';
import { bigMax, bigMin, ratio, score } from '#shared/detection/model/score.ts';
import { reachesBeyond, windowsAround } from './velocity_count.ts';
import { amountsText, spanText } from '#shared/detection/model/wording.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { DAY, formatDuration, HOUR } from '#shared/values/time.ts';

/** More money than the agent usually spends, in an hour or in a day. */
const windows = [
  {
    length: HOUR,
    floor: 'hour_floor_usd',
    times: 'hour_times_usual',
    usual: (baseline: Baseline) => baseline.median_spend_per_hour,
    unit: 'hour',
  },
  {
    length: DAY,
    floor: 'day_floor_usd',
    times: 'day_times_usual',
    usual: (baseline: Baseline) => baseline.median_spend_per_day,
    unit: 'day',
  },
] as const;

const SpendParams = z.strictObject({
  hour_floor_usd: usd('50', 'Minimum spend per hour', 'Spend within an hour above which an alert is possible'),
  hour_times_usual: factor(
    5,
    'Multiple of median hour',
    'The spend must also exceed this multiple of the agent’s median active hour',
  ),
  day_floor_usd: usd('200', 'Minimum spend per day', 'Spend within 24 hours above which an alert is possible'),
  day_times_usual: factor(
    4,
    'Multiple of median day',
    'The spend must also exceed this multiple of the agent’s median active day',
  ),
});

export const spendVelocity = detector({
  name: 'spend_velocity',
  about: 'An agent spends more per hour or per day than usual.',
  by_price: true,
  params: SpendParams,
  needs: ({ hour_floor_usd, day_floor_usd }) => ({
    spend_micro: bigMin(microUsd(hour_floor_usd), microUsd(day_floor_usd)),
  }),
  behavioral: {
    asks: ({ hour_floor_usd, day_floor_usd, hour_times_usual, day_times_usual }) => ({
      hour_usd: Number(hour_floor_usd),
      day_usd: Number(day_floor_usd),
      hour_times: hour_times_usual,
      day_times: day_times_usual,
    }),
  },
  judge(event, { history, payment, former, baseline, between }, params) {
    const added = spendOf(payment) - (former ? spendOf(former) : 0n);
    if (added <= 0n) return null;
    const findings = windows.flatMap((window): Finding[] => {
      const at = payment.paid_at ?? event.occurred_at;
      const summed = reachesBeyond(history, at, window.length)
        ? windowsAround(at, window.length)
            .map(([from, to]) => between(from, to).spend_micro)
            .reduce(bigMax)
        : 0n;
      // No window costs more than all recent payments: this decides most events without sums or a baseline.
      const least = microUsd(params[window.floor]);
      if (bigMax(history.spend_micro, summed) <= least) return [];
      const most = bigMax(spentNear(history.payments, at, window.length), summed);
      if (most <= least) return [];
      const usual = window.usual(baseline());
      const times = params[window.times];
      const threshold = bigMax(least, timesExactly(usual, times));
      if (most <= threshold) return [];
      const { spent, inside } = dearestWindow(history.payments, at, window.length);
      const observed = bigMax(spent, summed);
      if (observed - accustomed(inside, history.payments, window.length) <= threshold) return [];
      const length = formatDuration(window.length);
      // A payment made too long ago is not kept.
      const evidence = inside.length > 0 ? inside : [payment];
      const [observedText, thresholdText] = amountsText(observed, threshold);
      return [
        {
          score: score(ratio(observed, bigMax(threshold, 1n)), 1),
          title: `${observedText} spent within ${length}`,
          explanation:
            `${observedText} spent within ${length}; an alert is raised above ${thresholdText}. ` +
            (usual === 0n
              ? `The agent has no earlier active ${window.unit} in the last 30 days to compare with.`
              : `What it spends in its median active ${window.unit} of the last 30 days is ${formatUsdMicro(usual)}` +
                (threshold > least ? `, and ${times} times that is the threshold.` : '.')) +
            describe(evidence, spent === observed),
          subject: '',
          ...countPayments(evidence),
        },
      ];
    });
    return findings.toSorted((a, b) => b.score - a.score)[0] ?? null;
  },
});

/** The payments in words; if not all are kept, those that are. */
function describe(inside: readonly Payment[], is_all: boolean): string {
  const dearest = inside.reduce((most, payment) => bigMax(most, spendOf(payment)), 0n);
  if (is_all && inside.length === 1) return ' It is a single payment.';
  const span = spanText(inside.flatMap(({ paid_at }) => paid_at ?? []));
  const { payments, spend_micro } = countPayments(inside).counted;
  const which = is_all ? 'They are' : `This alert names ${formatUsdMicro(spend_micro)} of that time:`;
  return ` ${which} ${payments} payments ${span}, the largest of ${formatUsdMicro(dearest)}.`;
}

/**
 * The part of a window's spend for payees who received almost as much (to a tenth) before in an equal window: pay day and yearly licenses
 * are large, yet no larger than last time.
 */
function accustomed(inside: readonly Payment[], payments: readonly Payment[], length: number): bigint {
  const from = inside.reduce((least, { paid_at }) => Math.min(least, paid_at ?? Infinity), Infinity);
  const before = payments.filter(({ paid_at }) => paid_at !== null && paid_at < from);
  let sum = 0n;
  for (const [payee_id, list] of Map.groupBy(inside, payment => payment.payee_id)) {
    const spent = list.reduce((total, payment) => total + spendOf(payment), 0n);
    const most = dearest(
      before.filter(payment => payment.payee_id === payee_id),
      length,
    ).spent;
    if (spent * 10n <= most * 11n) sum += spent;
  }
  return sum;
}

/** The spend within `length` before or after `time`: no window that contains it costs more. */
function spentNear(payments: readonly Payment[], time: number, length: number): bigint {
  let sum = 0n;
  for (const payment of payments) {
    const at = payment.paid_at;
    if (at !== null && at > time - length && at < time + length) sum += spendOf(payment);
  }
  return sum;
}

/** The most expensive window of `length` that contains `time`, by when each payment first counted. */
const dearestWindow = (payments: readonly Payment[], time: number, length: number) =>
  dearest(
    payments.filter(({ paid_at }) => paid_at !== null && paid_at > time - length && paid_at < time + length),
    length,
  );

/** The most expensive of all windows of `length`. */
function dearest(payments: readonly Payment[], length: number) {
  const paid = payments
    .flatMap(payment => (payment.paid_at === null ? [] : [{ payment, at: payment.paid_at, spend: spendOf(payment) }]))
    .filter(({ spend }) => spend > 0n)
    .toSorted((a, b) => a.at - b.at);
  let from = 0;
  let spent = 0n;
  let best = { spent: 0n, from: 0, to: 0 };
  for (const [next, { at, spend }] of paid.entries()) {
    for (let first = paid[from]; first && first.at <= at - length; first = paid[from]) {
      spent -= first.spend;
      from += 1;
    }
    spent += spend;
    if (spent > best.spent) best = { spent, from, to: next + 1 };
  }
  return { spent: best.spent, inside: paid.slice(best.from, best.to).map(({ payment }) => payment) };
}
