import { z } from 'zod';
import { type DetectionEvent, isPaid, type Payment } from '#shared/events/log/payment.ts';
import { type History, paidWithin } from '#shared/detection/model/history.ts';
import { countPayments } from '#shared/detection/model/counted.ts';
import { detector } from '#shared/detection/model/detector.ts';
import { comparedWith, type Orders } from '#shared/detection/model/for_one.ts';
import {
  differ,
  hasTimeout,
  isForOneCall,
  isOtherIntent,
  looksLikeTimeout,
  same,
  wasKnown,
} from '#shared/detection/model/intents.ts';
import { apartText, durationOf, MOST_OF_BANKS, nearnessOf } from '#shared/detection/model/nearness.ts';
import { onOneDate } from '#shared/detection/model/one_date.ts';
import { paidNearly } from '#shared/detection/model/near_invoice.ts';
import { paidElsewhere } from '#shared/detection/model/paid_elsewhere.ts';
import { seconds, usd } from '#shared/detection/model/params.ts';
import {
  batchOf,
  gapOf,
  isGivenBack,
  isNextDay,
  isAlike,
  isSmall,
  type Limits,
  repeatedBefore,
  runAround,
  usualOf,
} from '#shared/detection/model/repeats.ts';
import { runAgain } from '#shared/detection/model/run_again.ts';
import { paidAgain } from '#shared/detection/model/paid_again.ts';
import { isUsualHere, type SeenOften, stepOf } from '#shared/detection/model/seen_often.ts';
import { paidForOneReference } from '#shared/detection/model/same_reference.ts';
import { areRepeatsUsual } from '#shared/detection/model/spreads.ts';
import { countAtHandText } from '#shared/detection/model/wording.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { formatDuration, HOUR, SECOND } from '#shared/values/time.ts';

const [ONE_INVOICE, ONE_ORDER] = [', for the same invoice', ', for the same order'];
/** Whether equal payments are for nothing that is bought once. */
const isOfCalls = (reason: string) => reason !== ONE_INVOICE && reason !== ONE_ORDER;

/**
 * An agent pays the same payee the same amount again: soon after, within a day for the same tool call, order or resource, within three for an odd sum,
 * or within two months for the same invoice; or a whole run of payments is made again. Failed payments and refunded ones do not count, nor does an amount of zero, with which a card is
 * verified. If all that is known is that both are of one date, an equal sum is told from $50 on, where none came twice before. If the agent pays equal amounts so often that two are this close by chance, buys many things from the payee at a time, or pays for
 * metered calls as other agents do, it is no duplicate unless both are for one tool call. Payments that name two invoices, two parts,
 * or two of whatever their metadata and descriptions refer to, are none either, nor are those that name two orders, unless one of $20 or more was made right after the other, as never before at that payee. Another agent's payment counts where both name one invoice.
 */
