import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { asOwnerOf } from '#test/helpers/owner.ts';
import { z } from 'zod';
import { readConfig } from '#shared/settings/config.ts';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Logger } from '#shared/platform/log.ts';
import { createQueue } from '#shared/platform/queue.ts';
import { pageRequest } from '#shared/interface/page.ts';
import { insertDeliveries, listDeliveries, type WebhookEvent } from '#shared/webhooks/webhook_deliveries.ts';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { jobKinds } from '#shared/running/work/kinds/index.ts';
import { webhook } from '#shared/running/work/kinds/webhook.ts';
import { createServices } from '#shared/running/services.ts';
import { createSender } from '#shared/webhooks/send.ts';
import { createEndpointLimiter } from '#workers/endpoint_limiter.ts';
import { handleWebhook } from '#workers/handlers/webhook.ts';
import { testDatabase } from './database.ts';
import { command, hasRedis, testRedis } from './redis.ts';
import { turnOf } from './runs.ts';

/** The queues the suite runs on: BullMQ on PostgreSQL always, on Redis where there is one. */
const engines = hasRedis ? (['postgres', 'redis'] as const) : (['postgres'] as const);
export type Engine = (typeof engines)[number];

let engine_tests = 0;

/**
 * A test that holds on either queue. `npm run test:deep` tries both; otherwise each commit tries half of these tests on the one and half on
 * the other, and the next commit may have it the other way round.
 */
export function engineTest(title: string, run: (t: ExecutionContext, engine: Engine) => unknown): void {
  engine_tests += 1;
  for (const engine of turnOf(engines, engine_tests, engines.length)) test(`[${engine}] ${title}`, t => run(t, engine));
}

/** `redis`: the URL of one that the test has. `first_wait`: milliseconds before the second attempt, where the service would wait longer. `now`: the clock. */
type Options = { engine?: Engine; redis?: string; timeout?: number; first_wait?: number; now?: () => number };

/** A database, a queue and the means to send webhooks; `work()` starts a worker. All of it goes when the test ends. */
export async function webhookWorld(
  t: ExecutionContext,
  { engine = 'postgres', redis, timeout = 5_000, first_wait, now = Date.now }: Options = {},
) {
  const redis_url = redis ?? (engine === 'redis' ? await testRedis(t) : undefined);
  const database = await testDatabase(end => t.teardown(end));
  const config = readConfig({
    SECRET_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
    REDIS_URL: redis_url,
  });
  const opened = await createServices(config, database, 'test');
  t.teardown(() => opened.close());
  const openQueue = (log: Logger) => {
    const engine_of_queue = { redis_url, database_url: database.service_url, database_role: database.role };
    const made = createQueue(engine_of_queue, { ...jobKinds, webhook: waiting(first_wait) }, log);
    t.teardown(() => made.close());
    return made;
  };
  const queue = openQueue(opened.log);
  const services = { ...opened, queue, now };
  const { db } = services;
  const tenant = { org_id: newId('org'), environment: 'sandbox' };
  const send = createSender({ allow_private: true, https_only: false, timeout });
  const stopping = new AbortController();
  const handler = (limiter = createEndpointLimiter({ places: 200 })) =>
    handleWebhook(services, limiter, send, first_wait, stopping.signal);
  const insert = (events: readonly WebhookEvent[]) => insertDeliveries(db, tenant, events, now());
  return {
    ...services,
    openQueue,
    tenant,
    send,
    handler,
    insert,
    endpoint: (url: string, secret?: string) => createEndpoint(db, config, tenant, { url, secret }, now()),
    /** What the transaction that raises an alert does, `count` times. */
    async deliver(count = 1): Promise<Jobs['webhook'][]> {
      const jobs = await insert(alerts(count));
      await queue.add('webhook', jobs);
      return jobs;
    },
    /** What the schedule process does every second: rows whose job must be lost are queued again. */
    reconcile() {
      const timer = setInterval(async () => queue.add('webhook', [...(await webhook.overdue(services))]), 1_000);
      t.teardown(() => clearInterval(timer));
    },
    /** Starts a worker as the process type `webhook` does. */
    work(limiter = createEndpointLimiter({ places: webhook.concurrency })) {
      const worker = queue.work('webhook', handler(limiter), webhook.concurrency);
      t.teardown(() => {
        stopping.abort();
        return worker.close();
      });
      return worker;
    },
    /** Runs statements as the owner of the database. */
    asOwner: (...statements: string[]) => asOwnerOf(database, ...statements),
    /** Empties the queue as a Redis that loses its memory does. */
    async loseQueue() {
      if (redis_url) await command(redis_url, redis => redis.flushdb());
      else await db.query(sql.unsafe`delete from bullmq.job`);
    },
    async deliveries() {
      const page = pageRequest(config.secret_key, 'deliveries', tenant, { limit: 200 });
      return (await listDeliveries(db, tenant, {}, page)).data.toReversed();
    },
    /** How many deliveries are in each state. */
    async states(): Promise<Record<string, number>> {
      const rows = await db.any(sql.type(z.object({ state: z.string(), count: z.int() }))`
        select state, count(*) from webhook_deliveries group by state`);
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
    },
  };
}

export const alerts = (count: number): WebhookEvent[] =>
  Array.from({ length: count }, () => ({
    type: 'alert.created',
    data: { alert_id: newId('alr'), event_id: newId('evt') },
  }));

/** The webhooks' kind of job, with another wait before the second attempt. */
const waiting = (first_wait: number | undefined): typeof webhook =>
  first_wait === undefined
    ? webhook
    : {
        ...webhook,
        options: data => ({
          ...webhook.options(data),
          backoff: { type: 'exponential', delay: first_wait * 2 ** data.attempts_made },
        }),
      };
