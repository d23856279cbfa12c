import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { event } from './make.ts';
import { receiver } from './receiver.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

const AGENTS = 300;

/** Starts worker processes of the Procfile in one process, as a child that can be killed. */
export const startWorkers = (
  { database, config }: Pick<World, 'database' | 'config'>,
  types: readonly string[],
  settings: Record<string, string> = {},
): ChildProcess =>
  spawn('node', ['workers/main.ts', ...types], {
    stdio: 'ignore',
    env: {
      ...process.env,
      DATABASE_URL: database.service_url,
      SECRET_KEY: config.secret_key[0].toString('base64'),
      DATABASE_POOL: '6',
      LOG_LEVEL: 'silent',
      ...settings,
    },
  });

/** Starts the workers that analyze and deliver, on either queue. */
export const startChild = (w: World, redis_url: string | undefined): ChildProcess =>
  startWorkers(w, ['detect', 'webhook', 'schedule'], {
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...(redis_url && { REDIS_URL: redis_url }),
  });

/** Every agent pays one new payee $300, which raises two alerts an agent and one about the payee; and what has to come of it has come. */
export async function survives(
  t: ExecutionContext,
  redis_url: string | undefined,
  harm: (child: ChildProcess, round: number) => Promise<ChildProcess>,
  w: World,
) {
  const seen = new Map<string, number>();
  const { url } = await receiver(t, ({ body }) => {
    const { data } = JSON.parse(body.toString());
    seen.set(data.alert_id, (seen.get(data.alert_id) ?? 0) + 1);
    return 200;
  });
  await createEndpoint(w.db, w.config, w.tenant, { url }, Date.now());
  let child = startChild(w, redis_url);
  t.teardown(() => child.kill('SIGKILL'));
  const analyzed = () =>
    w.db.oneFirst(
      sql.type(z.object({ seq: z.number() }))`select seq from detection_cursors where org_id = ${w.tenant.org_id}`,
    );
  for (let round = 0; round < 6; round += 1) {
    const batch = Array.from({ length: AGENTS / 6 }, (_, index) =>
      event({ agent: `agent-${round}-${index}`, cents: '30000' }),
    );
    const { body } = await w.as.post('/v1/events', { events: batch });
    t.is(body.accepted, batch.length);
    // Sent again, as a client would that never saw the answer.
    t.is((await w.as.post('/v1/events', { events: batch })).body.duplicates, batch.length);
    // Harm is done while it is at work: not before it has begun, where it can begin.
    if (round % 2 === 1) await until(async () => (await analyzed()) > (AGENTS / 6) * (round - 1));
    child = await harm(child, round);
  }
  await until(async () => (await analyzed()) === AGENTS);
  const alerts = await w.db.any(
    sql.type(z.object({ id: z.string(), detector: z.string() }))`select id, detector from alerts`,
  );
  t.is(alerts.length, 2 * AGENTS + 1);
  t.is(alerts.filter(({ detector }) => detector === 'payee_fan_in').length, 1);
  t.is(alerts.filter(({ detector }) => detector === 'spend_velocity').length, AGENTS);
  const pending = () =>
    w.db.oneFirst(
      sql.type(z.object({ n: z.number() }))`select count(*) as n from webhook_deliveries where state <> 'delivered'`,
    );
  await until(async () => (await pending()) === 0);
  t.deepEqual([...seen.keys()].toSorted(), alerts.map(({ id }) => id).toSorted());
  t.is(
    await w.db.oneFirst(sql.type(z.object({ n: z.number() }))`select count(*) as n from webhook_deliveries`),
    2 * AGENTS + 1,
  );
}

export const kill = async (child: ChildProcess) => {
  child.kill('SIGKILL');
  await once(child, 'exit');
};