export const duplicatePayment = detector({
  name: 'duplicate_payment',
  about:
    'An agent pays the same payee the same amount twice within a short time, or for the same call or invoice, or makes a whole run of payments twice.',
  params: z.strictObject({
    window_s: seconds(600, 'Window', 'How soon after the first an equal payment counts as a duplicate'),
    same_call_window_s: seconds(
      86_400,
      'Window for the same call',
      'The same for payments for one tool call, order (see metadata) or resource; a resource that another call pays for, or that is paid again about a day later, is bought again',
    ),
    same_invoice_window_s: seconds(
      60 * 86_400,
      'Window for the same invoice',
      'The same for payments whose description or metadata names one invoice',
    ),
    same_sum_window_s: seconds(
      3 * 86_400,
      'Window for an odd sum',
      'The same for a sum of $50 or more that is no price tag, where the agent pays it at no other time and no other sum twice so soon, and for a run of payments that is made twice',
    ),
    metered_below_usd: usd(
      '1',
      'Metered below',
      'Below this amount, payments for different calls or resources are metered usage, not duplicates',
    ),
  }),
  judge(event, { history, payment, former, spreads, purposes, elsewhere }, params) {
    if (!isPaid(payment) || isGivenBack(payment) || event.usd_micro === 0n) return null;
    // Judged once per payment: when it first counts, and anew where another sum settles than was held, unless only the hold said what for. When
    // the same settles, it is judged beside what until then seemed to be its settlement.
    const counted = former && isPaid(former) ? former : null;
    const isAnew = counted?.settled === false && payment.settled && counted.price_key !== payment.price_key;
    if (isAnew && purposes.has(counted.counted_seq) && !purposes.has(event.chain_seq)) return null;
    const before = isAnew ? null : counted;
    if (before && (before.settled || !payment.settled || !purposes.has(event.chain_seq))) return null;
    const seemedOne = (other: Payment) => before !== null && isContinued(before, other);
    const { invoice, unsure } = purposes.get(payment.counted_seq) ?? { invoice: null, unsure: null };
    const reach = Math.max(params.window_s, params.same_call_window_s) * SECOND;
    const farthest = (invoice ?? unsure) === null ? reach : Math.max(reach, params.same_invoice_window_s * SECOND);
    const around = paidAround(history, payment, Math.max(farthest, MOST_OF_BANKS));
    const within = around.filter(other => gapOf(payment, other) <= farthest);
    const { purposeOf, isForOneInvoice, isForAnother, ordersOf } = comparedWith(payment, purposes, within);
    const habits = {
      isUsual: usualOf(payment, history.paid, params),
      isOneOfMany: batchOf(payment, history.paid, params),
      isOrderedTwice: repeatedBefore(payment, history.paid, REORDERED),
      isOnOneDate: onOneDate(payment, history.paid, params),
    };
    const nearest = (other: Payment) => {
      const isOneCall = isForOneCall(payment, other) && !isForAnother(other);
      return nearnessOf(payment, other, isOneCall ? 'call' : ordersOf(other) === 'one' ? 'order' : null);
    };
    const nearness = (other: Payment) => nearest(other).gap;
    let twin: Payment | null = null;
    for (const other of around) {
      if (!isAlike(other, payment) || (before && !seemedOne(other))) continue;
      if (isForAnother(other) && !isForOneCall(payment, other)) continue;
      const isInvoiced = isForOneInvoice(other) && gapOf(payment, other) <= farthest && !isContinued(payment, other);
      const isNear = () =>
        nearness(other) <= reach &&
        isTwin(payment, other, { ...habits, orders: ordersOf(other), gap: nearness(other) }, params);
      // What is near is told already.
      if (before ? !isInvoiced || isNear() : !isInvoiced && !isNear()) continue;
      if (!twin || nearness(other) < nearness(twin)) twin = other;
    }
    if (!twin && !before && elsewhere) return paidElsewhere(event, payment, elsewhere, params);
    if (!twin) {
      const isForOther = (other: Payment) => isForAnother(other) || ordersOf(other) === 'two';
      const isNoCopy = (other: Payment) => isForOther(other) || isContinued(payment, other);
      const ofReference = { isOther: isNoCopy, former: before };
      const forOneReference = () => paidForOneReference(payment, history.paid, purposeOf, ofReference, params);
      if (before)
        return (
          (invoice === null ? null : paidNearly(payment, within, purposeOf, params, seemedOne)) ?? forOneReference()
        );
      const isOther = (other: Payment) =>
        isForOther(other) || isOtherIntent(payment, other) || isContinued(payment, other);
      const again =
        runAgain(payment, history.paid, { isOther: isForOther, isContinued }, params) ??
        forOneReference() ??
        paidAgain(payment, history.paid, isOther, params);
      if (again || invoice === null) return again;
      const others = within.filter(other => !isContinued(payment, other));
      return paidNearly(payment, others, purposeOf, params);
    }
    const near = nearest(twin);
    const reasonOf = (other: Payment) =>
      isForOneInvoice(other) ? ONE_INVOICE : likenessOf(payment, other, ordersOf(other));
    const reason = reasonOf(twin);
    const isMetered = isSmall(payment, params) && !isForOneCall(payment, twin);
    const isPlain = reason === '' && !isMetered && Number(payment.paid_micro) < MOST_USUAL * 1e6;
    const amount = payment.paid_micro > 0n ? ` ${formatUsdMicro(payment.paid_micro)}` : ' the same amount';
    const isCopy = (other: Payment) =>
      (!before || seemedOne(other)) &&
      isAlike(other, payment) &&
      reasonOf(other) === reason &&
      !isOtherIntent(other, payment) &&
      !isForAnother(other) &&
      ordersOf(other) === ordersOf(twin) &&
      !(reason === ONE_INVOICE && isContinued(payment, other));
    const isOne = (other: Payment) => other === payment || other === twin || isCopy(other);
    const window_s = ordersOf(twin) === 'two' ? REORDERED / SECOND : windowFor(reason, params);
    const run = runAround(payment, history.paid.filter(isOne), window_s);
    const copies = run.includes(twin) ? run : [twin, payment].toSorted((a, b) => (a.paid_at ?? 0) - (b.paid_at ?? 0));
    const isTwice = copies.length === 2;
    const timeout =
      hasTimeout(copies) || (near.as === 'requested' && looksLikeTimeout(near.gap) && !wasKnown(payment, twin));
    const again_micro = payment.paid_micro * BigInt(copies.length - 1);
    if (isMetered && again_micro < LEAST_AGAIN_MICRO && !(timeout && near.gap < METER_TICKS) && isOfCalls(reason))
      return null;
    if (isMetered && areRepeatsUsual(spreads, event.agent_id)) return null;
    const isUsual = isPlain && isUsualRepeat(event, payment, spreads.often);
    if (isUsual && !timeout) return null;
    return {
      score: timeout ? 85 : 70,
      title: `Paid {payee}${amount} ${isTwice ? 'twice' : `${countAtHandText(copies.length)} times`}${reason === ONE_INVOICE ? ' for one invoice' : ''}`,
      explanation:
        (isTwice
          ? `Two payments of${amount} to {payee} (${twin.payment_id} and ${payment.payment_id}), ${apartText(near, gapOf(payment, twin))}`
          : `${countAtHandText(copies.length)} payments of${amount} to {payee} within ${durationOf(spanOf(copies))}`) +
        `${
          reason === ONE_INVOICE
            ? invoiceText(
                invoice,
                copies.map(copy => purposeOf(copy).invoice),
              )
            : reason
        }. Equal payments are alerted on when they are at most ` +
        `${formatDuration(params.window_s * SECOND)} apart${ordersOf(twin) === 'two' ? ` (${formatDuration(REORDERED)} for two orders)` : ''}, ${formatDuration(params.same_call_window_s * SECOND)} for the same tool call, ` +
        `order or resource, or ${formatDuration(params.same_invoice_window_s * SECOND)} for the same invoice${isPlain ? '; below $100 not where several agents make such payments again and again' : ''}.` +
        (timeout
          ? ` ${isTwice ? 'The' : 'A'} gap matches a common timeout: the payment before it may have gone through after the client gave up waiting.`
          : ''),
      price: formatUsdMicro(payment.paid_micro),
      subject: event.payee_id,
      ...countPayments(copies),
    };
  },
});

