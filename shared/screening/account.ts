import { z } from 'zod';
import type { KeyType } from '#shared/screening/matcher/entry.ts';

/** What is read from a list, by kind. `documents` are numbers of any kind: passports, registrations, ships, banks, accounts. */
const ReadCounts = z.object({
  names: z.int(),
  addresses: z.int(),
  documents: z.int(),
  wallets: z.int(),
  websites: z.int(),
  emails: z.int(),
  dates: z.int(),
  countries: z.int(),
});
export type ReadKind = keyof z.infer<typeof ReadCounts>;

/** What became of each item of a list's records: every item is counted once. */
export const ListAccount = z
  .object({
    read: ReadCounts.meta({ description: 'what was understood, by kind' }),
    of_no_use: z.int().meta({ description: 'items that are known, and in which there is nothing to match' }),
    not_understood: z
      .array(z.object({ label: z.string(), items: z.int(), examples: z.array(z.string()) }))
      .meta({ description: 'items that cannot be matched, most frequent first' }),
  })
  .meta({ id: 'ListAccount' });
export type ListAccount = z.infer<typeof ListAccount>;

/** Counts the items of a list while it is read. The reader calls one of the three for each item. */
export type Accounting = {
  /** The item was understood and added to the entry. */
  read(kind: ReadKind): void;
  /** The item is known to be irrelevant. */
  pass(): void;
  /** The item was not understood. `label` is what the list calls it, `text` the whole item. */
  miss(label: string, text: string): void;
  total(): ListAccount;
};

const MOST_LABELS = 2_000;
const MOST_SHOWN = 20;
const EXAMPLES = 3;
const LONGEST_EXAMPLE = 80;
const LONGEST_LABEL = 60;

type Missed = ListAccount['not_understood'][number];

/** Starts counting. Labels beyond the first two thousand are counted together. */
export function startAccount(): Accounting {
  const counts = { names: 0, addresses: 0, documents: 0, wallets: 0, websites: 0, emails: 0, dates: 0, countries: 0 };
  const missed = new Map<string, Missed>();
  let of_no_use = 0;
  return {
    read: kind => void (counts[kind] += 1),
    pass: () => void (of_no_use += 1),
    miss(text_label, text) {
      const full = oneLine(text_label, LONGEST_LABEL) || 'no label';
      const label = missed.has(full) || missed.size < MOST_LABELS ? full : OTHERS;
      const entry = missed.get(label) ?? { label, items: 0, examples: [] };
      missed.set(label, entry);
      entry.items += 1;
      const example = oneLine(text, LONGEST_EXAMPLE);
      if (entry.examples.length < EXAMPLES && !entry.examples.includes(example)) entry.examples.push(example);
    },
    total: () => ({ read: { ...counts }, of_no_use, not_understood: mostFirst([...missed.values()]) }),
  };
}

const OTHERS = 'others';

const oneLine = (text: string, longest: number) =>
  text
    .slice(0, longest * 2)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, longest)
    .toWellFormed();

/** The labels with the most items; the others are counted as one. */
function mostFirst(missed: Missed[]): Missed[] {
  const ordered = missed.toSorted((a, b) => b.items - a.items || (a.label < b.label ? -1 : 1));
  const rest = ordered.slice(MOST_SHOWN);
  if (rest.length === 0) return ordered;
  const items = rest.reduce((sum, entry) => sum + entry.items, 0);
  const examples = rest.flatMap(entry => entry.examples).slice(0, EXAMPLES);
  return [...ordered.slice(0, MOST_SHOWN), { label: OTHERS, items, examples }];
}

/** A list with a larger share of items not understood may have a layout that its reader does not know. */
const MOST_MISSED = 0.01;

/** What an operator should look at, one sentence each; empty while at most one item in a hundred was not understood. */
export function accountWarnings({ read, of_no_use, not_understood }: ListAccount): string[] {
  const missed = not_understood.reduce((sum, { items }) => sum + items, 0);
  const items = Object.values(read).reduce((sum, count) => sum + count, of_no_use + missed);
  if (missed <= items * MOST_MISSED) return [];
  const labels = not_understood.slice(0, 5).map(({ label, items: count }) => `${label} (${count})`);
  return [
    `${missed} of ${items} items were not understood, and cannot be matched: ${labels.join(', ')}. ` +
      'Look at the examples; the publisher may have changed the layout.',
  ];
}

/** What counts as read when an identifier of this type is read. */
export const kindOfKey = (type: KeyType): ReadKind => kinds[type] ?? 'documents';

const kinds: Partial<Record<KeyType, ReadKind>> = { wallet: 'wallets', domain: 'websites', email: 'emails' };
