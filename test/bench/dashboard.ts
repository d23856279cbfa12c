import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { ulid } from 'ulid';
import { z } from 'zod';
import { dashboardBundle } from '#api/dashboard/bundle.ts';
import { sessionCookie } from '#api/cookies.ts';
import { createPool, type Pool, sql } from '#shared/platform/db.ts';
import { createSession } from '#shared/people/sessions.ts';
import { addMember, ensureUser } from '#shared/people/users.ts';
import { DAY, SECOND } from '#shared/values/time.ts';
import type { Bench } from './run.ts';

const STORED = Number(process.env['BENCH_STORED'] ?? 1_000_000);
const BATCH = 1_000;
const LOADS = 15;
const LOADS_WEIGHED = 5;
const POLLS = 1_000;

/** What an operator's browser asks for again and again while it shows these pages. */
const polled = [
  '/v1/events?limit=50',
  '/v1/alerts?state=open&limit=50',
  '/v1/stats?bucket=hour',
  '/v1/agents?limit=50',
  '/v1/cases?limit=50',
];

/** The dashboard over a month of events: how soon a page can be used, how large it is, and what a poll costs that finds nothing new. */
export async function dashboard({ services, database, startApi, startWorker, figure }: Bench): Promise<void> {
  const { script, style } = await dashboardBundle();
  const size = [script, style].reduce((sum, { body }) => sum + gzipSync(body).length, 0) / 1_024;
  figure('script and style sheet, KB of gzip', size, 'limit 200');

  const api = await startApi();
  const workers = [await startWorker('detect'), await startWorker('schedule')];
  await store(api, STORED);
  while (Number((await read(api, '/v1/log')).analyzed_seq) < STORED) await sleep(SECOND);
  await Promise.all(workers.map(worker => worker.stop()));
  const owner = await createPool(database.owner_url, { max: 1, application_name: 'bench' });
  await owner.query(sql.unsafe`vacuum analyze`);

  const { db, config, now } = services;
  const user = await ensureUser(db, { email: 'bench@example.com', name: 'Bench' }, now());
  await addMember(db, api.org_id, { user_id: user.id, role: 'owner', created_by: null }, now());
  const session = { user_id: user.id, org_id: api.org_id, user_agent: 'bench', second_factor_at: null };
  const { token } = await createSession(db, session, now());
  const cookie = { name: sessionCookie(config), value: token };

  for (const [path, ready] of [
    ['/', 'figure'],
    ['/events', 'tbody tr'],
    ['/alerts', 'tbody tr, .empty'],
  ] as const) {
    const times = await loads(api.address, path, ready, cookie);
    if (!times) console.log('  No chromium on the PATH: how soon a page can be used is not measured.');
    else
      figure(
        `${path} can be used after, ms`,
        median(times),
        `longest of ${LOADS}: ${Math.round(Math.max(...times))} ms; limit 1,000`,
      );
  }
  const agent_id = String(((await read(api, '/v1/agents?limit=1'))['data'] as { id: string }[])[0]?.id);
  for (const path of [...weighed, `/agents/${agent_id}`]) {
    const loads = await weigh(api.address, path, cookie);
    if (!loads) continue;
    const of = (name: keyof Weight) => median(loads.map(load => load[name]));
    figure(
      `${path.replace(agent_id, ':id')} largest contentful paint, ms`,
      of('lcp'),
      `limit 800; layout shift ${Math.max(...loads.map(({ cls }) => cls)).toFixed(3)}, limit 0.05; ${of('requests')} requests, ${Math.round(of('bytes') / 1_024)} KB`,
    );
  }
  for (const path of polled) {
    const { web, postgres, scans } = await poll(api.address, path, cookie, owner);
    figure(
      `µs of CPU a poll that finds nothing: ${path}`,
      1_000_000 * (web + postgres),
      `API ${Math.round(web * 1_000_000)}, PostgreSQL ${Math.round(postgres * 1_000_000)}; limit 2,000; table scans: ${scans || 'none'}`,
    );
  }
  await owner.end();
  await api.stop();
}

type Api = { address: string; key: string };
type Cookie = { name: string; value: string };

async function store({ address, key }: Api, events: number): Promise<void> {
  const start = Date.now() - 30 * DAY;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  let next = 0;
  const send = async () => {
    while (next < events) {
      const first = next;
      next += BATCH;
      const batch = Array.from({ length: BATCH }, (_, index) =>
        event(first + index, start + ((first + index) * 30 * DAY) / events),
      );
      const answer = await fetch(`${address}/v1/events`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ events: batch }),
      });
      const { accepted } = (await answer.json()) as { accepted: number };
      if (accepted !== BATCH) throw new Error(`only ${accepted} of ${BATCH} were accepted`);
    }
  };
  await Promise.all([send(), send(), send(), send()]);
}

const event = (index: number, at: number) => ({
  id: `evt_${ulid(at)}`,
  type: 'payment.settled',
  occurred_at: new Date(at).toISOString(),
  agent: { external_id: `agent-${index % 2_000}`, name: `Agent ${index % 2_000}` },
  owner: { external_id: `owner-${index % 50}` },
  payment: {
    payment_id: `pay_${index}_${at}`,
    rail: 'card',
    status: 'settled',
    amount: { value: String(500 + ((index * 37) % 9_000)), unit: 'minor', currency: 'USD' },
    payee: { key: `domain:shop-${index % 500}.example.com`, name: `Shop ${index % 500}` },
  },
});

