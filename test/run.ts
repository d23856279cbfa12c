import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, globSync, statfsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import pg from 'pg';
import { openEmbeddedPostgres } from '#shared/embedded_postgres/open.ts';
import { migrate } from '#sql/migrate.ts';

/** How many files run at once, besides those that mostly wait. */
const LANES = 3;
/** In how many parts the files are handed to the lanes: were it one each, a lane would be done long before another. */
const PARTS = 24;

// The test suite: one embedded PostgreSQL with a migrated template database, of which every test gets a clone of its own.
const data_dir = await mkdtemp(join(folderInMemory() ?? tmpdir(), 'oversight-test-'));
// Run as root, PostgreSQL is started as another user, who has to get there.
await chmod(data_dir, 0o711);
const postgres = await openEmbeddedPostgres({ data_dir, say: message => console.log(message) });

const template = new URL(postgres.owner_url);
template.pathname = '/oversight_template';
const client = new pg.Client({ connectionString: postgres.owner_url });
await client.connect();
await client.query('create database oversight_template');
// Tests kill processes, not the machine: nothing here has to outlast it.
for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
  await client.query(`alter system set ${setting} = off`);
await client.query('select pg_reload_conf()');
// Thousands of connections are opened: the passwords are random, and need not be made slow to guess.
await client.query('set scram_iterations = 1');
for (const { username, password } of [postgres.owner_url, postgres.service_url].map(url => new URL(url)))
  await client.query(`alter role ${username} password ${pg.escapeLiteral(decodeURIComponent(password))}`);
await client.end();
await migrate(template.href);

const redis = process.env['REDIS_URL']
  ? 'REDIS_URL'
  : spawnSync('redis-server', ['--version']).status === 0
    ? 'redis-server'
    : null;
if (!redis) console.log('No redis-server on the PATH and no REDIS_URL: the tests on the Redis queue are skipped.');

const chromium = ['chromium', 'chromium-browser', 'google-chrome'].find(
  name => spawnSync(name, ['--version']).status === 0,
);
if (!chromium) console.log('No chromium on the PATH: the tests in a browser are skipped.');

const environment = {
  ...process.env,
  ...(process.stdout.isTTY && { FORCE_COLOR: '1' }),
  TEST_OWNER_URL: postgres.owner_url,
  TEST_SERVICE_URL: postgres.service_url,
  TEST_REDIS: redis ?? '',
  TEST_CHROMIUM: chromium ?? '',
  // Every test file is a process: what one has compiled, the others need not.
  NODE_COMPILE_CACHE: join(data_dir, 'compiled'),
  LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
};
/** Linux's folder in memory, where it has room: a database a test is a great many files, which need not reach a disk. */
function folderInMemory(): string | null {
  const folder = '/dev/shm';
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > 4_000_000_000 ? folder : null;
  } catch {
    return null;
  }
}

const count = { passed: 0, failed: 0 };
/** What ava says of what failed: said once more at the end of all, where it is looked for. */
const failures: string[] = [];

const running = new Set<ReturnType<typeof spawn>>();
let stopped = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    stopped = true;
    for (const child of running) child.kill(signal);
  });

/** Runs test files one after the other, and counts what ava says of their tests. Answers with ava's exit code. */
async function runFiles(files: string[]): Promise<number> {
  if (stopped) return 1;
  const child = spawn('ava', files, { stdio: ['inherit', 'pipe', 'inherit'], env: environment });
  running.add(child);
  child.on('close', () => running.delete(child));
  const said: string[] = [];
  createInterface({ input: child.stdout }).on('line', line => {
    console.log(line);
    const text = stripVTControlCharacters(line);
    const mark = /^\s*([✔✘]) /.exec(text)?.[1];
    if (mark !== '✔') said.push(line);
    if (mark) count[mark === '✔' ? 'passed' : 'failed'] += 1;
  });
  const code = await new Promise<number>(resolve => child.on('close', status => resolve(status ?? 1)));
  if (code !== 0) failures.push(...said);
  return code;
}

// ava runs the files of a serial suite one by one, which leaves half of two processors idle.
const asked = process.argv.slice(2);
const all = globSync('test/**/*.test.ts').toSorted();
// What starts whole services, kills and stops them has the machine to itself, in two shares: most of it waits for processes.
const alone = all.filter(file => /^test\/(e2e\/|bin\/(start|signals|demo_run|demo_replay)\.)/.test(file));
// Retries wait for seconds, and others can work meanwhile.
const waiting = all.filter(file => file.startsWith('test/workers/webhook'));
const others = all.filter(file => !alone.includes(file) && !waiting.includes(file));
const parts = Array.from({ length: PARTS }, (_, part) => others.filter((_file, index) => index % PARTS === part));
/** Takes the next part until none is left. */
async function runLane(): Promise<number> {
  let worst = 0;
  for (let part = parts.pop(); part; part = parts.pop()) worst = Math.max(worst, await runFiles(part));
  return worst;
}
const codes = await Promise.all(
  asked.length > 0 ? [runFiles(asked)] : [runFiles(waiting), ...Array.from({ length: LANES }, runLane)],
);
if (asked.length === 0) {
  const starts = (file: string) => /\/(start|signals)\./.test(file);
  const [killing, starting] = [alone.filter(file => !starts(file)), alone.filter(starts)];
  codes.push(...(await Promise.all([killing, starting].map(runFiles))));
}
const code = Math.max(...codes);

await postgres.close();
await rm(data_dir, { recursive: true, force: true });
if (failures.length > 0) console.log(['', 'What failed:', ...failures].join('\n'));
// A file that did not run, or an exception outside a test, fails without a failed test.
console.log(`\n${count.passed} passed, ${count.failed === 0 && code !== 0 ? 1 : count.failed} failed`);
process.exit(code);
