import { z } from 'zod';
import { counts, type DetectionEvent, isPaid, type Payment } from '#shared/events/log/payment.ts';
import { type Context, detector, type Finding, type PaymentReport } from '#shared/detection/model/detector.ts';
import { MILLION, millionths } from '#shared/detection/model/exact.ts';
import { type Allowance, type Overcharge, overchargeOf } from '#shared/detection/model/overcharge.ts';
import { MOST_OF_EXCHANGE, ownText } from '#shared/detection/model/reported_amount.ts';
import { AT_HAND, count, factor, microUsd, usd } from '#shared/detection/model/params.ts';
import { isOnTheList, priceRecord } from '#shared/detection/model/price_record.ts';
import { expectedAbove, months, type Rarity } from '#shared/detection/model/rarity.ts';
import { type RisenPrice, risenPrice } from '#shared/detection/model/risen_price.ts';
import { bigMax, score } from '#shared/detection/model/score.ts';
import { isUsualHere, type SeenOften, stepOf } from '#shared/detection/model/seen_often.ts';
import { isUsualSurplus, usualText } from '#shared/detection/model/usual_surplus.ts';
import { timesText, amountsText, percentText } from '#shared/detection/model/wording.ts';
import { moneyText } from '#shared/mandates/money_text.ts';
import { denominationOf } from '#shared/values/denomination.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { DAY } from '#shared/values/time.ts';

const LEAST_PAYMENTS = 3;
const [RATIO, LEAST_USD] = [1.5, '0.05'];

/** What costs the same as a rule costs much more, or more is settled than was authorized. */
export const priceDrift = detector({
  name: 'price_drift',
  about: 'A repeated purchase costs much more than before, or more is settled than was authorized.',
  by_price: true,
  params: z.strictObject({
    ratio: factor(RATIO, 'Price multiple', 'Multiple of the median of earlier prices that a price must reach', 1.01),
    least_usd: usd(
      LEAST_USD,
      'Minimum increase',
      'How much above that median the price must be; once a fixed price has risen, the extra cost of all payments since counts',
    ),
    last: count(
      20,
      'Payments compared',
      'How many of the latest settled payments for the resource a price is compared with',
      {
        most: AT_HAND,
      },
    ),
    least_payments: count(LEAST_PAYMENTS, 'Minimum payments', 'Settled payments needed before anything is compared', {
      most: AT_HAND,
    }),
  }),
  behavioral: { rarity: (event, context: Context) => rarityOfPrice(event, context) },
  wrong: (event, context: Context) => overcharge(event, context),
  judge: (event, context: Context, params) => judgePrice(event, context, params),
});

type Params = { ratio: number; least_usd: string; last: number; least_payments: number };

function judgePrice(
  event: DetectionEvent,
  context: Context,
  { ratio, least_usd, last, least_payments }: Params,
): Finding | null {
  const { payment, former, is_new_payee } = context;
  const amount = payment.paid_micro;
  if (is_new_payee || amount === 0n || !counts(event.type) || !isPaid(payment)) return null;
  if (former && former.resource_key === payment.resource_key && former.paid_micro === amount && isPaid(former))
    return null;
  const risen = risenPrice(context, { ratio, least: microUsd(least_usd) });
  if (risen) return tellRise(event, risen, { ratio, least_usd });
  const record = priceRecord(event, context, { least: least_payments, most: Math.max(last, least_payments) });
  if (!record) return null;
  const prices = record.earlier.map(({ paid_micro }) => paid_micro);
  const times = millionths(ratio);
  // Cheap test before the sorting: at least half of the prices have to be that much lower.
  const low = (amount * MILLION) / times;
  const lower = prices.filter(price => price <= low).length;
  if (lower * 2 < prices.length) return null;
  const doubled = doubledMedian(prices);
  const more = microUsd(least_usd);
  if (2n * amount * MILLION < doubled * times || 2n * amount - doubled < 2n * more) return null;
  const rise = Math.log(Number(2n * amount) / Number(doubled));
  const unrest = unrestOf(prices) * timesUnrest(prices.length);
  if (rise < unrest) return null;
  // What was paid so often for it before is on its price list.
  if (isOnTheList(amount, priceRecord(event, context, { least: least_payments, most: Infinity })?.earlier ?? []))
    return null;
  const [usual, dearest] = [formatUsdMicro(doubled / 2n), formatUsdMicro(prices.reduce(bigMax))];
  const varied = unrest > Math.log(ratio);
  const threshold = (doubled * (varied ? millionths(Math.exp(unrest)) : times)) / (2n * MILLION);
  return {
    score: score(rise, Math.log(ratio)),
    title: `${formatUsdMicro(amount)} to {payee} for what usually costs ${usual}`,
    explanation:
      `The payment of ${formatUsdMicro(amount)} to {payee} is ${timesText(Math.exp(rise))} times the median of ${usual} over the agent's ` +
      `last ${prices.length} settled payments ${things[record.of]}, of which none was above ${dearest}. ` +
      `An alert is raised from ${formatUsdMicro(bigMax(threshold, doubled / 2n + more))}: ` +
      (varied
        ? 'well above how much these prices vary by themselves.'
        : `${ratio} times the median, and at least ${formatUsdMicro(more)} more.`),
    price: formatUsdMicro(amount),
    subject: event.payee_id,
    seqs: [event.chain_seq],
  };
}

