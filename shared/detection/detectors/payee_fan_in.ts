import { z } from 'zod';
import { MOST_STARTS } from '#shared/detection/model/payees.ts';
import { detector } from '#shared/detection/model/detector.ts';
import type { Payers } from '#shared/detection/model/payers.ts';
import { count } from '#shared/detection/model/params.ts';
import { score } from '#shared/detection/model/score.ts';
import { learnFanIn, strengthOfFanIn } from '#shared/detection/model/spreads.ts';
import { densestTimes } from '#shared/detection/model/times.ts';
import { momentText } from '#shared/detection/model/wording.ts';
import { type DetectionEvent, type Payment, spendOf } from '#shared/events/log/payment.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { DAY, formatDuration, SECOND } from '#shared/values/time.ts';

/** So many agents are the fewest that are learned from. */
const LEAST = 5;

/** Several agents begin to pay a payee that no one paid until a few days ago. */
export const payeeFanIn = detector({
  name: 'payee_fan_in',
  about: 'Several agents start paying the same new payee at about the same time.',
  whichever_agent: true,
  params: z.strictObject({
    least: count(LEAST, 'Minimum agents', 'Agents that start paying the payee from which an alert is raised', {
      least: 2,
      most: MOST_STARTS,
    }),
    window_s: windowOf(86_400, 'Window', 'Time within which they must start paying'),
    young_s: windowOf(604_800, 'Maximum payee age', 'How recently the payee must have been paid for the first time'),
  }),
  behavioral: {
    rarity(event, { payee, payment, spreads }) {
      const starts = payee.starts ?? [];
      const until = starts.map(({ at }) => at);
      const strength = strengthAround(until, event.occurred_at) ?? 0;
      // Each agent more makes it stronger: only the latest can have been as strong. Each is looked at without those that came after it.
      const earlier = starts.filter(({ agent_id }) => agent_id !== event.agent_id);
      const times = earlier.map(({ at }) => at);
      const latest = earlier.toSorted((a, b) => b.seq - a.seq).slice(0, NOTED);
      const noted = latest.flatMap(({ at }) => {
        const former = strengthAround(times, at);
        times.splice(times.indexOf(at), 1);
        return former ?? [];
      });
      const paid = paidByEach(event, payment, payee.payers, until.length);
      const usd = paid[Math.floor(paid.length / 2)] ?? 0;
      const learned = learnFanIn(spreads, { strength, usd, is_account: payee.key.startsWith('account:') }, noted);
      // Whom agents paid on the first day of a log is new only because the log is.
      const isKnown = (payee.first_paid_at ?? 0) < (spreads.since ?? 0) + DAY;
      return { expected: isKnown ? Infinity : learned, per_month: 1, among: 'months of an agent' };
    },
  },
  judge(event, { payee, payment, is_new_payee }, { least, window_s, young_s }) {
    const { starts, first_paid_at } = payee;
    if (!is_new_payee || !starts || first_paid_at === null || starts.length < least) return null;
    if (event.occurred_at - first_paid_at >= young_s * SECOND) return null;
    const times = densestTimes(
      starts.map(({ at }) => at),
      event.occurred_at,
      window_s * SECOND,
    );
    const inside = starts.filter(({ at }) => at >= (times[0] ?? 0) && at <= (times.at(-1) ?? 0));
    if (inside.length < least) return null;
    const paid = paidByEach(event, payment, payee.payers, inside.length);
    if (paid.reduce((sum, usd) => sum + usd, 0) < LEAST_FANNED_USD) return null;
    const length = formatDuration(window_s * SECOND);
    return {
      score: Math.max(70, score(inside.length, least)),
      title: `${inside.length} agents began to pay {payee} within ${length}`,
      explanation:
        `${inside.length} agents paid {payee} for the first time within ${length}, the latest of them ${formatUsdMicro(spendOf(payment))}, ` +
        `with no payment to it before ${momentText(first_paid_at)}; ` +
        `an alert is raised from ${least} agents, for a payee first paid less than ${formatDuration(young_s * SECOND)} before. ` +
        'Find out what makes them pay it: they may have been led to it by the same page, tool or message.',
      subject: event.payee_id,
      counted: { payments: inside.length },
      seqs: inside.map(({ seq }) => seq),
    };
  },
});

/** Some cents of a few agents are nothing that anybody has to see to. */
const LEAST_FANNED_USD = 0.25;

/**
 * What so many agents paid a payee at most, in dollars, in order, as far as it is known: of those of whom it is not, and who paid little, as much as
 * now. What has no price may be much.
 */
function paidByEach({ usd_micro }: DetectionEvent, payment: Payment, payers: Payers, count: number): number[] {
  const usd = usd_micro === null ? Infinity : Number(spendOf(payment)) / 1e6;
  const known = payers.slice(-count).map(([, most]) => most);
  return [...known, ...Array.from({ length: count - known.length }, () => usd)].toSorted((a, b) => a - b);
}

const NOTED = 8;

/** How strong the fan-in around a time is among these first payments, in order of time; null where they are too few for one. */
function strengthAround(times: readonly number[], time: number): number | null {
  const inside = densestTimes(times, time, DAY);
  return inside.length < LEAST ? null : strengthOfFanIn(inside.length, (inside.at(-1) ?? 0) - (inside[0] ?? 0));
}

/** A window in seconds of at most a week: payees are not watched longer. */
function windowOf(preset: number, title: string, description: string) {
  return z
    .int()
    .min(1)
    .max(604_800)
    .default(preset)
    .meta({ title, description: `${description}, in seconds` });
}
