import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { WriteStream } from 'node:tty';
import { parse } from 'csv-parse';
import { asError, invalidRequest, Problem } from '#shared/interface/errors.ts';
import { countriesOf } from '#shared/screening/lists/countries.ts';
import { parsePayeeKey } from '#shared/values/payee_key.ts';
import type { ReadyList } from '#shared/screening/flow/loaded_lists.ts';
import { queryOf, nobody, SubjectType } from '#shared/screening/store/screening_query.ts';
import { usedList } from '#shared/screening/store/screening_lists.ts';
import type { ScreeningQuery } from '#shared/screening/matcher/query.ts';
import type { ListMatch } from '#shared/screening/matcher/screen.ts';
import type { Search } from '#shared/screening/search/search.ts';
import type { Shell } from './command.ts';
import { openOutput } from './csv_output.ts';
import { startProgress } from './progress.ts';

type Options = {
  lists: readonly ReadyList[];
  threshold: number;
  search: Search;
  /** A file to write to; standard output when undefined. */
  out: string | undefined;
  /** Counts and matches are wanted as one document; the CSV is written to a file alone. */
  json: boolean;
  now: () => number;
  shell: Shell;
};

const query_columns = ['name', 'type', 'country', 'key', 'date_of_birth', 'aliases'];
const added = ['state', 'score', 'list', 'entry_id', 'matched_name', 'match_type', 'explanation'];
/** Characters of a row; a quote that is never closed must not fill the memory. */
const LONGEST_ROW = 1_000_000;
/** Matches that are told in the document; there may be more. */
const MOST_TOLD = 1_000;

/**
 * Screens a CSV file row by row as it streams in, and writes each row with its best match. Memory does not grow with the file. Throws
 * `no_lists`, and `invalid_request` where it is no CSV in UTF-8 with a header that names any of the columns; a file to write to is then as
 * it was before.
 */
export async function screenFile(path: string, { lists, threshold, search, out, json, now, shell }: Options) {
  if (lists.length === 0)
    throw new Problem('no_lists', 'No list has been loaded, so that there is nothing to screen against.');
  const size = await stat(path).then(
    ({ size }) => size,
    (error: Error) => {
      throw invalidRequest(`The file ${path} cannot be read: ${error.message}.`);
    },
  );
  const started = performance.now();
  const write = out === undefined && json ? null : await openOutput(out, path, shell.stdout);
  const progress = shell.stderr instanceof WriteStream ? startProgress('screening, bytes', size, shell.stderr) : null;
  const counts = { screened: 0, potential_matches: 0, clear: 0, not_screened: 0 };
  const results: object[] = [];
  let rows = 0;
  let columns: string[] = [];
  const searched = (rows: AsyncIterable<FileRow>) => searchRows(rows, { lists, threshold, search });
  try {
    for await (const { row, bytes, found } of searched(readRows(path, header => (columns = header)))) {
      const [best] = found.matches;
      if (rows === 0) await write?.row([...columns, ...added]);
      const state = stateOf(row, best);
      rows += 1;
      if (state !== 'not_screened') counts.screened += 1;
      counts[state === 'potential_match' ? 'potential_matches' : state] += 1;
      if (json && best && results.length < MOST_TOLD) results.push({ row: rows, ...toldOf(row, best) });
      progress?.update(bytes);
      if (write && !(await write.row([...columns.map(name => row[name] ?? ''), state, ...cellsOf(best)]))) break;
    }
    if (rows === 0) await write?.row([...columns, ...added]);
    await write?.end();
  } catch (error) {
    await write?.abandon();
    throw error;
  } finally {
    progress?.stop();
  }
  const used = lists.map(list => usedList(list, now()));
  const ms = Math.round(performance.now() - started);
  const summary = { ...counts, threshold, lists: used, ms, ...(out !== undefined && { out }) };
  if (json) return { ...summary, matches: results, truncated: counts.potential_matches > results.length };
  return out === undefined ? undefined : summary;
}

type Row = Record<string, string>;
/** A row of the file, and how many bytes had been read by then. */
type FileRow = { row: Row; bytes: number };

/** Rows that are looked for together, and how many such parts: while one is written, the next are read and looked for. */
const ROWS = 64;
const PARTS = 6;

/** The rows in their order with what was found of each, at most its best match. Throws where the matcher fails. */
async function* searchRows(
  rows: AsyncIterable<FileRow>,
  { lists, threshold, search }: Pick<Options, 'lists' | 'threshold' | 'search'>,
) {
  const find = async (part: readonly FileRow[]) => {
    const sought = part.map(({ row }) => ({ query: queryOfRow(row), threshold, limit: 1 }));
    const results = await search.find(lists, sought);
    return part.map((sent, at) => {
      const each = results[at] ?? { failed: 'nothing was answered' };
      if ('failed' in each) throw new Error(`A row could not be screened: ${each.failed}`);
      return { ...sent, found: each };
    });
  };
  const under_way: ReturnType<typeof find>[] = [];
  let part: FileRow[] = [];
  const begin = () => {
    const begun = find(part);
    // It is thrown where its turn comes.
    begun.catch(() => {});
    under_way.push(begun);
    part = [];
  };
  for await (const row of rows) {
    part.push(row);
    if (part.length < ROWS) continue;
    begin();
    if (under_way.length >= PARTS) yield* (await under_way.shift()) ?? [];
  }
  begin();
  for (const rest of under_way) yield* await rest;
}

