import { z } from 'zod';
import type { Baseline } from '#shared/detection/model/baseline.ts';
import type { History } from '#shared/detection/model/history.ts';
import type { Payment } from '#shared/events/log/payment.ts';
import { countPayments } from '#shared/detection/model/counted.ts';
import { detector, type Finding } from '#shared/detection/model/detector.ts';
import { count, factor } from '#shared/detection/model/params.ts';
import { score } from '#shared/detection/model/score.ts';
import { densestWindow } from '#shared/detection/model/windows.ts';
import { spanText } from '#shared/detection/model/wording.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { formatDuration, HOUR, MINUTE } from '#shared/values/time.ts';

/** More payments than the agent usually makes, in a minute or in an hour. */
const windows = [
  { length: MINUTE, least: 'per_minute', usual: (baseline: Baseline) => baseline.p95_payments_per_minute },
  { length: HOUR, least: 'per_hour', usual: (baseline: Baseline) => baseline.p95_payments_per_hour },
] as const;

const VelocityParams = z.strictObject({
  per_minute: count(21, 'Minimum payments per minute', 'Payments within a minute from which an alert is raised'),
  per_hour: count(201, 'Minimum payments per hour', 'Payments within an hour from which an alert is raised'),
  times_usual: factor(
    3,
    'Multiple of usual rate',
    'The rate must also reach this multiple of what the agent reaches in 95% of its active hours',
  ),
});

export const velocityCount = detector({
  name: 'velocity_count',
  about: 'An agent makes more payments per minute or per hour than usual.',
  params: VelocityParams,
  needs: ({ per_minute, per_hour }) => ({ per_minute, per_hour }),
  behavioral: { asks: ({ per_minute, per_hour }) => ({ per_minute, per_hour }) },
  judge(event, { history, payment, former, baseline, between }, params) {
    // A later event of a payment adds no payment.
    if (former) return null;
    const findings = windows.flatMap((window): Finding[] => {
      const inside = densestWindow(history.payments, event.occurred_at, window.length);
      const most = reachesBeyond(history, event.occurred_at, window.length)
        ? Math.max(...windowsAround(event.occurred_at, window.length).map(([from, to]) => between(from, to).payments))
        : 0;
      const observed = Math.max(inside.length, most);
      const least = params[window.least];
      if (observed < least) return [];
      const usual = window.usual(baseline());
      const ownThreshold = Math.ceil((Math.round(params.times_usual * 1_000_000) * usual) / 1_000_000);
      const threshold = Math.max(least, ownThreshold);
      if (observed < threshold) return [];
      const length = formatDuration(window.length);
      // A payment that started too long ago is not kept.
      const evidence = inside.length > 0 ? inside : [payment];
      return [
        {
          score: score(observed, threshold),
          title: `${observed} payments within ${length}`,
          explanation:
            `${observed} payments within ${length}; an alert is raised from ${threshold}. ` +
            (usual === 0
              ? 'The agent has no earlier activity in the last 30 days to compare with.'
              : `In 95% of its active hours of the last 30 days this agent made no more than ${usual} within ${length}` +
                (ownThreshold > least ? `, and ${params.times_usual} times that is the threshold.` : '.')) +
            describe(evidence, observed),
          subject: '',
          ...countPayments(evidence),
        },
      ];
    });
    return findings.toSorted((a, b) => b.score - a.score)[0] ?? null;
  },
});

/** The times and costs of the payments. If not all are kept, of those that are. */
function describe(inside: readonly Payment[], observed: number): string {
  const { payments, spend_micro } = countPayments(inside).counted;
  const cost = spend_micro > 0n ? ` and cost ${formatUsdMicro(spend_micro)} together` : '';
  const which = payments === observed ? 'They' : `This alert names ${payments} payments of that time, which`;
  return ` ${which} were made ${spanText(inside.map(({ started_at }) => started_at))}${cost}.`;
}

/** Whether a window around `time` reaches back further than the kept payments. */
export const reachesBeyond = ({ complete_from }: History, time: number, length: number) =>
  time - length < complete_from;

/** The windows that end and begin with the minute of `time`. */
export const windowsAround = (time: number, length: number): [from: number, to: number][] => {
  const minute = time - (time % MINUTE);
  return [
    [minute + MINUTE - length, minute + MINUTE],
    [minute, minute + length],
  ];
};
