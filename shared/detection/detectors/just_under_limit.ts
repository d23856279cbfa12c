import { z } from 'zod';
import { isPaid, type Payment, type DetectionEvent } from '#shared/events/log/payment.ts';
import { countPayments } from '#shared/detection/model/counted.ts';
import { detector, type Finding } from '#shared/detection/model/detector.ts';
import { AT_HAND, count, share, UsdText, microUsd } from '#shared/detection/model/params.ts';
import { score } from '#shared/detection/model/score.ts';
import { percentText, spanText } from '#shared/detection/model/wording.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { DAY, formatDuration } from '#shared/values/time.ts';
import type { MandateVerdict, Verdict } from '#shared/assessment/verdict.ts';
import { MILLION, millionths } from '#shared/detection/model/exact.ts';
import type { ConstraintResult } from '#shared/mandates/evaluation.ts';
import { moneyText } from '#shared/mandates/money_text.ts';

const WINDOW = DAY;

/**
 * Payments that stay just below what would need approval, or would be refused: three of them within a day. What an agent has paid to
 * the same payee before is the payee's price, and whoever is that close to its limit all the time is not staying below it on purpose.
 */
export const justUnderLimit = detector({
  name: 'just_under_limit',
  about: 'Several payments within a day stay just below a single-payment limit.',
  by_price: true,
  params: z.strictObject({
    least: count(3, 'Minimum payments', 'Payments just below one limit within 24 hours from which an alert is raised', {
      most: AT_HAND,
    }),
    margin: share(
      0.15,
      'Margin below limit',
      'How far below the limit still counts as just below, as a share of the limit',
    ),
    limits_usd: z.array(UsdText).max(20).default([]).meta({
      title: 'Other limits',
      description: 'Limits besides those of mandates, such as bank or approval limits, in US dollars',
    }),
  }),
  judge(event, { history, payment, former, verdict }, { least, margin, limits_usd }) {
    // Judged once a payment: when it first counts.
    if (!isPaid(payment) || (former && isPaid(former)) || payment.paid_micro === 0n) return null;
    const near = limitsOf(event, verdict, limits_usd).filter(limit => isJustUnder(payment.paid_micro, limit, margin));
    if (near.length === 0) return null;
    const paid = withoutPriceLists(history.payments);
    if (!paid.includes(payment)) return null;
    const findings = near.flatMap((limit): Finding[] => {
      const under = paid.filter(other => isJustUnder(other.paid_micro, limit, margin));
      const window = densest(under, timeOf(payment));
      const [first] = window;
      if (!first || window.length < least) return [];
      const from = timeOf(first);
      const isKnown = (other: Payment) => timeOf(other) < from - RECENT;
      const earlier = paid.filter(isKnown);
      const usual = under.filter(isKnown).length;
      const all = paid.filter(other => timeOf(other) >= from && timeOf(other) < from + WINDOW).length;
      const isHabit = earlier.length >= KNOWN && chanceOf(window.length, all, usual / earlier.length) > RARE;
      if (isHabit) return [];
      const { counted, seqs } = countPayments(window);
      return [
        {
          score: Math.max(70, score(window.length, least)),
          title: `${counted.payments} payments within ${formatDuration(WINDOW)} just under ${limit.told ?? formatUsdMicro(microOf(limit))}`,
          explanation:
            explain(limit, margin, window, counted) +
            ` An alert is raised from ${least} such payments. ${compare(usual, earlier.length)}`,
          subject: '',
          counted,
          seqs,
        },
      ];
    });
    return findings.toSorted((a, b) => b.score - a.score)[0] ?? null;
  },
});

function explain(
  limit: PaymentLimit,
  margin: number,
  window: readonly Payment[],
  { payments, spend_micro }: { payments: number; spend_micro: bigint },
): string {
  const most = microOf(limit);
  const floor = most - (most * BigInt(Math.round(margin * 1_000))) / 1_000n;
  // What is left of a limit in another currency is in no statement.
  const range = limit.told
    ? `at most ${percentText(margin)} below ${limit.told} (${formatUsdMicro(most)})`
    : `at least ${formatUsdMicro(floor)} and below ${formatUsdMicro(most)}`;
  return (
    `${payments} payments within ${formatDuration(WINDOW)}, ${spanText(window.map(timeOf))}, were ${range}, the ${limit.name}; ` +
    `together they cost ${formatUsdMicro(spend_micro)}, and the one reported last goes to {payee}.`
  );
}

const compare = (usual: number, earlier: number) =>
  earlier === 0
    ? `No payments of this agent from more than ${formatDuration(RECENT)} before are known to compare with.`
    : `Of the ${earlier} payments of this agent from more than ${formatDuration(RECENT)} before that, ${usual} ${usual === 1 ? 'was' : 'were'} in that range.`;

