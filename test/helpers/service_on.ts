import { randomBytes } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { startApi } from '#api/server.ts';
import { allScopes } from '#shared/interface/scopes.ts';
import { createApiKey } from '#shared/keys/api_keys.ts';
import { createOrganization } from '#shared/people/organizations.ts';
import { processTypes } from '#shared/platform/jobs.ts';
import { openDatabase } from '#shared/running/open_database.ts';
import { createServices } from '#shared/running/services.ts';
import { readConfig } from '#shared/settings/config.ts';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { startWorkers } from '#workers/run.ts';
import { startSchedule } from '#workers/schedule.ts';
import { createClient } from './client.ts';
import { receiver } from './receiver.ts';

/** The settings of a service in tests that send webhooks to this machine; each call makes a key of its own. */
export const settingsOfService = () => ({
  SECRET_KEY: randomBytes(32).toString('base64'),
  WEBHOOK_ALLOW_PRIVATE: 'true',
  RATE_LIMITS: 'off',
  PORT: '0',
  LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
});

/**
 * All of the service in this process, with settings of the test's own and the database that these name, or `open` opens: an organization named
 * Acme with a client of all scopes, and what its endpoint received. `settings` are those that another process of it needs.
 */
export async function serviceOn(t: ExecutionContext, own: Readonly<Record<string, string>>, open = openDatabase) {
  const settings = { ...settingsOfService(), ...own };
  const config = readConfig(settings);
  const services = await createServices(config, await open(config), 'test');
  t.teardown(services.close);
  const api = await startApi(services);
  t.teardown(api.stop);
  const workers = await startWorkers(services, processTypes);
  t.teardown(workers.stop);
  // It finds jobs that a database that goes away has lost.
  t.teardown(startSchedule(services).stop);
  const { db, now } = services;
  const { id: org_id } = await createOrganization(db, 'sandbox', 'Acme', now());
  const tenant = { org_id, environment: 'sandbox' };
  const wanted = { ...tenant, env: 'test', name: 'first', scopes: allScopes, created_by: null } as const;
  const { key } = await createApiKey(db, wanted, now());
  const { url, received } = await receiver(t);
  await createEndpoint(db, config, tenant, { url }, now());
  return { db, org_id, settings, as: createClient(t, api.address, key), received };
}
