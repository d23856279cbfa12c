import { createAssessor } from '#shared/assessment/assessor.ts';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startApi } from '#api/server.ts';
import { readConfig } from '#shared/settings/config.ts';
import { createDetectionCache } from '#shared/detection/load/detection_cache.ts';
import { analyzeRange } from '#shared/detection/consumer/range.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { createApiKey, type Scope } from '#shared/keys/api_keys.ts';
import { allScopes } from '#shared/interface/scopes.ts';
import { createOrganization } from '#shared/people/organizations.ts';
import { needsSecondFactor, type Role } from '#shared/interface/roles.ts';
import { createServices } from '#shared/running/services.ts';
import { type Client, createClient, type Credential } from './client.ts';
import { testDatabase } from './database.ts';
import { lateQueue } from './late_queue.ts';
import { createPeople } from './people.ts';
import { effectiveParams, presetOf, saveSetting } from '#shared/detection/settings/detector_settings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Db } from '#shared/platform/db.ts';

type Options = {
  /** Settings beside those of a test. */
  settings?: Record<string, string>;
  /** The clock of the service, in milliseconds; real time when left out. */
  now?: () => number;
  /** For a test of what is not an organization's own: what is listed, counted, changed or removed for the whole deployment. */
  own_database?: boolean | undefined;
  /** Detectors keep to the thresholds of the contract instead of judging by rarity, in every organization of the test. */
  thresholds?: boolean;
  /** Jobs are queued at once: other processes or threads work them off. */
  worked?: boolean;
};

/** Called with what ends a service, for when it is needed no more. */
type Teardown = (end: () => unknown) => void;

/** A database and a service on it: the API on a free port. Workers do not run. */
async function openDeployment(teardown: Teardown, { settings = {}, now = Date.now, worked }: Options) {
  const database = await testDatabase(teardown);
  const data_dir = await mkdtemp(join(tmpdir(), 'oversight-world-'));
  teardown(() => rm(data_dir, { recursive: true, force: true }));
  const config = readConfig({
    DATA_DIR: data_dir,
    RATE_LIMITS: 'off',
    SECRET_KEY: randomBytes(32).toString('base64'),
    PORT: '0',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
    DATABASE_POOL: '6',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...settings,
  });
  const { close, ...opened } = await createServices(config, database, 'test');
  teardown(close);
  const services = { ...opened, queue: worked || config.redis_url ? opened.queue : lateQueue(opened.queue), now };
  const api = await startApi(services);
  teardown(api.stop);
  return { database, config, services, api };
}

type Deployment = Awaited<ReturnType<typeof openDeployment>>;

/** A service that several tests have in common, with their clock, and what ends it. */
type Common = { clock: { now: () => number }; deployment: Promise<Deployment>; end(): Promise<void> };

function openInCommon({ settings = {}, now = Date.now }: Options): Common {
  const clock = { now };
  const ends: (() => unknown)[] = [];
  return {
    clock,
    deployment: openDeployment(each => ends.push(each), { settings, now: () => clock.now() }),
    async end() {
      for (const each of ends.toReversed()) await each();
    },
  };
}

/** Those of all tests of a process, by their environment; and those of a file whose tests set the clock. Tests run one after the other. */
const common = new Map<string, Common>();
const clocked = new Map<string, Common>();
let clocked_file = '';

async function shareDeployment(t: ExecutionContext, options: Options): Promise<Deployment> {
  const { settings, now = Date.now } = options;
  const [file = ''] = t.title.split(' › ');
  const is_clocked = now !== Date.now;
  if (is_clocked && file !== clocked_file) {
    await endAll(clocked);
    clocked_file = file;
  }
  const shared = is_clocked ? clocked : common;
  const key = JSON.stringify(settings ?? {});
  const found = shared.get(key) ?? openInCommon(options);
  shared.set(key, found);
  found.clock.now = now;
  return found.deployment;
}

