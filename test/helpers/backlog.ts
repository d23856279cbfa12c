import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import type { Attempt } from '#shared/webhooks/send.ts';
import type { ClaimedDelivery } from '#shared/webhooks/webhook_backlog.ts';
import { MOST_QUEUED } from '#shared/webhooks/webhook_deliveries.ts';
import { activateSecret, rotateSecret, setUrl } from '#shared/webhooks/webhook_endpoints.ts';
import { createEndpointLimiter } from '#workers/endpoint_limiter.ts';
import { createBacklog } from '#workers/webhook_backlog.ts';
import { alerts, webhookWorld } from './webhooks.ts';

/** What an endpoint answers that takes a delivery. */
export const acknowledged: Attempt = { outcome: 'delivered', status: 200, error: null, response: '', ms: 1 };

type Sending = Partial<Pick<Parameters<typeof createBacklog>[0], 'attempt' | 'acknowledged' | 'other'>> & {
  db?: Services['db'];
};

/** An endpoint with deliveries that have no jobs; `drain` sends them, and returns the ids of those that were sent. */
export async function backlogOf(t: ExecutionContext, count: number) {
  const began = Date.now();
  let passed = 0;
  const world = await webhookWorld(t, { now: () => began + passed });
  const { config, db, endpoint, insert, now, tenant } = world;
  const { id: endpoint_id } = await endpoint('http://127.0.0.1:9/');
  const queued = new Set((await insert(alerts(MOST_QUEUED + count))).map(({ delivery_id }) => delivery_id));
  const rows = await db.anyFirst(sql.type(z.object({ id: z.string() }))`select id from webhook_deliveries order by id`);
  const limiter = createEndpointLimiter({ places: 200 });
  return {
    ...world,
    endpoint_id,
    limiter,
    ids: rows.filter(id => !queued.has(id)),
    pass: (time: number) => (passed += time),
    change: (to: string) => setUrl(db, config, tenant, { id: endpoint_id, url: to }),
    rotate: () => rotateSecret(db, config, tenant, { id: endpoint_id }, now()),
    activate: () => activateSecret(db, tenant, endpoint_id, now()),
    pending: async () => (await world.states())['pending'],
    async drain(sending: Sending = {}): Promise<string[]> {
      const sent: string[] = [];
      const { attempt = async () => acknowledged, db: used = db, ...rest } = sending;
      const backlog = createBacklog({
        services: { ...world, db: used, now },
        limiter,
        stopping: new AbortController().signal,
        acknowledged: async () => {},
        other: async () => {},
        ...rest,
        attempt: (work: ClaimedDelivery, at: number) => {
          sent.push(work.delivery_id);
          return attempt(work, at);
        },
      });
      await backlog(tenant, endpoint_id);
      return sent;
    },
  };
}
