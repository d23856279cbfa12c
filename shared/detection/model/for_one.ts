import type { Payment } from '#shared/events/log/payment.ts';
import { DAY } from '#shared/values/time.ts';
import { same } from './intents.ts';
import { isDaily, isOddSum } from './paid_again.ts';
import { isPriceTag } from './price_tags.ts';
import { areOneInvoice, type Purpose } from './purpose.ts';
import { namedApart } from './references.ts';
import { gapOf, isAlike } from './repeats.ts';

/** Whether two payments name one order, or two; or one reference that no other payment has; null: neither. */
export type Orders = 'one' | 'two' | 'reference' | null;

/** Orders are compared no longer than this: what small sums are for is known for so long. */
const MOST_ORDERED = 3 * DAY;
/** So many other payments of the agent tell whether what they name so is of one payment or of many; no count of something is as long. */
const [LEAST_NAMED, LEAST_LENGTH] = [3, 4];
/** From so much on what is bought has a reference of its own; below, it says what a call was for. */
const LEAST_OWN_MICRO = 20_000_000n;
/** What is paid once a month comes four weeks later at the soonest. */
const LESS_THAN_A_MONTH = 21 * DAY;

const UNSAID: Purpose = { invoice: null, unsure: null, part: null, order: null, references: new Map() };

/** What payments are for: of each, what it says; and of others, whether they are for the same invoice or order as this one, or for something else. */
export type Compared = {
  purposeOf: (payment: Payment) => Purpose;
  isForOneInvoice: (other: Payment) => boolean;
  isForAnother: (other: Payment) => boolean;
  ordersOf: (other: Payment) => Orders;
};

/**
 * Compares what payments at hand are for with what this one is. `around` are those that may be for the same invoice, `paid` all payments at hand:
 * what both of two refer to, and no other payment, is one order, whatever it is called.
 */
export function comparedWith(
  payment: Payment,
  purposes: ReadonlyMap<number, Purpose>,
  around: readonly Payment[],
  paid: readonly Payment[],
): Compared {
  const purposeOf = ({ counted_seq }: Payment) => purposes.get(counted_seq) ?? UNSAID;
  const { invoice, unsure, part, order, references } = purposeOf(payment);
  const namesUnsure = (other: Payment) => same(unsure, purposeOf(other).unsure) && isAlike(other, payment);
  // A contract or a customer has a bare number too, but pays round sums, or again and again.
  const isOneUnsure = (other: Payment) =>
    namesUnsure(other) &&
    gapOf(payment, other) <= LESS_THAN_A_MONTH &&
    isOddSum(payment) &&
    around.filter(namesUnsure).length === 1 &&
    !isPriceTag(payment);
  const isForOneInvoice = (other: Payment) => isOneInvoice(invoice, purposeOf(other).invoice) || isOneUnsure(other);
  const apartFrom = (other: Payment) => namedApart(references, purposeOf(other).references);
  const isOwn = (other: Payment, valueOf: (purpose: Purpose) => string | null | undefined) => {
    const value = valueOf(purposeOf(payment));
    if (!value || value.length < LEAST_LENGTH || valueOf(purposeOf(other)) !== value) return false;
    const named = paid.flatMap(each =>
      isAlike(each, other) || each === other ? [] : (valueOf(purposeOf(each)) ?? []),
    );
    return named.length >= LEAST_NAMED && !named.includes(value);
  };
  const isOneOwn = (other: Payment) =>
    payment.paid_micro >= LEAST_OWN_MICRO &&
    (isOwn(other, purpose => purpose.order) ||
      [...references.keys()].some(name => isOwn(other, purpose => purpose.references.get(name))));
  return {
    purposeOf,
    isForOneInvoice,
    isForAnother: other =>
      isOtherInvoice(invoice, purposeOf(other).invoice) ||
      isOtherPart(payment, part, other, purposeOf(other).part) ||
      (apartFrom(other) === 'things' && !isForOneInvoice(other) && !same(order, purposeOf(other).order)),
    ordersOf: other => {
      const theirs = purposeOf(other).order;
      const gap = gapOf(payment, other);
      if (gap > MOST_ORDERED) return null;
      if (order && theirs && order !== theirs) return 'two';
      if (gap <= DAY && order && theirs) return 'one';
      if (apartFrom(other)) return apartFrom(other) === 'orders' ? 'two' : null;
      const is_own = (gap <= DAY || !isDaily(gap)) && isOneOwn(other);
      return is_own ? (theirs ? 'one' : 'reference') : null;
    },
  };
}

const isOneInvoice = (a: string | null, b: string | null) => a !== null && b !== null && areOneInvoice(a, b);
const isOtherInvoice = (a: string | null, b: string | null) => a !== null && b !== null && !areOneInvoice(a, b);

/** Two parts; or a second one that follows what is not called a part. */
function isOtherPart(payment: Payment, part: string | null, other: Payment, others: string | null): boolean {
  if (part !== null && others !== null) return part !== others;
  const isFirst = (payment.paid_at ?? 0) < (other.paid_at ?? 0);
  const [first, second] = isFirst ? [part, others] : [others, part];
  return first === null && second !== null && second !== '1';
}
