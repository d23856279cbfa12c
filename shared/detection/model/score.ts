import { Severity } from '#shared/casework/alerts.ts';

/** 0 to 100 for a measured value against its threshold: 50 at the threshold, 75 at twice, 87.5 at three times, never flat. */
export const score = (measured: number, threshold: number): number =>
  oneDecimal(100 * (1 - 2 ** -(measured / threshold)));

export const oneDecimal = (value: number): number => Math.round(value * 10) / 10;

function severityOf(score: number): Severity {
  if (score >= 90) return 'critical';
  if (score >= 70) return 'high';
  return score >= 50 ? 'medium' : 'low';
}

/** The severity of a finding: its own, or by its score. */
export const severityOfFinding = ({ score, severity }: { score: number; severity?: Severity }): Severity =>
  severity ?? severityOf(score);

/** Whether one severity is lower than another. */
export const isBelow = (severity: Severity, floor: Severity): boolean =>
  Severity.options.indexOf(severity) < Severity.options.indexOf(floor);

/** Ratio of two amounts of money as a number, for scores and statistics only. */
export const ratio = (a: bigint, b: bigint): number => Number((a * 1_000_000n) / b) / 1_000_000;

export const bigMax = (a: bigint, b: bigint): bigint => (a > b ? a : b);
export const bigMin = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** The value at or below which `share` of the values lie (nearest rank). `values` need not be sorted; empty gives undefined. */
export function percentile<T extends number | bigint>(values: readonly T[], share: number): T | undefined {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

/** The median; for an even number of values the mean of the two in the middle. */
export function median(values: ArrayLike<number>): number {
  const sorted = new Float64Array(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}
