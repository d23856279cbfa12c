import { z } from 'zod';
import { firstFrom } from '#shared/detection/history.ts';
import { type Payment, spendOf } from '#shared/detection/payment.ts';
import { detector } from '#shared/detectors/detector.ts';
import { score } from '#shared/detectors/score.ts';
import { formatUsdMicro } from '#shared/money.ts';
import { formatDuration, MINUTE } from '#shared/time.ts';

const LEAST = 10;
const WITHIN = 5 * MINUTE;
const REGULAR = 0.5;

/** An agent that pays for the same thing over and over, at the pace of a machine or counting its attempts up. */
export const runawayLoop = detector({
  name: 'runaway_loop',
  about: 'An agent pays for the same thing over and over, at the pace of a machine or counting its attempts up.',
  params: z.strictObject({}),
  judge(event, { history, payment, former }) {
    if (former) return null;
    const { payments } = history;
    const from = firstFrom(payments, event.occurred_at - WITHIN + 1);
    const to = firstFrom(payments, event.occurred_at + WITHIN);
    if (to - from < LEAST) return null;
    const alike = payments
      .slice(from, to)
      .filter(other => other.payee_id === payment.payee_id && purposeOf(other) === purposeOf(payment));
    const loop = alike.length < LEAST ? null : longestLoop(alike, event.occurred_at);
    if (!loop) return null;
    const { run, rising } = loop;
    const settled = run.filter(payment => payment.settled).length;
    const span = formatDuration((run.at(-1)?.started_at ?? 0) - (run[0]?.started_at ?? 0));
    const spent = run.reduce((sum, payment) => sum + spendOf(payment), 0n);
    return {
      score: settled === 0 ? 90 : score(run.length, LEAST),
      title: `${run.length} payments to {payee} in a loop`,
      explanation:
        `${run.length} payments to {payee} for the same thing within ${span}, ${rising ? 'each a further attempt' : 'evenly spaced as by a machine'}; ` +
        `an alert is raised from ${LEAST} within ${formatDuration(WITHIN)}. ` +
        (settled === 0 ? 'None of them is settled.' : `${settled} of them are settled.`) +
        (spent > 0n ? ` Together they cost ${formatUsdMicro(spent)}.` : ''),
      subject: event.payee_id,
      seqs: run.map(payment => payment.latest_seq),
    };
  },
});

/** The longest run of like payments around `time`, within one window, that is evenly spaced or counts attempts up. */
function longestLoop(alike: readonly Payment[], time: number) {
  let best: { run: readonly Payment[]; rising: boolean } | null = null;
  for (const [end, last] of alike.entries()) {
    if (last.started_at < time) continue;
    let [gaps, sum, squares] = [0, 0, 0];
    let rising = true;
    for (let start = end - 1; start >= 0; start -= 1) {
      const [payment, next] = [alike[start], alike[start + 1]];
      if (!payment || !next || last.started_at - payment.started_at >= WITHIN) break;
      const gap = next.started_at - payment.started_at;
      gaps += 1;
      sum += gap;
      squares += gap * gap;
      rising &&= payment.attempt !== null && next.attempt !== null && payment.attempt < next.attempt;
      const length = gaps + 1;
      const contains = payment.started_at <= time;
      if (
        contains &&
        length >= LEAST &&
        length > (best?.run.length ?? 0) &&
        (rising || isRegular(gaps, sum, squares))
      ) {
        best = { run: alike.slice(start, end + 1), rising };
      }
    }
  }
  return best;
}

/** Coefficient of variation below 0.5, from the count of the gaps, their sum and that of their squares. One instant has no pace. */
function isRegular(gaps: number, sum: number, squares: number): boolean {
  const mean = sum / gaps;
  return mean > 0 && Math.sqrt(Math.max(0, squares / gaps - mean * mean)) / mean < REGULAR;
}

/** What was paid for: the resource, else the tool. */
const purposeOf = ({ resource_key, tool_key }: Payment) => resource_key ?? tool_key;
