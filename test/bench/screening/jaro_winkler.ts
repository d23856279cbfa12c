import { foldName } from '#shared/screening/matcher/names/fold_name.ts';

/** The rival: Jaro-Winkler over the words of two names in the order of the alphabet, transliterated. */
export const sortedWords = (name: string): string =>
  foldName(name)
    .map(word => word.text)
    .toSorted()
    .join(' ');

/** Jaro-Winkler similarity, 0 to 1 (Winkler 1990; prefix of four, weight 0.1). */
export function jaroWinkler(a: string, b: string): number {
  if (a === b) return 1;
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1);
  const takenB = new Uint8Array(b.length);
  const matchedA: number[] = [];
  for (let i = 0; i < a.length; i += 1) {
    const to = Math.min(b.length - 1, i + reach);
    for (let j = Math.max(0, i - reach); j <= to; j += 1) {
      if (takenB[j] === 1 || a.charCodeAt(i) !== b.charCodeAt(j)) continue;
      takenB[j] = 1;
      matchedA.push(i);
      break;
    }
  }
  const matches = matchedA.length;
  if (matches === 0) return 0;
  let swapped = 0;
  let j = 0;
  for (const i of matchedA) {
    while (takenB[j] !== 1) j += 1;
    if (a.charCodeAt(i) !== b.charCodeAt(j)) swapped += 1;
    j += 1;
  }
  const jaro = (matches / a.length + matches / b.length + (matches - swapped / 2) / matches) / 3;
  let prefix = 0;
  while (prefix < 4 && prefix < a.length && a[prefix] === b[prefix]) prefix += 1;
  return jaro + prefix * 0.1 * (1 - jaro);
}
