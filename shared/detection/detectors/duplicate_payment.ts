import { z } from 'zod';
import { isPaid, type Payment } from '#shared/events/log/payment.ts';
import { type History, paidWithin } from '#shared/detection/model/history.ts';
import { countPayments } from '#shared/detection/model/counted.ts';
import { detector } from '#shared/detection/model/detector.ts';
import { paidNearly } from '#shared/detection/model/near_invoice.ts';
import { paidElsewhere } from '#shared/detection/model/paid_elsewhere.ts';
import { microUsd, seconds, usd } from '#shared/detection/model/params.ts';
import { months } from '#shared/detection/model/rarity.ts';
import { areOneInvoice, type Purpose } from '#shared/detection/model/purpose.ts';
import { areRepeatsUsual } from '#shared/detection/model/spreads.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { once } from '#shared/values/once.ts';
import { DAY, formatDuration, HOUR, SECOND } from '#shared/values/time.ts';

/** Metered calls: this many earlier payments of the same price to the same payee are a habit. */
const HABIT = 4;
/** Fewer payments soon after another are no batches. */
const BATCHED = 3;
/** Equal payments that are this close by chance so often in a month are no news for this agent. */
const BY_CHANCE = 0.1;
const ONE_INVOICE = ', for the same invoice';
const UNSAID: Purpose = { invoice: null, part: null };

/**
 * An agent pays the same payee the same amount again: soon after, within a day for the same tool call or resource, or within two months for the
 * same invoice. Failed payments and refunded ones do not count, nor does an amount of zero, with which a card is verified. If the agent pays
 * equal amounts so often that two are this close by chance, buys many things from the payee at a time, or pays for metered calls as other agents
 * do, it is no duplicate unless both are for one tool call. Payments that name two invoices, or two parts, are none either. Another agent's payment
 * counts where both name one invoice.
 */