/** Calls that cost cents each: what they cost more is told once it comes to something. */
function tellRise(
  { payee_id }: DetectionEvent,
  { before, since }: RisenPrice,
  { ratio, least_usd }: Pick<Params, 'ratio' | 'least_usd'>,
): Finding {
  const price = since.at(-1)?.paid_micro ?? 0n;
  const times = Number(price) / Number(before);
  const [was, is] = [formatUsdMicro(before), formatUsdMicro(price)];
  const more = formatUsdMicro((price - before) * BigInt(since.length));
  return {
    score: score(Math.log(times), Math.log(ratio)),
    title: `The price of {payee} has risen from ${was} to ${is}`,
    explanation:
      `The agent's last ${since.length} payments to {payee} for the same resource cost ${is} each, and those before them ${was} each: ` +
      `${timesText(times)} times as much, and ${more} more in all. An alert is raised from ${ratio} times a fixed price, and from ` +
      `${formatUsdMicro(microUsd(least_usd))} more in all.`,
    subject: payee_id,
    counted: { payments: since.length },
    seqs: since.map(({ newest_seq }) => newest_seq),
  };
}

const things = {
  resource: 'for the same resource',
  endpoint: 'for the same resource, whatever its query',
  unnamed: 'to it that name no resource',
};

/** How often the agent pays so much for the same thing, by what it has paid for it before. */
function rarityOfPrice(event: DetectionEvent, context: Context): Rarity {
  const { payment } = context;
  const record = priceRecord(event, context, { least: LEAST_PAYMENTS, most: Infinity });
  const among = record?.of === 'unnamed' ? 'such payments' : `payments ${things[record?.of ?? 'resource']}`;
  const since =
    risenPrice(context, { ratio: RATIO, least: microUsd(LEAST_USD) })?.since ??
    atNewPrice(payment, record?.earlier ?? []);
  const earlier = record?.earlier.filter(other => !since.includes(other)).toReversed() ?? [];
  const [first, last] = [earlier[0], earlier.at(-1)];
  if (!first || !last) return { expected: Infinity, per_month: 0, among };
  const span = months(Math.max(DAY, last.started_at - first.started_at));
  const sample = {
    values: earlier.map(other => Math.log(Number(other.paid_micro))),
    per_month: (earlier.length + 1) / span,
  };
  const price = Math.log(Number(payment.paid_micro));
  // A price that has risen for good is no leap.
  const isUsual = since.length === 0 && isUsualLeap(event, payment, sample.values, context.spreads.often);
  return {
    expected: isUsual ? Infinity : expectedAbove(price, sample, SPREAD_OF_PRICES),
    per_month: sample.per_month,
    among,
  };
}

/**
 * Whether agents are asked so many times as much, and so much more, so often that it is what dearer calls cost here, to the same address: by this
 * payee, or of a dollar more by several.
 * Changes `often`.
 */
function isUsualLeap(
  { occurred_at: at, agent_id, payee_id }: DetectionEvent,
  { paid_micro }: Payment,
  before: readonly number[],
  often: SeenOften,
): boolean {
  const [usd, dearest] = [
    Number(paid_micro) / 1e6,
    Math.exp(before.reduce((most, value) => Math.max(most, value))) / 1e6,
  ];
  const steps = [stepOf(LEAPS, usd / dearest), stepOf(MORE, usd - dearest)];
  const at_payee = usd - dearest < LEAST_TO_ASK_MANY;
  return isUsualHere(often, 'leap', { agent_id, payee_id, at, steps }, { at_payee });
}

/** One payee that asks for so much more, once in a while, says nothing of the others. */
const LEAST_TO_ASK_MANY = 0.95;

/** From how many times the price, and how many dollars more, leaps are told apart: between round numbers, which are the most frequent. */
const [LEAPS, MORE] = [
  [1.8, 2.8, 4.5, 9],
  [0.095, 0.95, 9.5, 95],
];

