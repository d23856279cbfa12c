import { Currency } from '#shared/mandates/constraint_fields.ts';
import { allowed, allowedWords, among, listSchema } from './list.ts';

/** A token is not the currency it follows: a payment in USDC has no currency, and so none that is allowed. */
export const allowedCurrencies = {
  schema: () => listSchema('payment.allowed_currencies', 'values', Currency, ['USD', 'EUR']),
  rule: ({ values }: { values: readonly string[] }) =>
    allowed({ code: 'currency_not_allowed', read: event => event.amount.currency, has: among(values), values }),
};

export const allowedCurrenciesWords = allowedWords({
  type: 'payment.allowed_currencies',
  name: 'Allowed currencies',
  limit: 'only in these currencies',
  thing: 'currency',
  field: {
    name: 'values',
    label: 'Currencies',
    as: 'list',
    hint: 'Three-letter codes, such as USD, EUR.',
    upper: true,
  },
});