async function endAll(shared: Map<string, Common>): Promise<void> {
  for (const { end } of shared.values()) await end();
  shared.clear();
}
test.after.always(async () => {
  await endAll(clocked);
  await endAll(common);
});

let worlds = 0;

/**
 * An organization of this test's own, with a client that has a key of all scopes, in a service that the tests of a process have in
 * common; those of a file that set the clock have one of their own in common. A test that asks for a database, or for settings (but its
 * environment), has a service of its own, which ends with it. Workers do not run; `analyze` goes through the log as they would.
 */
export async function world(t: ExecutionContext, options: Options = {}) {
  const { settings = {}, now = Date.now } = options;
  const is_set = Object.keys(settings).some(name => name !== 'ENVIRONMENT');
  const { own_database = is_set || options.worked } = options;
  const { database, config, services, api } = own_database
    ? await openDeployment(end => t.teardown(end), options)
    : await shareDeployment(t, options);
  const { db } = services;

  /** One more process of the API on the same database. */
  const startServer = async () => {
    const started = await startApi(services);
    t.teardown(started.stop);
    return started;
  };

  worlds += 1;
  /** An organization beside the test's own. Names are unique in a deployment. */
  const organization = async (name: string) => {
    const created = await createOrganization(db, config.environment, own_database ? name : `${name} ${worlds}`, now());
    if (options.thresholds) await setThresholds(db, { org_id: created.id, environment: config.environment });
    return created;
  };
  const key = (org_id: string, scopes: Scope[] = allScopes) =>
    createApiKey(
      db,
      { org_id, environment: config.environment, env: config.key_env, name: 'test', scopes, created_by: null },
      now(),
    );
  const org = await organization('Acme');
  const full = await key(org.id);
  const tenant = { org_id: org.id, environment: config.environment };
  const cache = createDetectionCache();

  const people = createPeople({ db, config, now });
  const member = (role: Role, org_id = org.id) => people.member(role, org_id);
  const session = (user_id: string, org_id = org.id, shown = false) => people.session(user_id, org_id, shown);

  const assessor = createAssessor({ db, config, now });
  return {
    config,
    database,
    services,
    db,
    api,
    startServer,
    organization,
    key,
    tenant,
    full,
    /** A client of the API with any bearer token, or with none. */
    client: (credential?: Credential, address = api.address): Client => createClient(t, address, credential),
    /** The client with a key of all scopes. */
    as: createClient(t, api.address, full.key),
    /** A client whose key has just these scopes. */
    withScopes: async (...scopes: Scope[]) => createClient(t, api.address, (await key(org.id, scopes)).key),
    session,
    /** A signed-in person of this role, who has shown a second factor where the role needs one, and their client. */
    async person(role: Role, { of = org.id, second_factor = needsSecondFactor(role, config.environment) } = {}) {
      const { user, cookie, session_id } = await people.person(role, of, second_factor);
      return { ...createClient(t, api.address, { cookie }), user, cookie, session_id };
    },
    member,
    assessor,
    /** Takes the log through detection, in ranges of at most `limit` events. Answers with what was raised. */
    async analyze({ of = tenant, limit = 1_000 } = {}) {
      const raised = [];
      for (;;) {
        const analyzed = await analyzeRange(db, of, { limit, detectors, cache, assessor, now });
        if (!analyzed || analyzed.events === 0) return raised;
        raised.push(...analyzed.raised);
      }
    },
  };
}

export type World = Awaited<ReturnType<typeof world>>;

/**
 * Sets the parameters of every detector that judges by rarity to the numbers of the contract: so it keeps to them, whatever is usual for the
 * agent. For tests that are about what becomes of alerts, and need payments that raise one.
 */
async function setThresholds(db: Db, tenant: Tenant): Promise<void> {
  for (const detector of detectors.filter(({ behavioral }) => behavioral)) {
    const params = effectiveParams(detector, {});
    await saveSetting(db, tenant, detector.name, { ...presetOf(detector), params }, Date.now());
  }
}
