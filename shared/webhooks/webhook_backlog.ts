import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';
import { DeliveryWork, workColumns } from './webhook_attempts.ts';
import { jobColumns, WebhookJob } from './webhook_claims.ts';
import { DeliveryState, MOST_QUEUED, QUEUE_GRACE } from './webhook_deliveries.ts';

/**
 * How long deliveries claimed for a backlog are left to their process: it begins each within `BEGIN_WITHIN`. After that reconcile finds
 * what a killed process left.
 */
const LEASE = 25 * SECOND;
export const BEGIN_WITHIN = 4 * SECOND;
/** An attempt takes at most 10 s, and the text of its response another second. */
const LONGEST_ATTEMPT = 11 * SECOND;

/** Whether a due delivery is held by a process that sends a backlog: no job's `next_at` is this far ahead. */
export const isClaimed = ({ next_at }: Pick<DeliveryWork, 'next_at'>, now: number): boolean =>
  Date.parse(next_at) > claimedAfter(now);

const claimedAfter = (now: number) => now + LEASE - BEGIN_WITHIN - LONGEST_ATTEMPT;

/** The `next_at` of deliveries when their jobs were turned away, by id. */
export type TurnedAway = ReadonlyMap<string, string>;

const ClaimedDelivery = DeliveryWork.extend({ delivery_id: z.string() });
export type ClaimedDelivery = z.infer<typeof ClaimedDelivery>;

/**
 * Claims deliveries of an active endpoint that are due and have no job on its way, longest due first, and returns their work: those that
 * never had a job; those of `turned_away`, whose jobs have come and gone, unless claimed since; and those overdue for longer than a job's
 * attempt takes, since a late job has renewed its claim (`takeLate`).
 */
export const claimBacklog = (
  db: Db,
  { org_id, environment }: Tenant,
  { endpoint_id, turned_away, worker }: { endpoint_id: string; turned_away: TurnedAway; worker?: string | undefined },
  limit: number,
  now: number,
): Promise<readonly ClaimedDelivery[]> =>
  db.any(sql.type(ClaimedDelivery)`
    with due as materialized (
      select d.id from webhook_deliveries d
      where d.org_id = ${org_id} and d.environment = ${environment} and d.endpoint_id = ${endpoint_id} and d.state = 'pending'
        and d.not_before <= ${timestamp(now)} and d.next_at <= ${timestamp(now + QUEUE_GRACE)}
        and (d.next_at <= d.not_before or d.next_at < ${timestamp(now - LONGEST_ATTEMPT)} or exists (
          select from ${sql.unnest([...turned_away], ['text', 'timestamptz'])} as away (id, next_at)
          where away.id = d.id and away.next_at = d.next_at))
      order by d.next_at limit ${limit} for update skip locked
    ), claimed as (
      update webhook_deliveries d set next_at = ${timestamp(now + LEASE)}, claimed_by = ${worker ?? null}
      from due where d.org_id = ${org_id} and d.environment = ${environment} and d.id = due.id
      returning d.*
    )
    select d.id as delivery_id, ${workColumns} from claimed d
    join webhook_endpoints e on e.org_id = d.org_id and e.environment = d.environment and e.id = d.endpoint_id
    where e.state = 'active'
    order by d.id`);

/** Returns claimed deliveries that were not sent. Returns the jobs to enqueue. */
export async function releaseBacklog(
  db: Db,
  { org_id, environment }: Tenant,
  ids: readonly string[],
  now: number,
): Promise<Jobs['webhook'][]> {
  if (ids.length === 0) return [];
  const jobs = await db.any(sql.type(WebhookJob)`
    update webhook_deliveries d set next_at = ${timestamp(now + QUEUE_GRACE)}
    where d.org_id = ${org_id} and d.environment = ${environment} and d.id = any (${sql.array(ids, 'text')}) and d.state = 'pending'
    returning ${jobColumns(MOST_QUEUED)}`);
  return [...jobs];
}

/** Leaves to others what a process had claimed of the backlog of a delivery's endpoint: it has ended. */
export const letGoBacklog = (
  db: Db,
  { org_id, environment, delivery_id }: Jobs['webhook'],
  worker: string,
  now: number,
) =>
  db.query(sql.unsafe`
    update webhook_deliveries d set next_at = d.not_before
    where d.org_id = ${org_id} and d.environment = ${environment} and d.state = 'pending' and d.claimed_by = ${worker}
      and d.next_at > ${timestamp(claimedAfter(now))} and d.endpoint_id = (
        select endpoint_id from webhook_deliveries
        where org_id = ${org_id} and environment = ${environment} and id = ${delivery_id})`);

/** An acknowledged delivery: `at` is when the attempt began, in milliseconds since 1970. */
export type Acknowledged = ClaimedDelivery & { at: number; status: number | null; response: string | null; ms: number };

const Recorded = z.object({ delivery_id: z.string(), state: DeliveryState });

/**
 * Records acknowledgements together, as `recordAttempt` does one. Returns the state of each delivery by its id, without those whose
 * attempt no longer counts.
 */
export async function recordAcknowledged(
  db: Db,
  { org_id, environment }: Tenant,
  done: readonly Acknowledged[],
  now: number,
): Promise<ReadonlyMap<string, z.infer<typeof DeliveryState>>> {
  const attempts = sql.fragment`select * from ${sql.unnest(
    done.map(each => [
      each.delivery_id,
      each.generation,
      each.attempt_count + 1,
      timestamp(each.at),
      each.status,
      each.response,
      each.ms,
    ]),
    ['text', 'int4', 'int2', 'timestamptz', 'int2', 'text', 'int4'],
  )} as attempt (id, generation, number, at, status, response, ms)`;
  const rows = await db.transaction(async transaction => {
    // The deliveries are locked first, as by `recordAttempt`: two processes that record the same ones do not wait for each other in a circle.
    const recorded = await transaction.any(sql.type(Recorded)`
      with done as materialized (${attempts}), locked as (
        select d.id, done.number from webhook_deliveries d join done using (id)
        where d.org_id = ${org_id} and d.environment = ${environment} and d.generation = done.generation
          and d.attempt_count = done.number - 1 and d.state in ('pending', 'canceled')
        order by d.id for update of d
      )
      update webhook_deliveries d
      set attempt_count = locked.number, state = case d.state when 'pending' then 'delivered' else d.state end,
        finished_at = coalesce(d.finished_at, ${timestamp(now)}::timestamptz),
        not_before = ${timestamp(now)}, next_at = ${timestamp(now + QUEUE_GRACE)}
      from locked where d.org_id = ${org_id} and d.environment = ${environment} and d.id = locked.id
      returning d.id as delivery_id, d.state`);
    // A statement of its own: beside an insert, Citus misreads the rows that a part of a statement has locked.
    await transaction.query(sql.unsafe`
      insert into webhook_attempts (org_id, environment, delivery_id, generation, number, at, outcome, status, error, response, ms)
      select ${org_id}, ${environment}, id, generation, number, at, 'delivered', status, null, response, ms
      from (${attempts}) done
      on conflict do nothing`);
    return recorded;
  });
  return new Map(rows.map(({ delivery_id, state }) => [delivery_id, state]));
}
