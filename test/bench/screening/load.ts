import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fictionalList } from '#shared/screening/lists/fictional.ts';
import type { ListFormatName } from '#shared/settings/screening_lists_setting.ts';
import { readList } from '#shared/screening/lists/read_list.ts';
import type { ListEntry } from '#shared/screening/matcher/entry.ts';
import { textAt } from '#shared/screening/matcher/index/text_table.ts';
import type { ListIndex } from '#shared/screening/matcher/list_index.ts';
import { buildListIndex } from '#test/helpers/lists.ts';
import type { LoadedList } from '#shared/screening/matcher/screen.ts';

/** A list of a folder: `lists/ofac` and `lists/un` as their publishers ship them. */
export type ListSource = { name: string; format: ListFormatName; path: string };

export function sourcesOf(folder: string | undefined): ListSource[] {
  if (folder === undefined) return [fictionalList];
  const known: ListSource[] = [
    { name: 'ofac', format: 'ofac-sdn', path: join(folder, 'lists/ofac') },
    { name: 'un', format: 'un-xml', path: join(folder, 'lists/un') },
  ];
  return known.filter(({ path }) => existsSync(path));
}

export type Timed = { list: LoadedList; entries: number; names: number; read_ms: number; index_ms: number };

/** Everything of a list, as it stands in its index. */
export const entriesOf = ({ index }: LoadedList): ListEntry[] =>
  textsOf(index).map(text => JSON.parse(text) as ListEntry);

const textsOf = (index: ListIndex) => Array.from({ length: index.entry_count }, (_, at) => textAt(index.entries, at));

/** Writes a list down, an entry a line. */
export const writeList = (path: string, { index }: LoadedList): void => writeFileSync(path, textsOf(index).join('\n'));

/** Reads a list and makes it searchable, on this thread. */
export async function loadList({ name, format, path }: ListSource): Promise<Timed> {
  const started = performance.now();
  const entries: ListEntry[] = [];
  for await (const entry of readList(format, path).entries) entries.push(entry);
  const read = performance.now();
  const index = buildListIndex(entries);
  const list = { name, version: 1, index };
  return {
    list,
    entries: entries.length,
    names: index.name_count,
    read_ms: read - started,
    index_ms: performance.now() - read,
  };
}