/** The rows of a CSV file by the names of its columns in lower case, and how many bytes have been read. `onHeader` hears those names first. */
async function* readRows(path: string, onHeader: (columns: string[]) => void): AsyncGenerator<FileRow> {
  let isEmpty = true;
  const columns = (header: string[]) => {
    const names = needColumns(header.map(name => name.toLowerCase()));
    isEmpty = false;
    onHeader(names);
    return names;
  };
  const file = createReadStream(path);
  const rows = parse({ bom: true, trim: true, skip_empty_lines: true, max_record_size: LONGEST_ROW, columns });
  // What goes wrong on the way, is thrown where the rows are read.
  pipeline(file, textOf, rows).catch(() => {});
  try {
    for await (const row of rows) yield { row: row as Row, bytes: file.bytesRead };
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw invalidRequest(`The file ${path} is not sound CSV: ${asError(error).message}.`);
  }
  if (isEmpty) throw invalidRequest(`The file ${path} is empty; it needs a header, such as name,country,key.`);
}

/** Bytes as text; throws at what is not UTF-8. */
async function* textOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw invalidRequest('It has bytes that are not UTF-8; convert it to UTF-8.');
    }
  };
  for await (const chunk of chunks) yield decode(chunk);
  yield decode();
}

function needColumns(header: string[]): string[] {
  const twice = header.find((name, index) => header.indexOf(name) !== index);
  if (twice !== undefined) throw invalidRequest(`The header names the column ${twice} twice.`);
  if (['name', 'key', 'aliases'].some(name => header.includes(name))) return header;
  throw invalidRequest(
    `The header names no column to screen by; it takes ${query_columns.join(', ')}, and at least name, key or aliases.`,
  );
}

/** What is not understood of a row is as if it were not known: it takes nothing from a score. */
function queryOfRow({
  name = '',
  type = '',
  country = '',
  key = '',
  date_of_birth = '',
  aliases = '',
}: Row): ScreeningQuery {
  const parsed = parsePayeeKey(key);
  const birth = /^[12][0-9]{3}(-[0-9]{2}(-[0-9]{2})?)?$/.test(date_of_birth) ? date_of_birth : null;
  const query = queryOf({
    ...nobody,
    key: parsed.ok ? parsed.value : null,
    name: name || null,
    type: SubjectType.safeParse(type.toLowerCase()).data ?? null,
    aliases: aliases
      .split(/[;|]/)
      .map(alias => alias.trim())
      .filter(Boolean),
    date_of_birth: birth,
    identifiers: key && !parsed.ok ? [{ type: 'other', value: key }] : [],
  });
  return { ...query, countries: country ? countriesOf(country) : [] };
}

/** Whether there is anything in a text that a list could have. */
const isTelling = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** A row that says nobody's name and no identifier is not clear. */
const stateOf = ({ name = '', key = '', aliases = '' }: Row, match: ListMatch | undefined) =>
  match ? 'potential_match' : [name, key, aliases].some(isTelling) ? 'clear' : 'not_screened';

const cellsOf = (match: ListMatch | undefined): string[] =>
  match
    ? [
        String(match.score),
        match.list,
        match.entry_id,
        match.matched_name || match.name,
        match.match_type,
        explain(match),
      ]
    : ['0', '', '', '', '', ''];

const toldOf = ({ name = '', key = '' }: Row, match: ListMatch) => ({
  name,
  key,
  score: match.score,
  list: match.list,
  entry_id: match.entry_id,
  matched_name: match.matched_name || match.name,
  match_type: match.match_type,
  explanation: explain(match),
});

/** Why it matches, in a line. */
function explain({
  name,
  matched_name,
  features: { key, name_score, modifiers, unmatched_query, unmatched_entry },
}: ListMatch) {
  if (key) return `${key.label ?? key.type} ${key.value} of ${name || matched_name}`;
  const only = [
    unmatched_query.length > 0 && `only here: ${unmatched_query.join(' ')}`,
    unmatched_entry.length > 0 && `only there: ${unmatched_entry.join(' ')}`,
    ...modifiers.map(({ points, detail }) => `${detail} (${points > 0 ? '+' : ''}${points})`),
  ].filter(Boolean);
  return [`names ${name_score}`, ...only].join('; ');
}