export const duplicatePayment = detector({
  name: 'duplicate_payment',
  about: 'An agent pays the same payee the same amount twice within a short time, or for the same call or invoice.',
  params: z.strictObject({
    window_s: seconds(600, 'Window', 'How soon after the first an equal payment counts as a duplicate'),
    same_call_window_s: seconds(
      86_400,
      'Window for the same call',
      'The same for payments for one tool call or resource',
    ),
    same_invoice_window_s: seconds(
      60 * 86_400,
      'Window for the same invoice',
      'The same for payments whose description or metadata names one invoice',
    ),
    metered_below_usd: usd(
      '1',
      'Metered below',
      'Below this amount, payments for different calls or resources are metered usage, not duplicates',
    ),
  }),
  judge(event, { history, payment, former, spreads, purposes, elsewhere }, params) {
    // Judged once per payment: when it first counts.
    if (!isPaid(payment) || (former && isPaid(former)) || event.usd_micro === 0n) return null;
    const purposeOf = ({ counted_seq }: Payment) => purposes.get(counted_seq) ?? UNSAID;
    const { invoice, part } = purposeOf(payment);
    const isForAnother = (other: Payment) =>
      isOtherInvoice(invoice, purposeOf(other).invoice) || differ(part, purposeOf(other).part);
    const isForOneInvoice = (other: Payment) => isOneInvoice(invoice, purposeOf(other).invoice);
    const reach = Math.max(params.window_s, params.same_call_window_s) * SECOND;
    const farthest = invoice === null ? reach : Math.max(reach, params.same_invoice_window_s * SECOND);
    const habits = {
      isUsual: usualOf(payment, history.paid, params),
      isOneOfMany: batchOf(payment, history.paid, params),
    };
    let twin: Payment | null = null;
    const around = paidAround(history, payment, farthest);
    for (const other of around) {
      if (!isAlike(other, payment)) continue;
      if (isForAnother(other) && !isForOneCall(payment, other)) continue;
      const isInvoiced = isForOneInvoice(other) && !isContinued(payment, other);
      if (!isInvoiced && (gapOf(payment, other) > reach || !isTwin(payment, other, habits, params))) continue;
      if (!twin || gapOf(payment, other) < gapOf(payment, twin)) twin = other;
    }
    if (!twin && elsewhere) return paidElsewhere(event, payment, elsewhere, params);
    if (!twin)
      return paidNearly(
        payment,
        around.filter(other => !isContinued(payment, other)),
        purposeOf,
        params,
      );
    const isMetered = isSmall(payment, params) && !isForOneCall(payment, twin);
    if (isMetered && areRepeatsUsual(spreads, event.agent_id)) return null;
    const gap = gapOf(payment, twin);
    const reasonOf = (other: Payment) => (isForOneInvoice(other) ? ONE_INVOICE : likenessOf(payment, other));
    const reason = reasonOf(twin);
    const amount = payment.paid_micro > 0n ? ` ${formatUsdMicro(payment.paid_micro)}` : ' the same amount';
    const isCopy = (other: Payment) =>
      isAlike(other, payment) && reasonOf(other) === reason && !isOtherIntent(other, payment) && !isForAnother(other);
    const isOne = (other: Payment) => other === payment || other === twin || isCopy(other);
    const run = runAround(payment, history.paid.filter(isOne), windowFor(reason, params));
    const copies = run.includes(twin) ? run : [twin, payment].toSorted((a, b) => (a.paid_at ?? 0) - (b.paid_at ?? 0));
    const isTwice = copies.length === 2;
    const timeout = hasTimeout(copies);
    return {
      score: timeout ? 85 : 70,
      title: `Paid {payee}${amount} ${isTwice ? 'twice' : `${copies.length} times`}${reason === ONE_INVOICE ? ' for one invoice' : ''}`,
      explanation:
        (isTwice
          ? `Two payments of${amount} to {payee} (${twin.payment_id} and ${payment.payment_id}), ${durationOf(gap)} apart`
          : `${copies.length} payments of${amount} to {payee} within ${durationOf(spanOf(copies))}`) +
        `${
          reason === ONE_INVOICE
            ? invoiceText(
                invoice,
                copies.map(copy => purposeOf(copy).invoice),
              )
            : reason
        }. Equal payments are alerted on when they are at most ` +
        `${formatDuration(params.window_s * SECOND)} apart, ${formatDuration(params.same_call_window_s * SECOND)} for the same tool call or ` +
        `resource, or ${formatDuration(params.same_invoice_window_s * SECOND)} for the same invoice.` +
        (timeout
          ? ` ${isTwice ? 'The' : 'A'} gap matches a common timeout: the payment before it may have gone through after the client gave up waiting.`
          : ''),
      price: formatUsdMicro(payment.paid_micro),
      subject: event.payee_id,
      ...countPayments(copies),
    };
  },
});

/** For one invoice, or what may be one under two numbers. */
function invoiceText(own: string | null, others: readonly (string | null)[]): string {
  const numbers = new Set([...others, own].filter(number => number !== null));
  return numbers.size > 1 ? `, for invoices ${[...numbers].join(' and ')}, which may be one` : ONE_INVOICE;
}

/** A payment with those of a list, all in the order in which they were paid, that follow each other at most `window_s` apart around it. */
function runAround(payment: Payment, list: readonly Payment[], window_s: number): Payment[] {
  const isClose = (a: Payment | undefined, b: Payment | undefined) => a && b && gapOf(a, b) <= window_s * SECOND;
  let from = list.indexOf(payment);
  if (from < 0) return [payment];
  let to = from;
  while (isClose(list[from - 1], list[from])) from -= 1;
  while (isClose(list[to], list[to + 1])) to += 1;
  return list.slice(from, to + 1);
}

const windowFor = (reason: string, { window_s, same_call_window_s, same_invoice_window_s }: Windows): number =>
  reason === '' ? window_s : reason === ONE_INVOICE ? same_invoice_window_s : same_call_window_s;

