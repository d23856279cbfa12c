import type { ListEntry } from '#shared/screening/matcher/entry.ts';
import type { LoadedList } from '#shared/screening/matcher/screen.ts';
import { entriesOf } from './load.ts';
import { changes, seeded } from './changes.ts';
import type { Cases, KeyCase, ListCase, PairCase } from './cases.ts';

/** Cases made of a list itself: each of its entries changed in each way, and pairs of entries that are not each other. */
export function deriveCases(lists: readonly LoadedList[]): Cases {
  const cases: Cases = { pairs: [], queries: [], keys: [] };
  for (const loaded of lists) {
    const list = loaded.name;
    const listed = entriesOf(loaded).filter(entry => entry.action === 'deny' && entry.name !== '');
    listed.forEach((entry, at) => {
      for (const [category, change] of Object.entries(changes)) {
        const id = `${entry.entry_id} ${category}`;
        const name = change(entry.name, seeded(id), entry.type === 'person');
        if (name === entry.name && category !== 'exact') continue;
        const query = { name, type: entry.type };
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
