import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { timestamp } from '#shared/values/time.ts';
import type { Attempt } from './send.ts';
import { stateAfter, waitAfter } from './retry_schedule.ts';
import { DeliveryState, QUEUE_GRACE } from './webhook_deliveries.ts';
import { SealedSecrets } from './webhook_endpoints.ts';

/** The parts of a delivery and its endpoint that are needed to send it. */
export const DeliveryWork = SealedSecrets.extend({
  endpoint_id: z.string(),
  url: z.string(),
  endpoint_state: z.enum(['active', 'disabled']),
  state: DeliveryState,
  generation: z.int(),
  attempt_count: z.int(),
  not_before: z.string(),
  next_at: z.string(),
  body: z.string(),
});
export type DeliveryWork = z.infer<typeof DeliveryWork>;

/** The same as queries of deliveries `d` and endpoints `e` return them. */
export const workColumns = sql.fragment`d.endpoint_id, e.url, e.state as endpoint_state, e.sealed_secret, e.generated, e.previous_sealed_secret,
  e.previous_generated, e.previous_expires_at, d.state, d.generation, d.attempt_count, d.not_before, d.next_at, d.body`;

type Delivery = Pick<Jobs['webhook'], 'org_id' | 'environment' | 'delivery_id'>;

/** The work of a job; null when there is no such delivery. */
export const findWork = (db: Db, { org_id, environment, delivery_id }: Delivery) =>
  db.maybeOne(sql.type(DeliveryWork)`
    select ${workColumns} from webhook_deliveries d
    join webhook_endpoints e on e.org_id = d.org_id and e.environment = d.environment and e.id = d.endpoint_id
    where d.org_id = ${org_id} and d.environment = ${environment} and d.id = ${delivery_id}`);

/** Keeps a late job's delivery claimed for 5 s more. False when another process has claimed the delivery meanwhile. */
export async function takeLate(
  db: Db,
  { org_id, environment, delivery_id }: Delivery,
  next_at: string,
  now: number,
): Promise<boolean> {
  const { rowCount } = await db.query(sql.unsafe`
    update webhook_deliveries set next_at = ${timestamp(now + QUEUE_GRACE)}
    where org_id = ${org_id} and environment = ${environment} and id = ${delivery_id} and state = 'pending' and next_at = ${next_at}`);
  return rowCount === 1;
}

const Last = z.object({
  number: z.int(),
  outcome: z.string(),
  status: z.int().nullable(),
  error: z.string().nullable(),
});

/** The last attempt of a delivery; null before the first. */
export const findLastAttempt = (db: Db, { org_id, environment, delivery_id }: Delivery) =>
  db.maybeOne(sql.type(Last)`
    select number, outcome, status, error from webhook_attempts
    where org_id = ${org_id} and environment = ${environment} and delivery_id = ${delivery_id}
    order by generation desc, number desc limit 1`);

export const cancelDelivery = (db: Db, { org_id, environment, delivery_id }: Delivery, now: number) =>
  db.query(sql.unsafe`
    update webhook_deliveries set state = 'canceled', finished_at = ${timestamp(now)}
    where org_id = ${org_id} and environment = ${environment} and id = ${delivery_id} and state = 'pending'`);

const StateOfDelivery = z.object({ state: DeliveryState });

/**
 * Records an attempt and its consequences in one statement. Returns the state of the delivery now, or null when this attempt no longer
 * counts: it was already recorded, or the delivery was replayed.
 */
export function recordAttempt(
  db: Db,
  { org_id, environment, delivery_id }: Delivery,
  { generation, number, at, ...attempt }: Attempt & { generation: number; number: number; at: number },
  now: number,
  first_wait?: number,
): Promise<DeliveryState | null> {
  const state = stateAfter(attempt.outcome, number);
  const not_before = now + (state === 'pending' ? waitAfter(number, first_wait) : 0);
  return db.maybeOneFirst(sql.type(StateOfDelivery)`
    with attempt as (
      insert into webhook_attempts (org_id, environment, delivery_id, generation, number, at, outcome, status, error, response, ms)
      values (${org_id}, ${environment}, ${delivery_id}, ${generation}, ${number}, ${timestamp(at)}, ${attempt.outcome},
        ${attempt.status}, ${attempt.error}, ${attempt.response}, ${attempt.ms})
      on conflict do nothing
    )
    update webhook_deliveries
    set attempt_count = ${number},
      state = case state when 'pending' then ${state} else state end,
      finished_at = coalesce(finished_at, ${state === 'pending' ? null : timestamp(now)}::timestamptz),
      not_before = ${timestamp(not_before)}, next_at = ${timestamp(not_before + QUEUE_GRACE)}
    where org_id = ${org_id} and environment = ${environment} and id = ${delivery_id}
      and generation = ${generation} and attempt_count = ${number - 1} and state in ('pending', 'canceled')
    returning state`);
}