const spanOf = (copies: readonly Payment[]) => (copies.at(-1)?.paid_at ?? 0) - (copies[0]?.paid_at ?? 0);
const durationOf = (gap: number) => (gap < SECOND ? 'less than 1 s' : formatDuration(gap));

/** The payments at hand that were paid near enough to be the same again. */
const paidAround = (history: History, { paid_at }: Payment, most: number): Payment[] =>
  paidWithin(history, (paid_at ?? 0) - most, (paid_at ?? 0) + most + 1);

/** Paid to the same payee at the same price, and not given back. */
const isAlike = (other: Payment, payment: Payment) =>
  other.payee_id === payment.payee_id &&
  other.price_key === payment.price_key &&
  other !== payment &&
  isPaid(other) &&
  (other.refunded_micro === 0n || other.refunded_micro < other.paid_micro);

const gapOf = (a: Payment, b: Payment) => Math.abs((a.paid_at ?? 0) - (b.paid_at ?? 0));
const same = (a: string | null, b: string | null) => a !== null && a === b;
const isOneInvoice = (a: string | null, b: string | null) => a !== null && b !== null && areOneInvoice(a, b);
const isOtherInvoice = (a: string | null, b: string | null) => a !== null && b !== null && !areOneInvoice(a, b);
const differ = (a: string | null, b: string | null) => a !== null && b !== null && a !== b;

type Windows = { window_s: number; same_call_window_s: number; same_invoice_window_s: number };
type Limits = { window_s: number; same_call_window_s: number; metered_below_usd: string };

/** What single calls of metered services cost. */
const isSmall = ({ paid_micro }: Payment, { metered_below_usd }: Limits) =>
  paid_micro < microUsd(metered_below_usd) && paid_micro > 0n;

/** One call may pay for several resources, such as the pages of a list. */
const isForOneCall = (a: Payment, b: Payment) =>
  same(a.tool_call_key, b.tool_call_key) && !differ(a.resource_key, b.resource_key);

/** An authorization that never settled, and a settlement that nothing authorized: one payment, reported under two ids. */
const isContinued = (a: Payment, b: Payment) =>
  a.settled !== b.settled && [a, b].every(({ settled, authorized_at }) => settled === (authorized_at === null));

/** Different calls or resources: they were meant as two payments. */
const isOtherIntent = (a: Payment, b: Payment) =>
  differ(a.tool_call_key, b.tool_call_key) || differ(a.resource_key, b.resource_key);

type Habits = { isUsual: (gap: number, small: boolean) => boolean; isOneOfMany: () => boolean };

function isTwin(payment: Payment, other: Payment, { isUsual, isOneOfMany }: Habits, limits: Limits): boolean {
  const { window_s } = limits;
  const gap = gapOf(payment, other);
  const isLong = gap > window_s * SECOND;
  if (isForOneCall(payment, other)) return true;
  const small = isSmall(payment, limits);
  if (isOtherIntent(payment, other) && (small || isOneOfMany())) return false;
  if (isLong && (small || !same(payment.resource_key, other.resource_key))) return false;
  return !isUsual(gap, small);
}

/**
 * Whether equal payments this close are usual for this agent. Few payments have an equal one close enough, so the record is only read then.
 */
function usualOf(payment: Payment, paid: readonly Payment[], limits: Limits): (gap: number, small: boolean) => boolean {
  let gaps: Gaps | null = null;
  let metered: number | null = null;
  return (gap, small) => {
    if (small) {
      metered ??= paid.filter(other => isAlike(other, payment) && isBefore(other, payment)).length;
      return metered >= HABIT;
    }
    gaps ??= gapsBetweenEqual(payment, paid, limits);
    return coincidences(gap, gaps) > BY_CHANCE;
  };
}

/**
 * Whether the agent buys from the payee in batches: at least `BATCHED` of its other payments to it, and half of them, came within the window
 * after the one before, whatever the amounts. Two purchases of one price are to be expected in a batch.
 */
