import type { Baseline } from '#shared/detection/baseline.ts';
import { firstFrom, type History } from '#shared/detection/history.ts';
import type { DetectionEvent } from '#shared/detection/payment.ts';
import type { Detector, Finding } from '#shared/detectors/detector.ts';
import { score } from '#shared/detectors/score.ts';
import { densestWindow } from '#shared/detectors/windows.ts';
import { formatDuration, HOUR, MINUTE } from '#shared/time.ts';

/** More payments than the agent makes, in a minute or in an hour. */
const windows = [
  { length: MINUTE, least: 21, usual: (baseline: Baseline) => baseline.p95_payments_per_minute },
  { length: HOUR, least: 201, usual: (baseline: Baseline) => baseline.p95_payments_per_hour },
];
const TIMES_USUAL = 3;

export const velocityCount: Detector = {
  name: 'velocity_count',
  judge(event, { history, former, baseline, since }) {
    // A later event of a payment adds no payment.
    if (former) return null;
    const findings = windows.flatMap((window): Finding[] => {
      const inside = densestWindow(history.payments, event.occurred_at, window.length);
      if (inside.length < window.least) return [];
      const usual = window.usual(baseline());
      const threshold = Math.max(window.least, TIMES_USUAL * usual);
      const observed = reachesBeyond(history, event, window.length)
        ? Math.max(inside.length, since(event.occurred_at - window.length + 1).payments)
        : inside.length;
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
};

/** Whether the window reaches back further than the payments at hand. */
export const reachesBeyond = ({ payments, truncated }: History, { occurred_at }: DetectionEvent, length: number) =>
  truncated && firstFrom(payments, occurred_at - length + 1) === 0;
