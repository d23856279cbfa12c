import { z } from 'zod';
import type { Baseline } from '#shared/detection/baseline.ts';
import type { History } from '#shared/detection/history.ts';
import { detector, type Finding } from '#shared/detectors/detector.ts';
import { score } from '#shared/detectors/score.ts';
import { densestWindow } from '#shared/detectors/windows.ts';
import { formatDuration, HOUR, MINUTE } from '#shared/time.ts';

/** More payments than the agent makes, in a minute or in an hour. */
const windows = [
  { length: MINUTE, least: 21, usual: (baseline: Baseline) => baseline.p95_payments_per_minute },
  { length: HOUR, least: 201, usual: (baseline: Baseline) => baseline.p95_payments_per_hour },
];
const TIMES_USUAL = 3;

export const velocityCount = detector({
  name: 'velocity_count',
  about: 'An agent makes more payments in a minute or in an hour than it does as a rule.',
  params: z.strictObject({}),
  judge(event, { history, former, baseline, between }) {
    // A later event of a payment adds no payment.
    if (former) return null;
    const findings = windows.flatMap((window): Finding[] => {
      const inside = densestWindow(history.payments, event.occurred_at, window.length);
      const most = reachesBeyond(history, event.occurred_at, window.length)
        ? Math.max(...windowsAround(event.occurred_at, window.length).map(([from, to]) => between(from, to).payments))
        : 0;
      const observed = Math.max(inside.length, most);
      if (observed < window.least) return [];
      const usual = window.usual(baseline());
      const threshold = Math.max(window.least, TIMES_USUAL * usual);
      if (observed < threshold) return [];
      const length = formatDuration(window.length);
      return [
        {
          score: score(observed, threshold),
          title: `${observed} payments within ${length}`,
          explanation:
            `${observed} payments within ${length}; an alert is raised from ${threshold}. ` +
            (usual === 0
              ? 'The agent has no earlier activity in the last 30 days to compare with.'
              : `In 95 % of its active hours of the last 30 days this agent made no more than ${usual} within ${length}.`),
          subject: '',
          seqs: inside.map(payment => payment.latest_seq),
        },
      ];
    });
    return findings.toSorted((a, b) => b.score - a.score)[0] ?? null;
  },
});

/** Whether a window that contains `time` reaches back further than the payments at hand. */
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
