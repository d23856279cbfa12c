import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { type LoadedList, screen } from '#shared/screening/matcher/screen.ts';
import { type Cases, type KeyCase, readCases } from '#test/bench/screening/cases.ts';
import { deriveCases } from '#test/bench/screening/derive.ts';
import { loadList, sourcesOf, writeList } from '#test/bench/screening/load.ts';
import { scorePairs } from '#test/bench/screening/pairs.ts';
import { asScored, candidateRecall, queryOf, searchAsRival, searchLists } from '#test/bench/screening/queries.ts';
import { bestOf, type Scored, share } from '#test/bench/screening/rates.ts';
import { categoryReport, figure, limit, listReport, pairReport, table } from '#test/bench/screening/report.ts';

// `npm run bench:screening [folder]`: how well names and identifiers are found, and how fast. The folder holds `lists/ofac`, `lists/un` and
// `cases/*.jsonl`; without one the product's own list of made-up names is measured, with cases derived from it. Needs no database.
const THRESHOLD = 0.85;
const [folder] = new Command('npm run bench:screening --')
  .description('Measures screening: accuracy by category, and speed.')
  .argument('[folder]', 'lists and labeled cases')
  .parse().args;

const lists: LoadedList[] = [];
let loading = 0;
console.log('lists');
for (const source of sourcesOf(folder)) {
  const { list, entries, names, read_ms, index_ms } = await loadList(source);
  lists.push(list);
  loading += read_ms + index_ms;
  console.log(
    `  ${source.name}: ${entries} entries, ${names} names; read ${Math.round(read_ms)} ms, indexed ${Math.round(index_ms)} ms`,
  );
}
console.log(limit('load of all lists, seconds', loading / 1_000, 3, 's'));
console.log(limit('memory of a process that has them loaded, MB', memory() / 1e6, 300, 'MB'));

const cases = folder ? readCases(folder) : deriveCases(lists);
measurePairs(cases);
measureLists(cases);
measureKeys(cases);
measureSpeed(cases);

function measurePairs({ pairs }: Cases): void {
  const [list] = lists;
  if (pairs.length === 0 || !list) return;
  const { ours, rival } = scorePairs(pairs, list);
  const { text, best, rival: other } = pairReport(ours, rival);
  console.log(`\n${text}`);
  console.log(figure('F1 of pairs, at the best threshold', best, 0.96, other));
  const peers = (scored: Scored[]) => scored.filter((_, at) => pairs[at]?.peer_logicv2_score !== undefined);
  const published = pairs.flatMap(({ category, weak = false, match, peer_logicv2_score: score }) =>
    score === undefined ? [] : [{ category, weak, positive: match, score }],
  );
  if (published.length > 0) {
    console.log(
      figure(`F1 of the ${published.length} pairs that a peer published scores for`, bestOf(peers(ours)).f1, 0.82),
    );
    console.log(
      `  ${"the same of the peer's own scores (yente logic-v2)".padEnd(58)} ${bestOf(published).f1.toFixed(3).padStart(10)}`,
    );
    console.log(`  ${'the same of Jaro-Winkler'.padEnd(58)} ${bestOf(peers(rival)).f1.toFixed(3).padStart(10)}`);
  }
  console.log(categoryReport(ours, THRESHOLD));
}

function measureLists({ queries }: Cases): void {
  if (queries.length === 0) return;
  const askedAt = (threshold: number) => searchLists(lists, queries, threshold);
  const { text, figures } = listReport(askedAt, searchAsRival(lists, queries));
  console.log(`\n${text}`);
  for (const line of figures) console.log(line);
  console.log(figure('recall of the candidates, 40 names of a list', candidateRecall(lists, queries), 0.99));
  console.log(categoryReport(asScored(askedAt(THRESHOLD)), THRESHOLD));
}

function measureKeys({ keys }: Cases): void {
  if (keys.length === 0) return;
  const groups = Map.groupBy(keys, ({ category, expect, weak }) => {
    return `${category} ${expect === null ? 'no match' : 'match'}${weak ? ', debatable' : ''}`;
  });
  const rows = [...groups].map(([name, cases]) => [
    name,
    String(cases.length),
    share(cases.filter(isRight).length, cases.length),
  ]);
  console.log(`\n${table(['identifiers', 'cases', 'right'], rows)}`);
}

/** Whether the right entry, or none, is found by an identifier. */
function isRight({ query: { key, key_type }, expect, also_ok = [] }: KeyCase): boolean {
  const query = {
    name: null,
    aliases: [],
    type: null,
    countries: [],
    birth_date: null,
    keys: [{ type: key_type ?? null, value: key }],
  };
  const { matches } = screen(lists, query, { threshold: THRESHOLD, limit: 100 });
  const found = matches.map(({ list, entry_id }) => `${list}:${entry_id}`);
  return expect === null ? found.length === 0 : [expect, ...also_ok].some(id => found.includes(id));
}

function measureSpeed({ queries, pairs }: Cases): void {
  const asked = queries.map(queryOf);
  for (const query of asked) screen(lists, query, { threshold: THRESHOLD, limit: 10 });
  const times = asked.map(query => {
    const started = performance.now();
    screen(lists, query, { threshold: THRESHOLD, limit: 10 });
    return performance.now() - started;
  });
  times.sort((a, b) => a - b);
  const seconds = times.reduce((sum, time) => sum + time, 0) / 1_000;
  console.log(
    `\nspeed, one thread, ${lists.length} lists, ${asked.length} queries, ${pairs.length} pairs scored above`,
  );
  console.log(figure('screens a second', times.length / seconds, 3_000));
  console.log(limit('p95, milliseconds', times[Math.floor(times.length * 0.95)] ?? 0, 2, 'ms'));
  console.log(
    `  ${'p50 and highest, milliseconds'.padEnd(58)} ${`${(times[times.length >> 1] ?? 0).toFixed(2)}, ${(times.at(-1) ?? 0).toFixed(2)}`.padStart(10)}`,
  );
}

/** What a process of its own holds that has loaded the lists, in bytes. */
function memory(): number {
  const directory = mkdtempSync(join(tmpdir(), 'oversight-bench-'));
  try {
    const files = lists.map(list => join(directory, `${list.name}.jsonl`));
    lists.forEach((list, at) => writeList(files[at] ?? '', list));
    const program = fileURLToPath(new URL('./screening/memory.ts', import.meta.url));
    return Number(execFileSync(process.execPath, [program, ...files], { encoding: 'utf8' }));
  } finally {
    rmSync(directory, { recursive: true });
  }
}
