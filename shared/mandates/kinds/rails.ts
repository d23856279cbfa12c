import { Rail } from '#shared/values/event_types.ts';
import { rails } from '#shared/values/rails.ts';
import { allowed, allowedWords, among, listSchema } from './list.ts';
import { asOptions } from './words.ts';

/** The rails that may be used. */
export const allowedRails = {
  schema: () => listSchema('payment.allowed_rails', 'values', Rail, ['card', 'x402']),
  rule: ({ values }: { values: readonly string[] }) =>
    allowed({ code: 'rail_not_allowed', read: event => event.rail, has: among(values), values }),
};

export const allowedRailsWords = allowedWords({
  type: 'payment.allowed_rails',
  name: 'Allowed rails',
  limit: 'only by these rails',
  thing: 'rail',
  field: { name: 'values', label: 'Rails', as: 'ticks', of: asOptions(rails) },
});
