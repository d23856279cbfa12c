import { CategoryRange } from '#shared/mandates/constraint_fields.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { allowed, allowedWords, blocked, blockedWords, listSchema } from './list.ts';
import type { Field } from './words.ts';

type Ranges = { mcc: readonly string[] };

/** The merchant categories that may be paid. */
export const allowedCategories = {
  schema: () => listSchema('payment.allowed_categories', 'mcc', CategoryRange, ['5411', '5400-5499']),
  rule: ({ mcc }: Ranges) => allowed({ code: 'category_not_allowed', ...listOf(mcc) }),
};

/** The merchant categories that may not be paid. */
export const blockedCategories = {
  schema: () => listSchema('payment.blocked_categories', 'mcc', CategoryRange, ['5411', '5400-5499']),
  rule: ({ mcc }: Ranges) => blocked({ code: 'category_blocked', ...listOf(mcc) }),
};

const listOf = (values: readonly string[]) => ({
  unknown: 'category_unknown',
  read: (event: ReportedEvent) => event.category,
  has: withinRanges(values),
  values,
});

/** Codes of four digits sort as text as they do as numbers. */
function withinRanges(ranges: readonly string[]): (code: string) => boolean {
  const bounds = ranges.map(range => [range.slice(0, 4), range.slice(-4)] as const);
  return code => bounds.some(([first, last]) => first <= code && code <= last);
}

const field: Field = {
  name: 'mcc',
  label: 'Merchant categories',
  as: 'list',
  hint: 'Codes or ranges, such as 5411, 5400-5499.',
};

export const allowedCategoriesWords = allowedWords({
  type: 'payment.allowed_categories',
  name: 'Allowed categories',
  limit: 'only these merchant categories',
  thing: 'category',
  field,
});

export const blockedCategoriesWords = blockedWords({
  type: 'payment.blocked_categories',
  name: 'Blocked categories',
  limit: 'not these merchant categories',
  thing: 'category',
  field,
});