async function read({ address, key }: Api, path: string): Promise<Record<string, unknown>> {
  const answer = await fetch(address + path, { headers: { authorization: `Bearer ${key}` } });
  return (await answer.json()) as Record<string, unknown>;
}

/** Pages that are looked at for how they come to be: the largest paint, what moves, what is asked for. */
const weighed = [
  '/',
  '/incidents',
  '/alerts',
  '/events',
  '/agents',
  '/payees',
  '/cases',
  '/mandates',
  '/detectors',
  '/log',
];

type Weight = { lcp: number; cls: number; requests: number; bytes: number };

/** Loads a page in browsers that have never seen it, until nothing is asked for any more. Bytes are of bodies, as they were sent. */
async function weigh(address: string, path: string, cookie: Cookie): Promise<Weight[] | null> {
  const browser = await openBrowser();
  if (!browser) return null;
  const weights: Weight[] = [];
  for (let load = 0; load < LOADS_WEIGHED; load += 1) {
    const context = await browser.newContext({ baseURL: address, viewport: { width: 1280, height: 860 } });
    await context.addCookies([{ ...cookie, url: address }]);
    const page = await context.newPage();
    await page.addInitScript(`
      window.seen = { lcp: 0, cls: 0 };
      new PerformanceObserver(list => { for (const each of list.getEntries()) seen.lcp = each.startTime; })
        .observe({ type: 'largest-contentful-paint', buffered: true });
      new PerformanceObserver(list => { for (const each of list.getEntries()) if (!each.hadRecentInput) seen.cls += each.value; })
        .observe({ type: 'layout-shift', buffered: true });`);
    await page.goto(path, { waitUntil: 'networkidle' });
    const found = (await page.evaluate(`({ ...seen,
      requests: performance.getEntriesByType('resource').length + 1,
      bytes: [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .reduce((sum, each) => sum + each.encodedBodySize, 0) })`)) as Weight;
    weights.push(found);
    await context.close();
  }
  await browser.close();
  return weights;
}

async function openBrowser() {
  const [executablePath] = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].flatMap(name =>
    whereIs(name),
  );
  if (!executablePath) return null;
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}

/** Milliseconds from asking for a page, in a browser that has never seen it, until what it is for is there and takes clicks. */
async function loads(address: string, path: string, ready: string, cookie: Cookie): Promise<number[] | null> {
  const browser = await openBrowser();
  if (!browser) return null;
  const times: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    const context = await browser.newContext({ baseURL: address, viewport: { width: 1280, height: 860 } });
    await context.addCookies([{ ...cookie, url: address }]);
    const page = await context.newPage();
    const started = performance.now();
    await page.goto(path, { waitUntil: 'commit' });
    await page.locator(ready).first().waitFor();
    times.push(performance.now() - started);
    await context.close();
  }
  await browser.close();
  return times;
}

function whereIs(name: string): string[] {
  try {
    return [execFileSync('which', [name], { encoding: 'utf8' }).trim()];
  } catch {
    return [];
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** Seconds of CPU of the API and of PostgreSQL for one poll that is answered 304, and which tables were read from end to end. */
async function poll(address: string, path: string, cookie: Cookie, owner: Pool) {
  const headers = { cookie: `${cookie.name}=${cookie.value}` };
  const first = await fetch(address + path, { headers });
  await first.text();
  const known = { ...headers, 'if-none-match': first.headers.get('etag') ?? '' };
  const ask = async () => {
    const answer = await fetch(address + path, { headers: known });
    await answer.text();
    if (answer.status !== 304) throw new Error(`${path} answered ${answer.status}, not 304`);
  };
  for (let times = 0; times < POLLS / 5; times += 1) await ask();
  const before = await spent(address, owner);
  for (let times = 0; times < POLLS; times += 1) await ask();
  const after = await spent(address, owner);
  const scans = [...after.scans]
    .filter(([table, count]) => count > (before.scans.get(table) ?? 0))
    .map(([table]) => table);
  return {
    web: (after.web - before.web) / POLLS,
    postgres: [...after.backends].reduce((sum, [pid, cpu]) => sum + cpu - (before.backends.get(pid) ?? 0), 0) / POLLS,
    scans: scans.join(', '),
  };
}

/** So far, in seconds of CPU; and how often each table with rows in it was read from end to end. */
async function spent(address: string, owner: Pool) {
  const metrics = await (await fetch(`${address}/metrics`)).text();
  const web = Number(/^process_cpu_seconds_total (\S+)/m.exec(metrics)?.[1]);
  const backends = await owner.anyFirst(
    sql.type(z.object({ pid: z.number() }))`select pid from pg_stat_activity where pid <> pg_backend_pid()`,
  );
  // Statistics of a backend are told when it has been idle for a moment.
  await sleep(1_500);
  await owner.query(sql.unsafe`select pg_stat_clear_snapshot()`);
  const tables = await owner.any(
    sql.type(Table)`select relname, seq_scan from pg_stat_user_tables where n_live_tup > 1000`,
  );
  return {
    web,
    backends: new Map(backends.map(pid => [pid, cpuOf(pid)])),
    scans: new Map(tables.map(({ relname, seq_scan }) => [relname, seq_scan])),
  };
}

const Table = z.object({ relname: z.string(), seq_scan: z.number() });

/** User and system time of a process, in seconds (proc(5): ticks of 10 ms). */
function cpuOf(pid: number): number {
  // A backend may have ended since it was listed.
  if (!existsSync(`/proc/${pid}/stat`)) return 0;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
