/** Thousandths of the largest, as whole numbers: what a chart draws. What is not nothing is at least a line. */
export function shares(values: readonly bigint[]): number[] {
  const top = values.reduce((most, value) => (value > most ? value : most), 0n);
  return values.map(value => (value <= 0n ? 0 : Math.max(LINE, Number((value * 1_000n) / top))));
}

const LINE = 5;
