import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { delimiter, resolve as resolvePath } from 'node:path';
import { findPrograms, openCluster } from '#test/suite/cluster.ts';
import { processorTime } from '#test/suite/processor_time.ts';
import { createReport, seconds, type TestNotice } from '#test/suite/report.ts';
import { grownSlow, planRooms, rememberDurations, withoutTurn, writeRooms } from '#test/suite/rooms.ts';
import { chromium } from 'playwright-core';

/** How many processes the test files are shared out to; test/ava.config.js says how many run at once. */
const ROOM_COUNT = 4;

// The test suite: `node test/run.ts [FILE or folder …] [--check] [--all] [--deep] [--remember]`. One embedded PostgreSQL with a migrated template
// database for all; the files are shared out to rooms, each a process; what lasts longest begins first. Files that take long have turns, which
// `--all` and `--deep` give to all of them.
const began = performance.now();
const own = new Set(['--check', '--all', '--deep', '--remember']);
const options = process.argv.slice(2).filter(argument => argument.startsWith('--'));
const asked = process.argv.slice(2).filter(argument => !argument.startsWith('--'));
const all = globSync('test/**/*.test.ts', { exclude: ['test/.rooms/**'] }).toSorted();

const running = new Set<ChildProcess>();
let stopped = false;
const stop = (signal: NodeJS.Signals) => {
  stopped = true;
  for (const child of running) child.kill(signal);
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);

// Properties are tried with the same cases in every run of a commit, and with others at the next.
const seed = process.env['TEST_SEED'] ?? seedOfCommit();
console.log(`seed ${seed}`);
const isWhole = asked.length === 0;
const takesTurns = isWhole && !options.includes('--all') && !options.includes('--deep');
const waiting = takesTurns ? withoutTurn(all, Number(seed)) : new Set<string>();
const files = isWhole ? all.filter(file => !waiting.has(file)) : [...new Set(asked.flatMap(filesAt))];

const report = createReport();
// What does not pass the check need not be tried.
const checked = options.includes('--check')
  ? run('npm', ['run', '-s', 'check']).then(status => (status === 0 ? 0 : (stop('SIGTERM'), status)))
  : 0;
const cluster = await openCluster();
const programs = findPrograms();
const needsBrowser = files.some(file => file.startsWith('test/dashboard/'));
const browser = programs.chromium && needsBrowser ? await openBrowser(programs.chromium) : undefined;
// Git ignores them. Another run may have rooms of its own.
const rooms = `test/.rooms/${process.pid}`;
await writeRooms(rooms, planRooms(files, ROOM_COUNT));
const code = await run('ava', ['--config', 'test/ava.config.js', ...options.filter(option => !own.has(option))], {
  ...cluster.environment,
  TEST_REDIS: programs.redis,
  TEST_PGBOUNCER: programs.pgbouncer,
  TEST_BROWSER: browser?.url ?? '',
  TEST_ROOMS: rooms,
  TEST_SEED: String(seed),
  ...(options.includes('--deep') && { TEST_DEEP: '1' }),
  LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
});
await browser?.close();
const database_time = cluster.processorTime();
await cluster.close();
await rm(rooms, { recursive: true, force: true });
const failures = [...report.failures];
if (stopped) failures.push('the run was stopped');
if (report.remaining() > 0) failures.push(`${report.remaining()} tests did not run to their end`);
if ((await checked) !== 0) failures.push('npm run check');

const whole = performance.now() - began;
console.log('\nWhat took longest:');
for (const [file, duration] of report.slowest(20)) console.log(`${seconds(duration).padStart(8)}  ${file}`);
console.log(`${seconds(whole).padStart(8)}  all of it`);
// The server was our child: its time is within ours.
const processor_time = processorTime('self');
if (processor_time !== null && database_time !== null)
  console.log(
    `${seconds(processor_time).padStart(8)}  of processor time, ${seconds(database_time)} of it PostgreSQL's`,
  );
if (waiting.size > 0)
  console.log(
    `${waiting.size} files that take long have their turn at other commits: \`npm run test:all\` runs them, too.`,
  );
// That a file has grown slow is told and fails nothing: a machine may be busy with something else.
if (isWhole)
  for (const { file, duration, most } of grownSlow(report.durations))
    console.log(`Grown slow: ${file} took ${seconds(duration)}, more than ${seconds(most)}.`);
if (options.includes('--remember') && isWhole && waiting.size === 0) await rememberDurations(report.durations);

if (failures.length > 0) console.log(['', 'What failed:', ...failures].join('\n'));
const failed = Math.max(report.failed(), failures.length, code === 0 ? 0 : 1);
console.log(`\n${report.passed()} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** Runs a program to its end, hearing what it tells. Answers with its exit code. */
async function run(program: string, parameters: string[], environment: Record<string, string> = {}): Promise<number> {
  if (stopped) return 1;
  const child = spawn(program, parameters, {
    stdio: ['inherit', 'inherit', 'inherit', ...(program === 'ava' ? (['ipc'] as const) : [])],
    // As npm would: the programs and the Node of this project come first.
    env: {
      ...process.env,
      PATH: `${resolvePath('node_modules/.bin')}${delimiter}${process.env['PATH']}`,
      ...environment,
    },
  });
  running.add(child);
  // The check takes what time the tests leave: some of them wait, and hardly anything waits for the check.
  if (program === 'npm' && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  child.on('message', told => report.hear(told as TestNotice));
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on('error', reject);
  child.on('close', status => resolve(status ?? 1));
  return promise.finally(() => running.delete(child));
}

function seedOfCommit(): number {
  const { stdout, status } = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' });
  return status === 0 ? Number.parseInt(stdout.slice(0, 7), 16) : 20_261_120;
}

/** The test files that are meant by a path: that file, or all in that folder. */
function filesAt(path: string): string[] {
  const relative = path.replace(/^\.\//, '').replace(/\/$/, '');
  if (statSync(relative).isFile()) return [relative];
  return all.filter(file => file.startsWith(`${relative}/`));
}

/**
 * One browser for all rooms, by the name of its program; `url` is where they connect to it. What it would ask of its maker is switched off, and
 * it has no sandbox of its own, which root cannot have.
 */
async function openBrowser(name: string): Promise<{ url: string; close(): Promise<void> }> {
  const server = await chromium.launchServer({
    executablePath: execFileSync('which', [name], { encoding: 'utf8' }).trim(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return { url: server.wsEndpoint(), close: () => server.close() };
}
