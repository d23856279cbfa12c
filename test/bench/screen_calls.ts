import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Agent, request } from 'undici';
import { readList } from '#shared/screening/lists/read_list.ts';
import type { ListEntry } from '#shared/screening/matcher/entry.ts';
import { sourcesOf } from '#test/bench/screening/load.ts';
import { load } from '#test/helpers/lists.ts';
import { atPace } from './at_pace.ts';
import { cpuOf, cpuOfDatabase, memoryOf } from './cpu.ts';
import type { Bench } from './run.ts';
import { entryOf, nameMaker } from './screening_flow.ts';

const ENTRIES = 16_000;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 6);
const ROWS = 60_000;
const BATCH = 100;
/** Every so many names are of the list, with another letter at the end. */
const LISTED = 20;

/**
 * What `POST /v1/screen` answers, and how fast, one `web` process beside the client and the database: one after the other, in step, at an even
 * pace beside readers of alerts, in batches; and `admin screen`. `BENCH_LISTS` is a folder with `lists/ofac` and `lists/un`; without it the
 * list is made up.
 */
export async function screenCalls({ services, startApi, figure }: Bench): Promise<void> {
  const { db, config } = services;
  const listed = await loadLists();
  const api = await startApi();
  const cluster = join(config.data_dir, 'postgres');
  const dispatcher = new Agent({ connections: 128 });
  const headers = { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' };
  const name = nameMaker();
  let turn = 0;
  const somebody = () => {
    turn += 1;
    return { name: turn % LISTED === 0 ? `${listed[(turn * 31) % listed.length] ?? ''}a` : name(), country: 'DE' };
  };
  const ask = async (body: string) => {
    const answer = await request(`${api.address}/v1/screen`, { method: 'POST', dispatcher, headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}: ${text}`);
  };
  const one = () => ask(JSON.stringify({ payee: somebody() }));
  const several = () => ask(JSON.stringify({ payees: Array.from({ length: BATCH }, somebody) }));

  /** So many callers, each one after the other, for some seconds: how many answers, how long they took, and what they cost. */
  const inStep = async (callers: number, act: () => Promise<void>) => {
    const used = async () => [await cpuOf(api.pid), await cpuOfDatabase(cluster)] as const;
    const before = await used();
    const times: number[] = [];
    const start = performance.now();
    const caller = async () => {
      while (performance.now() - start < SECONDS * 1_000) {
        const begun = performance.now();
        await act();
        times.push(performance.now() - begun);
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
    const rate = (times.length * 1_000) / (performance.now() - start);
    const after = await used();
    const cost = (at: 0 | 1) => ((after[at] - before[at]) / times.length).toFixed(2);
    times.sort((a, b) => a - b);
    return { rate, times, cost: `${cost(0)} ms of CPU each in the process, ${cost(1)} in PostgreSQL` };
  };
  const part = (times: readonly number[], share: number) => times[Math.floor(times.length * share)] ?? 0;
  const ms = (value: number) => `${value.toFixed(1)} ms`;

  await inStep(32, one);
  const alone = await inStep(1, one);
  figure('answers/s to one caller', alone.rate, `p50 ${ms(part(alone.times, 0.5))} (goal 3); ${alone.cost}`);
  for (const callers of [8, 32, 64]) {
    const { rate, times, cost } = await inStep(callers, one);
    const goal = callers === 8 ? '' : ' (goal 1,500)';
    figure(`answers/s to ${callers} callers${goal}`, rate, `p50 ${ms(part(times, 0.5))}; ${cost}`);
  }

  const readAlerts = async () => (await request(`${api.address}/v1/alerts`, { dispatcher, headers })).body.dump();
  const quiet = await atPace(20, SECONDS, readAlerts);
  const [times, readers] = await Promise.all([atPace(500, SECONDS, one), atPace(20, SECONDS, readAlerts)]);
  figure(
    'ms, p95 of an answer at 500/s',
    part(times, 0.95),
    `p50 ${ms(part(times, 0.5))}, p99 ${ms(part(times, 0.99))} (goal p95 15)`,
  );
  figure('ms, p99 of GET /v1/alerts meanwhile', part(readers, 0.99), `alone ${ms(part(quiet, 0.99))}`);

  const batches = await inStep(4, several);
  figure(
    `payees/s in batches of ${BATCH}`,
    batches.rate * BATCH,
    `4 callers, p50 ${ms(part(batches.times, 0.5))}; ${batches.cost}`,
  );
  figure('most memory of the process, MB', await memoryOf(api.pid), '');
  await dispatcher.close();
  await api.stop();
  await screenFile();

  async function screenFile() {
    const file = join(config.data_dir, 'payees.csv');
    await writeFile(
      file,
      `name,country\n${Array.from({ length: ROWS }, () => `"${somebody().name}",DE`).join('\n')}\n`,
    );
    const args = ['bin/admin.ts', 'screen', file, '--out', `${file}.out`, '--json'];
    const { stdout } = await promisify(execFile)('node', args, { env: { ...process.env, DATA_DIR: config.data_dir } });
    const { ms: taken } = JSON.parse(stdout) as { ms: number };
    figure('rows/s of admin screen (goal 3,000)', (ROWS * 1_000) / taken, `${ROWS.toLocaleString('en')} rows`);
  }

  /** Loads the lists, and answers with some names that they have. */
  async function loadLists(): Promise<string[]> {
    const folder = process.env['BENCH_LISTS'];
    const made = nameMaker();
    if (folder === undefined) {
      const entries = Array.from({ length: ENTRIES }, (_, index) => entryOf(String(index), made()));
      await load(db, entries);
      return namesOf(entries);
    }
    const all: string[] = [];
    for (const { name: list, format, path } of sourcesOf(folder)) {
      const entries: ListEntry[] = [];
      for await (const entry of readList(format, path).entries) entries.push(entry);
      await load(db, entries, { name: list, format });
      all.push(...namesOf(entries));
    }
    return all;
  }
}

const namesOf = (entries: readonly ListEntry[]) => entries.map(({ name }) => name.replaceAll('"', '')).filter(Boolean);
