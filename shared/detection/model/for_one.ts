import type { Payment } from '#shared/events/log/payment.ts';
import { DAY } from '#shared/values/time.ts';
import { same } from './intents.ts';
import { isOddSum } from './paid_again.ts';
import { isPriceTag } from './price_tags.ts';
import { areOneInvoice, areParts, type Purpose } from './purpose.ts';
import { namedApart } from './references.ts';
import { gapOf, isAlike } from './repeats.ts';

/** Whether two payments name one order, or two; null: not both name one. */
export type Orders = 'one' | 'two' | null;

/** Orders are compared no longer than this: what small sums are for is known for so long. */
const MOST_ORDERED = 3 * DAY;
/** What is paid once a month comes four weeks later at the soonest. */
const LESS_THAN_A_MONTH = 21 * DAY;

const UNSAID: Purpose = {
  invoice: null,
  unsure: null,
  part: null,
  order: null,
  references: new Map(),
  says: '',
  parts: '',
};

/** What payments are for: of each, what it says; and of others, whether they are for the same invoice or order as this one, or for something else. */
export type Compared = {
  purposeOf: (payment: Payment) => Purpose;
  isForOneInvoice: (other: Payment) => boolean;
  isForAnother: (other: Payment) => boolean;
  ordersOf: (other: Payment) => Orders;
};

/** Compares what payments at hand are for with what this one is. `around` are those that may be for the same invoice. */
export function comparedWith(
  payment: Payment,
  purposes: ReadonlyMap<number, Purpose>,
  around: readonly Payment[],
): Compared {
  const purposeOf = ({ counted_seq }: Payment) => purposes.get(counted_seq) ?? UNSAID;
  const own = purposeOf(payment);
  const { invoice, unsure, part, order, references } = own;
  const apartFrom = (other: Payment) => namedApart(references, purposeOf(other).references);
  const namesUnsure = (other: Payment) => same(unsure, purposeOf(other).unsure) && isAlike(other, payment);
  // A contract or a customer has a bare number too, but pays round sums, or again and again.
  const isOneUnsure = (other: Payment) =>
    namesUnsure(other) &&
    gapOf(payment, other) <= LESS_THAN_A_MONTH &&
    apartFrom(other) !== 'things' &&
    isOddSum(payment) &&
    around.filter(namesUnsure).length === 1 &&
    !isPriceTag(payment);
  const isForOneInvoice = (other: Payment) =>
    !areParts(own, purposeOf(other)) && (isOneInvoice(invoice, purposeOf(other).invoice) || isOneUnsure(other));
  return {
    purposeOf,
    isForOneInvoice,
    isForAnother: other =>
      isOtherInvoice(invoice, purposeOf(other).invoice) ||
      isOtherPart(payment, part, other, purposeOf(other).part) ||
      areParts(own, purposeOf(other)) ||
      (apartFrom(other) === 'things' && !isForOneInvoice(other) && !same(order, purposeOf(other).order)),
    ordersOf: other => {
      const theirs = purposeOf(other).order;
      if (gapOf(payment, other) > MOST_ORDERED) return null;
      if (order && theirs) return order === theirs ? 'one' : 'two';
      return apartFrom(other) === 'orders' ? 'two' : null;
    },
  };
}

const isOneInvoice = (a: string | null, b: string | null) => a !== null && b !== null && areOneInvoice(a, b);
const isOtherInvoice = (a: string | null, b: string | null) => a !== null && b !== null && !areOneInvoice(a, b);

/** Two parts, of as many where that is said; or a second one that follows what is not called a part. */
function isOtherPart(payment: Payment, part: string | null, other: Payment, others: string | null): boolean {
  const countOf = (text: string | null) => text?.split('/')[1];
  if (countOf(part) !== countOf(others)) return false;
  if (part !== null && others !== null) return part !== others;
  const isFirst = (payment.paid_at ?? 0) < (other.paid_at ?? 0);
  const [first, second] = isFirst ? [part, others] : [others, part];
  return first === null && second !== null && second !== '1';
}
