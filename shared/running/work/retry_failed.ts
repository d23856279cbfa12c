import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { conflict, Problem, orNotFound } from '#shared/interface/errors.ts';
import type { JobKind, Jobs } from '#shared/platform/jobs.ts';
import { recordAudit } from '#shared/interface/audit_log.ts';
import { replayDelivery } from '#shared/webhooks/webhook_replay.ts';
import type { Services } from '#shared/platform/services.ts';
import { moveVersions } from '#shared/interface/versions.ts';

type Retrying = Pick<Services, 'queue' | 'now'> & { db: Db };

/** Most failed jobs of a kind that are retried at once: as many as are kept. */
export const MOST_RETRIED = 1_000;

/**
 * Queues one failed job again. If its delivery has ended, the delivery is sent again with five attempts, which its organization's audit log
 * records. Throws `not_found` when there is no such failed job, and `conflict` when its endpoint is disabled.
 */
export async function retryOne(services: Retrying, kind: JobKind, id: string, request_id: string | null) {
  const job = orNotFound('failed job', await services.queue.failedJob(kind, id));
  if (kind !== 'webhook') await services.queue.retryFailed(kind, id);
  else if (!(await replayFailed(services, job.data as Jobs['webhook'], id, request_id)))
    throw conflict('This delivery was sent again in another way meanwhile.');
}

/** Queues the failed jobs of a kind again, up to 1,000. Returns how many, and how many had nothing left to do. */
export async function retryAll(
  services: Retrying,
  kind: JobKind,
  request_id: string | null,
): Promise<{ retried: number; skipped: number }> {
  const { queue } = services;
  if (kind !== 'webhook') {
    const retried = (await queue.ids(kind, ['failed'], MOST_RETRIED)).length;
    await queue.retryFailed(kind);
    return { retried, skipped: 0 };
  }
  const counts = { retried: 0, skipped: 0 };
  for (const { id, data } of await queue.failed(kind, MOST_RETRIED)) {
    const again = await replayFailed(services, data, id, request_id).catch(passOver);
    if (again) counts.retried += 1;
    else counts.skipped += 1;
  }
  return counts;
}

/** A delivery whose endpoint is disabled cannot be sent again; it does not hold up the others. */
function passOver(error: unknown): false {
  if (error instanceof Problem) return false;
  throw error;
}

const Ended = z.object({ state: z.string(), generation: z.number() });

/** Sends the delivery of this failed job again and removes the job. False when it has already been sent again. */
async function replayFailed(
  { db, queue, now }: Retrying,
  { org_id, environment, delivery_id, generation }: Jobs['webhook'],
  job_id: string,
  request_id: string | null,
): Promise<boolean> {
  const tenant = { org_id, environment };
  const job = await db.transaction(async tx => {
    const row = await tx.maybeOne(sql.type(Ended)`
      select state, generation from webhook_deliveries
      where org_id = ${org_id} and environment = ${environment} and id = ${delivery_id} for update`);
    if (row?.generation !== generation || (row.state !== 'failed' && row.state !== 'refused')) return null;
    const again = await replayDelivery(tx, tenant, delivery_id, now());
    const entry = { action: 'webhook_delivery.replayed' as const, target_id: delivery_id };
    await recordAudit(tx, tenant, { actor_id: null, request_id }, [entry], now());
    await moveVersions(tx, tenant, ['audit_log']);
    return again;
  });
  if (job) await queue.add('webhook', [job]);
  await queue.forgetFailed('webhook', job_id);
  return job !== null;
}