/** Those of the latest payments before this one that cost about as much as it, or more; none unless they are enough to be the new price. */
function atNewPrice({ paid_micro }: Payment, earlier: readonly Payment[]): readonly Payment[] {
  const such = earlier.slice(0, LATEST).filter(other => other.paid_micro * 3n >= paid_micro * 2n);
  return such.length < LEAST_SUCH ? [] : such;
}
const [LATEST, LEAST_SUCH] = [6, 2];

/** Mean excess of the highest prices over the rest, on the scale of ln, before any is known. */
const SPREAD_OF_PRICES = 0.15;

/** Twice the middle of the prices: of an even number it is the sum of the two in the middle, so that nothing is rounded. */
function doubledMedian(prices: readonly bigint[]): bigint {
  const sorted = prices.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const upper = sorted[sorted.length >> 1] ?? 0n;
  return sorted.length % 2 === 1 ? 2n * upper : upper + (sorted[(sorted.length >> 1) - 1] ?? 0n);
}

/**
 * How much prices differ from one payment to the next, on the scale of ln, as a standard deviation (von Neumann's estimate): 0 for a
 * price list, large for baskets and metered use, and small for a price that creeps up.
 */
function unrestOf(prices: readonly bigint[]): number {
  const logs = prices.map(price => Math.log(Number(price)));
  const squares = logs.slice(1).reduce((sum, log, index) => sum + (log - (logs[index] ?? log)) ** 2, 0);
  return Math.sqrt(squares / 2 / Math.max(1, logs.length - 1));
}

/**
 * How often the unrest of `count` prices a rise has to be to stand out, more where there are few of them to know it by. Of baskets that
 * vary at random, at most 2 in 100,000 reach this after 20 prices (simulated); 3.5 times what the median absolute deviation estimates
 * was reached by 4 in 1,000.
 */
const timesUnrest = (count: number) => 3.5 * (1 + 15 / count);

/** More was settled than was authorized, and than such merchants add: told by whichever of the two events comes second. */
function overcharge(
  event: DetectionEvent,
  { payment, reports, spreads, history }: Pick<Context, 'payment' | 'reports' | 'spreads' | 'history'>,
): Finding | null {
  const found = overchargeOf(event, reports, payment.rail);
  if (!found) return null;
  if (isUsualSurplus(event, { payment, history }, found, spreads.often)) return null;
  const { settled, authorized, rule } = found;
  const [settledUsd, authorizedUsd] = amountsText(settled.usd_micro ?? 0n, authorized.usd_micro ?? 0n);
  const both = (report: PaymentReport, usd: string): { title: string; text: string } => {
    const own = ownText(report) ?? (report.usd_micro === null ? moneyText(report.amount.value, report.amount) : null);
    if (own === null) return { title: usd, text: usd };
    return { title: own, text: report.usd_micro === null ? own : `${own} (${usd})` };
  };
  const [ofSettled, ofAuthorized] = [both(settled, settledUsd), both(authorized, authorizedUsd)];
  return {
    score: 95,
    title: `${ofSettled.title} settled to {payee}, ${ofAuthorized.title} authorized`,
    explanation:
      `${ofSettled.text} was settled to {payee} for a payment of which ${ofAuthorized.text} was authorized` +
      `${moreText(found)}. ${ruleText(rule)}${payment.rail === 'card' ? usualText(found) : ''}`,
    subject: event.payee_id,
    seqs: [settled.chain_seq, authorized.chain_seq],
  };
}

/** By how much: of one currency exactly, else in dollars; and what part that is, unless it is less than 0.1 %, which would read as none. */
function moreText({ settled, authorized, more, part, rule }: Overcharge): string {
  const isPriced = settled.usd_micro !== null && authorized.usd_micro !== null;
  const inDollars = rule.exchanged || (isPriced && ownText(settled) === null && ownText(authorized) === null);
  const difference = inDollars
    ? formatUsdMicro((settled.usd_micro ?? 0n) - (authorized.usd_micro ?? 0n))
    : denominationOf(settled.amount) === denominationOf(authorized.amount)
      ? moneyText(String(more), settled.amount)
      : null;
  const share = part !== null && part >= 0.001 ? percentText(part) : null;
  if (difference === null) return share === null ? '' : `: ${share} more`;
  return `: ${difference}${share === null ? '' : ` (${share})`} more`;
}

/** When such an alert is raised. */
function ruleText({ kind, exchanged }: Allowance): string {
  if (kind === null && !exchanged) return 'An alert is raised whenever more is settled than was authorized.';
  const allowed = [
    ...(kind === null ? [] : [`${percentText(kind.share)} for ${kind.name}`]),
    ...(exchanged ? [`${percentText(MOST_OF_EXCHANGE)} for the exchange of one currency for another`] : []),
  ];
  return `An alert is raised when more is settled than was authorized, beyond ${allowed.join(' and ')}.`;
}
