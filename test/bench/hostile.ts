import type { Bench } from './run.ts';
import { type Crew, crewTypes, startCrew } from './faults/crew.ts';
import { generated } from './hostile/generated.ts';
import { openPlace } from './hostile/place.ts';
import { permissions, tenancy } from './hostile/rights.ts';
import { newTally, note, type Tally } from './hostile/tally.ts';
import { asksOnly, openTrap, targets } from './hostile/targets.ts';
import { bombs, slowness, smuggling } from './hostile/wires.ts';
import { writings } from './hostile/writings.ts';

/** How many requests are generated. */
const REQUESTS = Number(process.env['BENCH_HOSTILE'] ?? 100_000);
/** The same seed makes the same requests. */
const SEED = Number(process.env['BENCH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** Only parts whose names contain this are tried. */
const ONLY = process.env['BENCH_HOSTILE_ONLY'] ?? '';
/** The most that `web` may hold, in MB: at rest it holds some 190. */
const MOST_MEMORY = 450;
const OPERATOR = 'bench:a-credential-of-the-bench';

/**
 * Attacks the service, as the processes of the Procfile, in every way that the interface offers: part by part how many answers were 500 or
 * above, what was told or done that must not be, what hung, and the most memory held. Exits 1 where any of it is not as it should be.
 */
export async function hostile(bench: Bench): Promise<void> {
  const trap = await openTrap();
  const logs = newTally();
  let hears = false;
  const settings = {
    LOG_LEVEL: 'info',
    WEBHOOK_ALLOW_PRIVATE: 'false',
    OPS_CREDENTIAL: OPERATOR,
    OPS_READ_ONLY: 'false',
    NODE_OPTIONS: asksOnly(trap.dns_port),
  };
  const crew = await startCrew(bench.data_dir, settings, line => hears && readLine(logs, line));
  const place = await openPlace(bench, crew);
  hears = true;
  const parts: Record<string, (tally: Tally) => Promise<void>> = {
    'permission cells': tally => permissions(place, tally),
    'tenancy of every id': tally => tenancy(place, tally),
    'smuggled requests': tally => smuggling(place, tally),
    'bombs in bodies': tally => bombs(place, tally),
    'slow and silent connections': tally => slowness(place, tally),
    'forbidden targets': tally => targets(place, tally, trap),
    'scripts and formulas': tally => writings(place, tally, OPERATOR),
    [`generated, seed ${SEED}`]: tally => generated(place, tally, REQUESTS, SEED),
  };
  console.log(row('', ['requests', '5xx', 'leaks', 'hangs', 'web, MB', 'others, MB']));
  for (const [name, run] of Object.entries(parts).filter(([name]) => name.includes(ONLY))) {
    await crew.forgetMemory();
    const tally = newTally();
    await run(tally);
    await report(name, tally, crew);
  }
  await report('lines of the log', logs, crew);
  console.log(`    web may hold ${MOST_MEMORY} MB`);
  place.close();
  trap.close();
  await crew.stop();
}

async function report(name: string, { requests, errors, leaks, hangs, found }: Tally, crew: Crew): Promise<void> {
  const web = await crew.mostMemory('web');
  const others = await Promise.all(crewTypes.filter(type => type !== 'web').map(type => crew.mostMemory(type)));
  const cells = [requests, errors, leaks, hangs, Math.round(web), Math.round(Math.max(...others))];
  console.log(row(name, cells.map(String)));
  for (const what of found) console.log(`      ${what}`);
  if (errors + leaks + hangs > 0 || web > MOST_MEMORY) process.exitCode = 1;
}

/** A line is JSON, and holds no key, token or password. */
function readLine(tally: Tally, line: string): void {
  tally.requests += 1;
  const isJson = line.startsWith('{') && parses(line);
  if (!isJson) note(tally, 'leaks', `a line that is no JSON: ${line}`);
  const secret = /hk_(test|live)_(?!(.)\2{9})\w{20,}|session=[\w-]{20,}|a-credential-of-the-bench/.exec(line);
  if (secret) note(tally, 'leaks', `${secret[0].slice(0, 12)}… in ${line}`);
}

function parses(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

const row = (name: string, cells: string[]) => `    ${name.padEnd(34)}${cells.map(cell => cell.padStart(12)).join('')}`;
