/** How money can move. Plain words, for who has no use for a schema: `event_types.ts` makes one of them. */
export const rails = [
  'card',
  'ach',
  'sepa',
  'wire',
  'rtp',
  'fps',
  'pix',
  'upi',
  'x402',
  'stablecoin',
  'lightning',
  'wallet',
  'credits',
  'other',
] as const;
