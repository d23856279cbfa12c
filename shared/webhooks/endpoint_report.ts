import { z } from 'zod';
import { type Db, sql, timeText } from '#shared/platform/db.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';
import { WebhookEndpoint } from './webhook_endpoints.ts';

const Report = WebhookEndpoint.extend({
  /** Until when the secret before the last rotation is valid; null when there is only one. */
  old_secret_until: z.string().nullable(),
  pending: z.int(),
  failed: z.int(),
  last_answers: z.array(
    z.object({
      delivery_id: z.string(),
      at: z.string(),
      outcome: z.string(),
      status: z.int().nullable(),
      error: z.string().nullable(),
      ms: z.int(),
    }),
  ),
});
type Report = z.infer<typeof Report>;

const ANSWERS = 10;

/** An endpoint, the number of its pending and failed deliveries, and its last ten responses, latest first. Throws `not_found`. */
export async function reportEndpoint(
  db: Db,
  { org_id, environment }: Tenant,
  id: string,
  now: number,
): Promise<Report> {
  const ofEndpoint = sql.fragment`org_id = ${org_id} and environment = ${environment} and endpoint_id = ${id}`;
  const report = await db.maybeOne(sql.type(Report)`
    with answered as (
      (select id from webhook_deliveries
        where ${ofEndpoint} and attempt_count > 0 and finished_at is not null
        order by finished_at desc limit ${ANSWERS})
      union all
      (select id from webhook_deliveries
        where ${ofEndpoint} and state = 'pending' and attempt_count > 0 and next_at > ${timestamp(now)}
        order by next_at desc limit ${ANSWERS})
    ), answers as (
      select a.* from answered d
      join webhook_attempts a on a.org_id = ${org_id} and a.environment = ${environment} and a.delivery_id = d.id
      order by a.at desc, a.number desc limit ${ANSWERS}
    )
    select e.id, e.url, e.state, e.created_at,
      case when e.previous_expires_at > ${timestamp(now)} then e.previous_expires_at end as old_secret_until,
      (select count(*) from webhook_deliveries where ${ofEndpoint} and state = 'pending') as pending,
      (select count(*) from webhook_deliveries where ${ofEndpoint} and state = 'failed') as failed,
      coalesce((select jsonb_agg(jsonb_build_object('delivery_id', a.delivery_id,
        'at', ${timeText(sql.fragment`a.at`)},
        'outcome', a.outcome, 'status', a.status, 'error', a.error, 'ms', a.ms) order by a.at desc, a.number desc) from answers a), '[]')
        as last_answers
    from webhook_endpoints e
    where e.org_id = ${org_id} and e.environment = ${environment} and e.id = ${id}`);
  return orNotFound('webhook endpoint', report);
}
