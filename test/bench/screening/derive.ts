import type { ListEntry } from '#shared/screening/matcher/entry.ts';
import type { LoadedList } from '#shared/screening/matcher/screen.ts';
import { entriesOf } from './load.ts';
import type { Cases, KeyCase, ListCase, PairCase } from './cases.ts';

/** How people, scanners and forgers change a name that stays the same. */
const changes: Record<string, (name: string) => string> = {
  exact: name => name,
  case: name => name.toLowerCase(),
  reordered: name => name.split(' ').toReversed().join(' '),
  typo: name => name.replace(/(\w{3})(\w)(\w{2,})/, '$1$3'),
  swapped: name => name.replace(/(\w{2})(\w)(\w)(\w{2,})/, '$1$3$2$4'),
  ocr: name => name.replace(/o/i, '0').replace(/i/i, '1'),
  diacritics: name => name.replace(/a/g, 'á').replace(/o/g, 'ö').replace(/e/g, 'é'),
  homoglyph: name => name.replace(/a/, 'а').replace(/o/, 'о'),
  joined: name => name.replace(' ', ''),
  punctuation: name => name.replaceAll(' ', '.'),
  spaced: name =>
    name
      .split(' ')
      .map(word => [...word].join(' '))
      .join('   '),
};

/** Cases made of a list itself: each of its entries changed in each way, and pairs of entries that are not each other. */
export function deriveCases(lists: readonly LoadedList[]): Cases {
  const cases: Cases = { pairs: [], queries: [], keys: [] };
  for (const loaded of lists) {
    const list = loaded.name;
    const listed = entriesOf(loaded).filter(entry => entry.action === 'deny' && entry.name !== '');
    listed.forEach((entry, at) => {
      for (const [category, change] of Object.entries(changes)) {
        const id = `${entry.entry_id} ${category}`;
        const query = { name: change(entry.name), type: entry.type };
        cases.queries.push({ id, category, query, expect: `${list}:${entry.entry_id}` } satisfies ListCase);
        cases.pairs.push({ id, category, query, target: entry2target(entry), match: true } satisfies PairCase);
      }
      const other = listed[(at + 7) % listed.length];
      if (other && other !== entry) {
        const query = { name: other.name, type: other.type };
        cases.pairs.push({
          id: `${entry.entry_id} other`,
          category: 'other',
          query,
          target: entry2target(entry),
          match: false,
        });
      }
      for (const { type, value } of entry.keys)
        cases.keys.push({
          id: value,
          category: type,
          query: { key: value, key_type: type },
          expect: `${list}:${entry.entry_id}`,
        } satisfies KeyCase);
    });
    cases.queries.push(...clean.map(name => ({ id: name, category: 'clean', query: { name }, expect: null })));
  }
  return cases;
}

const entry2target = ({ name, aliases, type }: ListEntry) => ({
  name,
  aliases: aliases.map(alias => alias.name),
  type,
});

/** Names of nobody who is listed. */
const clean = [
  'Readable Extracts',
  'Hotel Seeblick',
  'Weather Feed',
  'Ada Lovelace',
  'Grace Hopper',
  'Acme Cloud Hosting',
  'Alan Turing',
];
