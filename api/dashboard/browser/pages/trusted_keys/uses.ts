import type { TrustedKey } from '#shared/keys/trusted_keys.ts';

type TrustedKeyUse = TrustedKey['use'];

/** What keys are believed for, in words. */
export const uses: readonly (readonly [TrustedKeyUse, string])[] = [
  ['ap2_issuer', 'AP2 mandates'],
  ['agent', 'Agent HTTP signatures'],
  ['source', 'Signed events from a source'],
  ['kyapay', 'KYAPay tokens'],
  ['receipt', 'Receipts and offers'],
  ['any', 'Any signature'],
];

export const useName = (use: TrustedKeyUse): string => uses.find(([name]) => name === use)?.[1] ?? use;
