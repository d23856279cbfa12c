import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readConfig } from '#shared/settings/config.ts';
import { createApiKey } from '#shared/keys/api_keys.ts';
import { allScopes } from '#shared/interface/scopes.ts';
import { createOrganization } from '#shared/people/organizations.ts';
import { createServices, type Database, openDatabase, type ProcessServices } from '#shared/running/services.ts';
import { migrate } from '#sql/migrate.ts';
import { alerting } from './alerting.ts';
import { assessment } from './assessment.ts';
import { dashboard } from './dashboard.ts';
import { detection } from './detection.ts';
import { fairness } from './fairness.ts';
import { ingest } from './ingest.ts';
import { ledger } from './ledger.ts';
import { mandates } from './mandates.ts';
import { packs } from './packs.ts';
import { polling } from './polling.ts';
import { screenCalls } from './screen_calls.ts';
import { rescreening } from './screening_flow.ts';
import { searching } from './search.ts';
import { verification } from './verification.ts';
import { webhooks } from './webhooks.ts';
import { whole } from './whole.ts';

type Whole = { address: string; key: string; org_id: string; pids: number[]; stop(): Promise<void> };

export type Bench = {
  services: ProcessServices;
  database: Database;
  startApi(): Promise<{ address: string; pid: number; key: string; org_id: string; stop(): Promise<void> }>;
  /** The whole service with an organization of its own, as `npm start` or as the processes of the Procfile. */
  startAll(): Promise<Whole>;
  startSeveral(): Promise<Whole>;
  /** `mostMemory`: the most that the process has held so far, in MB; on Linux. */
  startWorker(type: string): Promise<{ stop(): Promise<void>; mostMemory(): Promise<number> }>;
  figure(name: string, value: number, beside: string): void;
};

const benches: Record<string, (bench: Bench) => Promise<void>> = {
  whole,
  ingest,
  fairness,
  ledger,
  detection,
  polling,
  verification,
  mandates,
  assessment,
  alerting,
  webhooks,
  screening: screenCalls,
  rescreening,
  search: searching,
  packs,
  dashboard,
};

// `npm run bench [name…]`: each figure beside its limit or its rival of the same run. Not part of the tests: it depends on the machine.
const wanted = process.argv.slice(2).filter(name => name in benches);
for (const name of wanted.length > 0 ? wanted : Object.keys(benches)) {
  const data_dir = await mkdtemp(join(tmpdir(), 'oversight-bench-'));
  await chmod(data_dir, 0o711);
  const config = readConfig({ DATA_DIR: data_dir, PORT: '0', LOG_LEVEL: 'error' });
  const database = await openDatabase(config);
  await migrate(database.owner_url);
  const services = await createServices(config, database, 'bench');
  /** An organization of its own, with a key. */
  const inhabit = async () => {
    const { db, now } = services;
    const organization = await createOrganization(db, config.environment, `bench ${now()}`, now());
    const { key } = await createApiKey(
      db,
      {
        org_id: organization.id,
        environment: config.environment,
        env: config.key_env,
        name: 'bench',
        scopes: allScopes,
        created_by: null,
      },
      now(),
    );
    return { key, org_id: organization.id };
  };
  console.log(`\n${name}`);
  await benches[name]?.({
    services,
    database,
    figure: (label, value, beside) =>
      console.log(`  ${label.padEnd(44)} ${Math.round(value).toLocaleString('en').padStart(12)}   ${beside}`),
    startApi: async () => ({ ...(await startProcess(data_dir, ['api/main.ts'])), ...(await inhabit()) }),
    async startAll() {
      const service = await startProcess(data_dir, ['bin/start.ts']);
      return { ...service, ...(await inhabit()), pids: [service.pid] };
    },
    async startSeveral() {
      const api = await startProcess(data_dir, ['api/main.ts']);
      const workers = await Promise.all(
        ['detect', 'screen', 'webhook', 'schedule'].map(type =>
          startProcess(data_dir, [...flagsOf(type), 'workers/main.ts', type]),
        ),
      );
      const all = [api, ...workers];
      return {
        ...api,
        ...(await inhabit()),
        pids: all.map(({ pid }) => pid),
        stop: async () => void (await Promise.all(all.map(each => each.stop()))),
      };
    },
    startWorker: type => startProcess(data_dir, [...flagsOf(type), 'workers/main.ts', type]),
  });
  await services.close();
  await database.embedded?.close();
  await rm(data_dir, { recursive: true, force: true });
}

/** The flags that the Procfile starts a process type with. */
function flagsOf(type: string): string[] {
  const line = readFileSync('Procfile', 'utf8')
    .split('\n')
    .find(candidate => candidate.startsWith(`${type}: `));
  return line?.match(/--\S+/g) ?? [];
}

/** A process of the Procfile, as in production. The API says where it listens; the others are not waited for. */
async function startProcess(data_dir: string, script: string[]) {
  const settings = {
    DATA_DIR: data_dir,
    PORT: '0',
    LOG_LEVEL: 'info',
    RATE_LIMITS: 'off',
    // Of most figures only one side runs.
    BACKPRESSURE: 'behind=off',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  const child = spawn('node', [...process.execArgv, ...script], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', script.includes('bin/start.ts') ? 'ignore' : 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const { promise, resolve } = Promise.withResolvers<string>();
  lines.on('line', line => {
    const address = /"address":"([^"]+)"/.exec(line)?.[1];
    if (address) resolve(address);
  });
  return {
    address: script.some(file => file === 'api/main.ts' || file === 'bin/start.ts') ? await promise : '',
    pid: Number(child.pid),
    async mostMemory() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1_000;
    },
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
