import { Country } from '#shared/mandates/constraint_fields.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { allowed, allowedWords, among, blocked, blockedWords, listSchema } from './list.ts';
import type { Field } from './words.ts';

/** The countries whose payees may be paid. */
export const allowedCountries = {
  schema: () => listSchema('payment.allowed_countries', 'values', Country, ['DE', 'FR']),
  rule: ({ values }: { values: readonly string[] }) => allowed({ code: 'country_not_allowed', ...listOf(values) }),
};

/** The countries whose payees may not be paid. */
export const blockedCountries = {
  schema: () => listSchema('payment.blocked_countries', 'values', Country, ['KP']),
  rule: ({ values }: { values: readonly string[] }) => blocked({ code: 'country_blocked', ...listOf(values) }),
};

const listOf = (values: readonly string[]) => ({
  unknown: 'country_unknown',
  read: ({ payee }: ReportedEvent) => payee.country,
  has: among(values),
  values,
});

const field: Field = {
  name: 'values',
  label: 'Countries',
  as: 'list',
  hint: 'Two-letter codes, such as DE, FR.',
  upper: true,
};

export const allowedCountriesWords = allowedWords({
  type: 'payment.allowed_countries',
  name: 'Allowed countries',
  limit: 'only to payees in these countries',
  thing: "payee's country",
  field,
});

export const blockedCountriesWords = blockedWords({
  type: 'payment.blocked_countries',
  name: 'Blocked countries',
  limit: 'not to payees in these countries',
  thing: "payee's country",
  field,
});