function batchOf(payment: Payment, paid: readonly Payment[], { window_s }: Limits): () => boolean {
  return once(() => {
    let [all, again, latest] = [0, 0, -Infinity];
    for (const other of paid) {
      if (other === payment || other.payee_id !== payment.payee_id || !isPaid(other)) continue;
      const at = other.paid_at ?? 0;
      all += 1;
      if (at - latest <= window_s * SECOND) again += 1;
      latest = at;
    }
    return again >= BATCHED && 2 * again >= all;
  });
}

const isBefore = (a: Payment, b: Payment) => (a.paid_at ?? Infinity) < (b.paid_at ?? 0);

/** The times between equal consecutive payments, in milliseconds and sorted; and the length of the record, in months. */
type Gaps = { gaps: number[]; span: number };

/**
 * The agent's other payments of at least half the amount: small sums excuse no large one. Equal ones of the last hour that led up to it are
 * what it is about, and no habit yet.
 */
function gapsBetweenEqual(payment: Payment, paid: readonly Payment[], limits: Limits): Gaps {
  const half = (payment.paid_micro + 1n) / 2n;
  const equal = paid.filter(other => other === payment || isAlike(other, payment));
  const run = new Set(runAround(payment, equal, limits.window_s).filter(other => gapOf(other, payment) <= HOUR));
  const others = paid.filter(other => !run.has(other) && other.paid_micro >= half && isPaid(other));
  const gaps: number[] = [];
  const latest = new Map<string, number>();
  for (const { paid_at, payee_id, price_key } of others) {
    const [at, key] = [paid_at ?? 0, `${payee_id} ${price_key}`];
    const before = latest.get(key);
    if (before !== undefined) gaps.push(at - before);
    latest.set(key, at);
  }
  const span = months(Math.max(DAY, (others.at(-1)?.paid_at ?? 0) - (others[0]?.paid_at ?? 0)));
  return { gaps: gaps.toSorted((a, b) => a - b), span };
}

/**
 * The expected number of equal payments at most `gap` apart in a month. The shortest tenth of the gaps is modeled as a power law toward
 * zero, with the exponent drawn toward 1, that of independent payments; a steady pace has a high one. Source: Hill, "A Simple General
 * Approach to Inference About the Tail of a Distribution" (1975).
 */
function coincidences(gap: number, { gaps, span }: Gaps): number {
  const size = Math.min(gaps.length, Math.max(3, Math.ceil(gaps.length / 10)));
  const shortest = gaps.slice(0, size).map(each => Math.max(each, SECOND));
  const longest = shortest.at(-1);
  if (longest === undefined) return 0;
  const total = shortest.reduce((sum, each) => sum + Math.log(longest / each), 0);
  const power = (size + 2) / (total + 2);
  return (size / span) * Math.min(1, gap / longest) ** power;
}

/** Whether the earlier of two payments had settled before the other began, for something else: then nobody gave up waiting for it. */
function wasKnown(payment: Payment, twin: Payment): boolean {
  const [first, second] = twin.started_at <= payment.started_at ? [twin, payment] : [payment, twin];
  return isOtherIntent(payment, twin) && first.settled_at !== null && first.settled_at <= second.started_at;
}

const looksLikeTimeout = (gap: number) =>
  (gap >= 28 * SECOND && gap <= 40 * SECOND) || (gap >= 58 * SECOND && gap <= 70 * SECOND);

/** Whether one followed another as if nobody had waited any longer for an answer. */
const hasTimeout = (copies: readonly Payment[]) =>
  copies.some((copy, index) => {
    const before = copies[index - 1];
    return before !== undefined && looksLikeTimeout(gapOf(copy, before)) && !wasKnown(copy, before);
  });

function likenessOf(a: Payment, b: Payment): string {
  if (isForOneCall(a, b)) return ', for one tool call';
  return same(a.resource_key, b.resource_key) ? ', for the same resource' : '';
}
