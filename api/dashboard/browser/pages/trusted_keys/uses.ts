import type { TrustedKey } from '#shared/keys/trusted_keys.ts';

type TrustedKeyUse = TrustedKey['use'];

/** What keys are believed for, in words. */
export const uses: readonly (readonly [TrustedKeyUse, string])[] = [
  ['ap2_issuer', 'AP2 mandates'],
  ['agent', 'HTTP signatures of agents'],
  ['source', 'events that a source signed'],
  ['kyapay', 'KYAPay tokens'],
  ['receipt', 'receipts and offers'],
  ['any', 'everything'],
];

export const useName = (use: TrustedKeyUse): string => uses.find(([name]) => name === use)?.[1] ?? use;
