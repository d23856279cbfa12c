import type { ExecutionContext } from 'ava';
import { sql } from '#shared/platform/db.ts';
import type { JobKind, Jobs } from '#shared/platform/jobs.ts';
import { testRedis } from './redis.ts';
import { type Engine } from './webhooks.ts';
import { until } from './until.ts';
import { world } from './world.ts';
import { z } from 'zod';

const CREDENTIAL = 'operator:correct horse battery';

const Act = z.object({
  operator: z.string(),
  act: z.string(),
  queue: z.string().nullable(),
  job_ids: z.array(z.string()),
  ip: z.string(),
  status: z.number().nullable(),
});

/** A service with `/ops`, and an operator's browser at it. Changes are allowed unless `settings` say otherwise. */
export async function operatorWorld(
  t: ExecutionContext,
  { engine = 'postgres', settings = {} }: { engine?: Engine; settings?: Record<string, string> } = {},
) {
  const onRedis: Record<string, string> = engine === 'redis' ? { REDIS_URL: await testRedis(t) } : {};
  const w = await world(t, {
    settings: { OPS_CREDENTIAL: CREDENTIAL, OPS_READ_ONLY: 'false', ...onRedis, ...settings },
  });
  const { queue } = w.services;
  const ask = async (path: string, { method = 'GET', credential = CREDENTIAL, headers = {}, body }: Asked = {}) => {
    const authorization = `Basic ${Buffer.from(credential).toString('base64')}`;
    const reply = await fetch(w.api.address + path, {
      method,
      ...(body !== undefined && { body }),
      redirect: 'manual',
      headers: { authorization, ...(method !== 'GET' && { origin: w.api.address }), ...headers },
    });
    return { status: reply.status, headers: reply.headers, body: await reply.text() };
  };
  return {
    ...w,
    ask,
    change: (method: string, path: string) => ask(path, { method }),
    /** A job that fails, and stays as failed; answers with its id. */
    async failJob<K extends JobKind>(kind: K, data: Jobs[K], error = 'it went wrong'): Promise<string> {
      const known = new Set(await queue.ids(kind, ['failed'], 1_000));
      const worker = queue.work(kind, () => Promise.reject(new Error(error)));
      await queue.add(kind, [data]);
      let failed: string | undefined;
      await until(async () => {
        failed = (await queue.ids(kind, ['failed'], 1_000)).find(id => !known.has(id));
        return failed !== undefined;
      });
      await worker.close();
      return failed ?? '';
    },
    /** What stands in the record of acts, the first one first. */
    acts: () =>
      w.db.any(sql.type(Act)`
        select a.operator, a.act, a.queue, a.job_ids, a.ip, o.status
        from operator_acts a left join operator_act_outcomes o on o.act_id = a.id order by a.id`),
  };
}

type Asked = { method?: string; credential?: string; headers?: Record<string, string>; body?: string };
