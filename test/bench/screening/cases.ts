import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EntryType, KeyType } from '#shared/screening/matcher/entry.ts';

/** Labeled cases as JSON lines. `weak`: the label is debatable, and told apart. */
type Case = { id: string; category: string; weak?: boolean };

/** Does the query's name match the target's? Some carry the score that a peer published for them. */
export type PairCase = Case & {
  query: { name: string; type?: EntryType; country?: string };
  target: { name: string; aliases?: string[]; type?: EntryType };
  match: boolean;
  peer_logicv2_score?: number;
};

/** Whom of the lists a query is: `<list>:<entry id>`, any of `also_ok` too; null: nobody. */
export type ListCase = Case & {
  query: { name: string; type?: EntryType; country?: string; birth_date?: string };
  expect: string | null;
  also_ok?: string[];
};

/** Whose an identifier is; null: nobody's. */
export type KeyCase = Case & {
  query: { key: string; key_type?: KeyType };
  expect: string | null;
  also_ok?: string[];
};

export type Cases = { pairs: PairCase[]; queries: ListCase[]; keys: KeyCase[] };

/** Reads `cases/pairs*.jsonl`, `cases/queries*.jsonl` and `cases/keys*.jsonl` of a folder; none where there is no such file. */
export function readCases(folder: string): Cases {
  const cases = existsSync(join(folder, 'cases')) ? join(folder, 'cases') : folder;
  const read = <T>(prefix: string): T[] =>
    readdirSync(cases)
      .filter(name => name.startsWith(prefix) && name.endsWith('.jsonl'))
      .flatMap(name => readFileSync(join(cases, name), 'utf8').split('\n'))
      .filter(line => line.trim() !== '')
      .map(line => JSON.parse(line) as T);
  return { pairs: read('pairs'), queries: read('queries'), keys: read('keys') };
}
