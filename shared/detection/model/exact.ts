/** An amount times a factor of a parameter, exact to six decimals of the factor, rounded down. */
export const timesExactly = (amount: bigint, factor: number): bigint => (amount * millionths(factor)) / MILLION;

/** A factor or share as a whole number of millionths, to compare amounts without rounding. */
export const millionths = (factor: number): bigint => BigInt(Math.round(factor * 1_000_000));

export const MILLION = 1_000_000n;
