import { randomBytes } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { startApi } from '#api/server.ts';
import { readConfig } from '#shared/config.ts';
import { createHistoryCache } from '#shared/detection/history_cache.ts';
import { analyzeRange } from '#shared/detection/range.ts';
import { detectors } from '#shared/detectors/index.ts';
import { allScopes, createApiKey, type Scope } from '#shared/resources/api_keys.ts';
import { createOrganization } from '#shared/resources/organizations.ts';
import { createServices } from '#shared/services.ts';
import { type Client, createClient } from './client.ts';
import { testDatabase } from './database.ts';

type Options = {
  /** Settings beside those of a test. */
  settings?: Record<string, string>;
  /** The clock of the service, in milliseconds; real time when left out. */
  now?: () => number;
};

/**
 * A service of this test's own: a database, the API on a free port, an organization, and a client with a key of all scopes.
 * Workers do not run; `analyze` goes through the log as they would. All of it goes when the test ends.
 */
export async function world(t: ExecutionContext, { settings = {}, now = Date.now }: Options = {}) {
  const database = await testDatabase(t);
  const config = readConfig({
    SECRET_KEY: randomBytes(32).toString('base64'),
    PORT: '0',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
    DATABASE_POOL: '6',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...settings,
  });
  const { close, ...opened } = await createServices(config, database, 'test');
  t.teardown(close);
  const services = { ...opened, now };
  const { db } = services;

  /** One more process of the API on the same database. */
  const startServer = async () => {
    const api = await startApi(services);
    t.teardown(api.stop);
    return api;
  };
  const api = await startServer();

  const organization = (name: string) => createOrganization(db, config.environment, name, now());
  const key = (org_id: string, scopes: Scope[] = allScopes) =>
    createApiKey(
      db,
      { org_id, environment: config.environment, env: config.key_env, name: 'test', scopes, created_by: null },
      now(),
    );
  const org = await organization('Acme');
  const full = await key(org.id);
  const tenant = { org_id: org.id, environment: config.environment };
  const cache = createHistoryCache();

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
    client: (token?: string, address = api.address): Client => createClient(t, address, token),
    /** The client with a key of all scopes. */
    as: createClient(t, api.address, full.key),
    /** A client whose key has just these scopes. */
    withScopes: async (...scopes: Scope[]) => createClient(t, api.address, (await key(org.id, scopes)).key),
    /** Takes the log through detection, in ranges of at most `limit` events. Answers with what was raised. */
    async analyze({ of = tenant, limit = 1_000 } = {}) {
      const raised = [];
      for (;;) {
        const analyzed = await analyzeRange(db, of, { limit, detectors, cache, now });
        if (!analyzed || analyzed.events === 0) return raised;
        raised.push(...analyzed.raised);
      }
    },
  };
}

export type World = Awaited<ReturnType<typeof world>>;
