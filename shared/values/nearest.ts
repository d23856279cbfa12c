/**
 * The word among `words` that somebody most likely meant by `text`: the same but for case and punctuation, or off by a slip or two.
 * Undefined where none is near, or two are equally so.
 */
export function nearest(text: string, words: Iterable<string>): string | undefined {
  const meant = lettersOf(text.slice(0, LONGEST));
  // In a short word one slip may be another word.
  let best = meant.length < 4 ? 0 : meant.length < 8 ? 1 : 2;
  let nearest_words: string[] = [];
  for (const word of new Set(words)) {
    const slips = distance(meant, lettersOf(word), best);
    if (slips > best) continue;
    nearest_words = slips < best ? [word] : [...nearest_words, word];
    best = slips;
  }
  return nearest_words.length === 1 ? nearest_words[0] : undefined;
}

const LONGEST = 64;

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** How many letters were put in, left out, mistaken or swapped with their neighbor (optimal string alignment); more than `most` is not told. */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let [before, row] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : most + 1;
      next[j] = Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? most + 1;
}
