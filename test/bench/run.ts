import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '#shared/settings/config.ts';
import { createApiKey } from '#shared/keys/api_keys.ts';
import { allScopes } from '#shared/interface/scopes.ts';
import { createOrganization } from '#shared/people/organizations.ts';
import { type Database, openDatabase } from '#shared/running/open_database.ts';
import { createServices, type ProcessServices } from '#shared/running/services.ts';
import { migrate } from '#sql/migrate.ts';
import { alerting } from './alerting.ts';
import { assessment } from './assessment.ts';
import { capacity } from './capacity.ts';
import { dashboard } from './dashboard.ts';
import { detection } from './detection.ts';
import { fairness } from './fairness.ts';
import { faults } from './faults.ts';
import { mountDisk, unmountDisk } from './faults/harm.ts';
import { hostile } from './hostile.ts';
import { ingest } from './ingest.ts';
import { ledger } from './ledger.ts';
import { mandates } from './mandates.ts';
import { packs } from './packs.ts';
import { polling } from './polling.ts';
import { endProcesses, flagsOf, startProcess } from './processes.ts';
import { screenCalls } from './screen_calls.ts';
import { rescreening } from './screening_flow.ts';
import { scale } from './scale.ts';
import { starting } from './starting.ts';
import { searching } from './search.ts';
import { verification } from './verification.ts';
import { webhooks } from './webhooks.ts';
import { whole } from './whole.ts';

/** `pids` of several: web, detect, screen, webhook, schedule. */
type Whole = { address: string; key: string; org_id: string; pids: number[]; stop(): Promise<void> };

export type Bench = {
  data_dir: string;
  /** Whether the folder is a small disk of its own. */
  has_own_disk: boolean;
  services: ProcessServices;
  database: Database;
  /** A new organization, with a key of all scopes. */
  inhabit(): Promise<{ key: string; org_id: string }>;
  startApi(): Promise<{ address: string; pid: number; key: string; org_id: string; stop(): Promise<void> }>;
  /** The whole service with an organization of its own, as `npm start` or as the processes of the Procfile. */
  startAll(): Promise<Whole>;
  startSeveral(): Promise<Whole>;
  /** `mostMemory`: the most that the process has held so far, in MB; on Linux. */
  startWorker(type: string): Promise<{ pid: number; stop(): Promise<void>; mostMemory(): Promise<number> }>;
  figure(name: string, value: number, beside: string): void;
};

const benches: Record<string, (bench: Bench) => Promise<void>> = {
  starting,
  whole,
  capacity,
  scale,
  ingest,
  fairness,
  faults,
  hostile,
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
const wanted = process.argv.slice(2);
const unknown = wanted.filter(name => !(name in benches));
if (unknown.length > 0) {
  console.error(`There is no bench named ${unknown.join(', ')}. There are ${Object.keys(benches).join(', ')}.`);
  process.exit(2);
}
for (const name of wanted.length > 0 ? wanted : Object.keys(benches)) {
  const data_dir = await mkdtemp(join(tmpdir(), 'oversight-bench-'));
  await chmod(data_dir, 0o711);
  const has_own_disk = name === 'faults' && (await mountDisk(data_dir));
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
  try {
    console.log(`\n${name}`);
    await benches[name]?.({
      data_dir,
      has_own_disk,
      services,
      database,
      inhabit,
      figure: (label, value, beside) =>
        console.log(`  ${label.padEnd(44)} ${Math.round(value).toLocaleString('en').padStart(12)}   ${beside}`),
      startApi: async () => ({
        ...(await startProcess(data_dir, [...flagsOf('web'), 'api/main.ts'])),
        ...(await inhabit()),
      }),
      async startAll() {
        const start = [...flagsOf('start', 'package.json'), 'bin/start.ts'];
        const service = await startProcess(data_dir, start);
        return { ...service, ...(await inhabit()), pids: [service.pid] };
      },
      async startSeveral() {
        const api = await startProcess(data_dir, [...flagsOf('web'), 'api/main.ts']);
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
  } finally {
    await endProcesses();
    await services.close();
    await database.embedded?.close();
    if (has_own_disk) await unmountDisk(data_dir);
    await rm(data_dir, { recursive: true, force: true });
  }
}
