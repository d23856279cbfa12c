/** A case with its label and what was scored. */
export type Scored = { category: string; weak: boolean; positive: boolean; score: number };

/** The thresholds whose meaning is told. */
export const thresholds = [0.8, 0.85, 0.9, 0.95];

/** Precision, recall and F1 at a threshold. */
export function ratesAt(scored: readonly Scored[], threshold: number) {
  let right = 0;
  let told = 0;
  let positives = 0;
  for (const { positive, score } of scored) {
    if (positive) positives += 1;
    if (score < threshold) continue;
    told += 1;
    if (positive) right += 1;
  }
  const precision = told === 0 ? 1 : right / told;
  const recall = positives === 0 ? 1 : right / positives;
  return { precision, recall, f1: right === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

/** The threshold with the highest F1, and its rates. */
export function bestOf(scored: readonly Scored[]) {
  const positives = scored.filter(({ positive }) => positive).length;
  let best = { threshold: 1, f1: 0 };
  let right = 0;
  const sorted = scored.toSorted((a, b) => b.score - a.score);
  sorted.forEach(({ positive, score }, index) => {
    if (positive) right += 1;
    const f1 = (2 * right) / (index + 1 + positives);
    if (f1 > best.f1 && score !== sorted[index + 1]?.score) best = { threshold: score, f1 };
  });
  return { ...best, ...ratesAt(scored, best.threshold) };
}

/** The lowest threshold at which at most this share of the negatives reaches it. */
export function thresholdFor(negatives: readonly number[], share: number): number {
  const sorted = negatives.toSorted((a, b) => b - a);
  return (sorted[Math.floor(sorted.length * share)] ?? 0) + 1e-9;
}

export const share = (part: number, of: number): string => (of === 0 ? '–' : (part / of).toFixed(3));
