/** What looks suspicious and is not: parts of normal traffic that must stay silent. Purchases say which of them they are. */
export const nearMisses = [
  'pay day',
  'employees who share a name',
  'subscription',
  'subscription, 6 % dearer',
  'price risen by 25 %',
  'batch of small calls',
  'same call every 12 min',
  'retry of a failed payment',
  'settled minutes later',
  'captured six days later',
  'confirmed by a second source',
  'partial refund',
  'first order at a new shop',
  'account tested with one euro',
  'a dozen new sellers a day',
  'shop that many agents pay',
  'merchant with two processors',
  'wallet on two networks',
  'journeys to many countries',
  'back after 20 days',
  'prices just below the limit',
] as const;

export type NearMiss = (typeof nearMisses)[number];