/** Paid ones, but for those that repeat a price the same payee got more than a day before: rents, wages, subscriptions. */
function withoutPriceLists(payments: readonly Payment[]): Payment[] {
  const since = new Map<string, number>();
  return payments.filter(payment => {
    if (!isPaid(payment) || payment.paid_micro === 0n) return false;
    const price = `${payment.payee_id} ${payment.price_key}`;
    const first = since.get(price) ?? payment.started_at;
    since.set(price, first);
    return first >= payment.started_at - WINDOW;
  });
}

/** Of the windows that contain `time`, the one with the most payments. */
function densest(payments: readonly Payment[], time: number): readonly Payment[] {
  const near = payments
    .filter(payment => Math.abs(timeOf(payment) - time) < WINDOW)
    .toSorted((a, b) => timeOf(a) - timeOf(b));
  let best = { from: 0, to: 0 };
  let from = 0;
  for (const [index, last] of near.entries()) {
    while (timeOf(near[from] ?? last) <= timeOf(last) - WINDOW) from += 1;
    const to = index + 1;
    if (timeOf(last) >= time && to - from > best.to - best.from) best = { from, to };
  }
  return near.slice(best.from, best.to);
}

const timeOf = ({ paid_at, started_at }: Payment) => paid_at ?? started_at;

/** What goes on for a few days makes no habit: it may all be one misuse. */
const RECENT = 3 * DAY;
/** So many payments show how often an agent comes close to its limit anyway. */
const KNOWN = 10;
/** What chance alone brings about less often than this is news. */
const RARE = 0.001;

/** The probability that at least `count` of `all` payments are of a kind that makes up the share `part` of payments (binomial distribution). */
function chanceOf(count: number, all: number, part: number): number {
  if (part >= 1) return 1;
  let term = (1 - part) ** all;
  let below = 0;
  for (let number = 0; number < count; number += 1) {
    below += term;
    term *= ((all - number) / (number + 1)) * (part / (1 - part));
  }
  return 1 - below;
}

/**
 * A limit for single payments, as an exact fraction of micro-USD: `of` ÷ `by`. `name` says what it is, after "the"; `told` what it is in its own
 * currency, if that is another.
 */
type PaymentLimit = { of: bigint; by: bigint; name: string; told?: string };

/** The limits that a payment is held against: those of its mandates, and those given in US dollars. */
const limitsOf = (event: DetectionEvent, { evaluations }: Verdict, amounts: readonly string[]): PaymentLimit[] => [
  ...(evaluations ?? []).flatMap(evaluation => limitsOfMandate(event, evaluation)),
  ...amounts.map(text => ({ of: microUsd(text), by: 1n, name: 'limit set for this detector' })),
];

/** Whether an amount is below the limit, and by no more than `margin` of it. At the limit it is not below. */
function isJustUnder(amount: bigint, { of, by }: PaymentLimit, margin: number): boolean {
  const scaled = amount * by;
  return scaled < of && scaled * MILLION >= of * (MILLION - millionths(margin));
}

/** The limit in micro-USD, rounded down. */
const microOf = ({ of, by }: PaymentLimit): bigint => of / by;

function limitsOfMandate({ usd_micro }: DetectionEvent, { mandate, constraints }: MandateVerdict): PaymentLimit[] {
  if (usd_micro === null) return [];
  // The mandate's own conditions come before its constraints.
  const own = constraints.length - mandate.constraints.length;
  return constraints.flatMap((result, index) => {
    const name = names.get(result.type);
    const fraction = name === undefined ? null : fractionOf(result);
    // The mandate's unit has as many micro-USD as the payment has for what was observed of it.
    if (!fraction) return [];
    const terms = mandate.constraints[index - own];
    const told = isForeign(terms) && result.limit !== null ? moneyText(result.limit, terms) : undefined;
    const limit = { of: usd_micro * fraction.limit, by: fraction.observed, name: `${name} “${mandate.name}”` };
    return [{ ...limit, ...(told && { told }) }];
  });
}

const isForeign = (terms?: Record<string, unknown>) =>
  typeof terms?.['currency'] === 'string' && terms['currency'] !== 'USD';

const names = new Map([
  ['payment.amount_range', 'most that one payment may be under the mandate'],
  ['payment.approval_required', 'human approval threshold under the mandate'],
]);

/** What was observed and what is allowed, as whole numbers of one unit. Below its minimum a payment is told that instead of its maximum. */
function fractionOf({ observed, limit, code }: ConstraintResult): { observed: bigint; limit: bigint } | null {
  if (observed === null || limit === null || code === 'amount_below_min') return null;
  const places = Math.max(placesOf(observed), placesOf(limit));
  const scaled = { observed: wholeOf(observed, places), limit: wholeOf(limit, places) };
  return scaled.observed > 0n ? scaled : null;
}

const placesOf = (text: string) => text.split('.')[1]?.length ?? 0;

const wholeOf = (text: string, places: number): bigint => {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(places, '0'));
};