/**
 * Whether agents pay as much again within minutes, for nothing that is one, on so many days that it is how they pay, such as vouchers and fares for
 * one traveler after another. Never of what nobody knows the price of. Notes one more. Changes `often`.
 */
function isUsualRepeat({ occurred_at: at, agent_id, payee_id }: DetectionEvent, payment: Payment, often: SeenOften) {
  const usd = Number(payment.paid_micro) / 1e6;
  if (usd === 0) return false;
  return isUsualHere(often, 'repeat', { agent_id, payee_id, at, steps: [stepOf(REPEATED, usd)] }, { days: LEAST_DAYS });
}

const [REPEATED, MOST_USUAL, LEAST_DAYS] = [[10, 30], 100, 4];

/** For one invoice, or what may be one under two numbers. */
function invoiceText(own: string | null, others: readonly (string | null)[]): string {
  const numbers = new Set([...others, own].filter(number => number !== null));
  return numbers.size > 1 ? `, for invoices ${[...numbers].join(' and ')}, which may be one` : ONE_INVOICE;
}

const windowFor = (reason: string, { window_s, same_call_window_s, same_invoice_window_s }: Windows): number =>
  reason === '' ? window_s : reason === ONE_INVOICE ? same_invoice_window_s : same_call_window_s;

const spanOf = (copies: readonly Payment[]) => (copies.at(-1)?.paid_at ?? 0) - (copies[0]?.paid_at ?? 0);

/** The payments at hand that were paid near enough to be the same again, or may have been requested or settled as near. */
const paidAround = (history: History, { paid_at }: Payment, most: number): Payment[] =>
  paidWithin(history, (paid_at ?? 0) - most, (paid_at ?? 0) + most + 1);

type Windows = { window_s: number; same_call_window_s: number; same_invoice_window_s: number };
/** An authorization that never settled, and a settlement that nothing authorized: one payment, reported under two ids. */
const isContinued = (a: Payment, b: Payment) =>
  a.settled !== b.settled && [a, b].every(({ settled, authorized_at }) => settled === (authorized_at === null));

/** Who orders again what seems not to have gone through, is given another number, and does not wait longer. */
const REORDERED = 75 * SECOND;

type Habits = {
  isUsual: (gap: number, small: boolean) => boolean;
  isOneOfMany: () => boolean;
  isOrderedTwice: () => boolean;
  isOnOneDate: (other: Payment) => boolean;
  orders: Orders;
  /** How far apart they are; see `nearness`. */
  gap: number;
};

function isTwin(
  payment: Payment,
  other: Payment,
  { isUsual, isOneOfMany, isOrderedTwice, isOnOneDate, orders, gap }: Habits,
  limits: Limits,
): boolean {
  const { window_s } = limits;
  const isLong = gap > window_s * SECOND || isOnOneDate(other);
  if (isForOneCall(payment, other)) return true;
  const small = isSmall(payment, limits);
  // One thing is ordered after the other; an order that seems to have failed is placed again, and matters where it costs as much.
  if (orders === 'two' && (gap > REORDERED || isLittle(payment))) return false;
  if (orders === 'two' && isOrderedTwice() && !looksLikeTimeout(gap)) return false;
  if (orders === 'one' && !differ(payment.resource_key, other.resource_key))
    return !isNextDay(gap) && !isUsual(gap, small) && !isOneOfMany();
  if (Math.abs(payment.started_at - other.started_at) - gap > ONE_ERRAND) return false;
  // What is called again hours later is bought again, and so is what is bought once a day.
  if (
    isOtherIntent(payment, other) &&
    (small || isLong || isOtherItem(payment, other) || isCalledAgain(payment, other) || isOneOfMany())
  )
    return false;
  if (isLong && (small || isNextDay(gap) || !same(payment.resource_key, other.resource_key))) return false;
  return !isUsual(gap, small);
}

/** What was asked for so much farther apart than it was paid are two errands, though a bank settles both in one night. */
const ONE_ERRAND = 12 * HOUR;

/** Another call for another resource, over x402 or at what an article costs: who calls again asks for the same. */
const isOtherItem = (payment: Payment, other: Payment) =>
  (payment.rail === 'x402' || payment.paid_micro < MOST_OF_CALLS_MICRO) &&
  differ(payment.tool_call_key, other.tool_call_key) &&
  differ(payment.resource_key, other.resource_key);

/**
 * Over x402 a payment is what a call costs. One for another call, so long after the earlier had settled, is no call that was made again because
 * its answer did not come.
 */
const isCalledAgain = (payment: Payment, other: Payment) =>
  payment.rail === 'x402' &&
  other.rail === 'x402' &&
  payment.paid_micro < MOST_OF_CALLS_MICRO &&
  differ(payment.tool_call_key, other.tool_call_key) &&
  gapOf(payment, other) > LONGEST_WAIT &&
  wasKnown(payment, other);

/** Calls that were paid again for less than this together are nothing that anybody has to see to. */
const LEAST_AGAIN_MICRO = 50_000n;
/** Meters of streams tick every minute, which is also how long clients wait for an answer. */
const METER_TICKS = 58 * SECOND;
/** A call that costs so much is told all the same. */
const MOST_OF_CALLS_MICRO = 20_000_000n;
const isLittle = ({ paid_micro }: Payment) => paid_micro > 0n && paid_micro < MOST_OF_CALLS_MICRO;
/** A minute is the longest that agents commonly wait for the answer to a call, and some seconds pass until it is made again. */
const LONGEST_WAIT = 75 * SECOND;

function likenessOf(a: Payment, b: Payment, orders: Orders): string {
  if (isForOneCall(a, b)) return ', for one tool call';
  if (orders === 'one') return ONE_ORDER;
  return same(a.resource_key, b.resource_key) ? ', for the same resource' : '';
}
