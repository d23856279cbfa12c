import type { Context } from 'koa';
import { recorded } from './recorded.ts';
import type { ApiServices } from '#api/services.ts';
import { isLostDatabase } from '#shared/platform/db.ts';
import { asError, notFound, Problem, unavailable } from '#shared/interface/errors.ts';
import type { JobKind } from '#shared/platform/jobs.ts';
import { jobKinds } from '#shared/running/work/kinds/index.ts';
import { replayMissed } from '#shared/webhooks/replay_missed.ts';
import { MOST_RETRIED, retryAll, retryOne } from '#shared/running/work/retry_failed.ts';

type RetryRequest = { operator: string; kind: string; job_id: string | undefined };

/** Puts one failed job in line again, or without an id all of a kind, and leads back to the overview. Throws `not_found`. */
export async function retryAct(
  ctx: Context,
  { operator, kind, job_id }: RetryRequest,
  services: ApiServices,
): Promise<void> {
  if (!isJobKind(kind)) throw notFound('kind of job');
  await retryRecorded(ctx, { operator, kind, job_id }, services);
  ctx.redirect('/ops');
  ctx.status = 303;
}

/** Holds the jobs of a kind back, or lets them go on, and leads back to the overview. Throws `not_found`. */
export async function pauseAct(
  ctx: Context,
  { operator, act, kind }: { operator: string; act: 'pause' | 'resume'; kind: string },
  services: ApiServices,
): Promise<void> {
  if (!isJobKind(kind)) throw notFound('kind of job');
  await recorded(ctx, { operator, act, queue: kind, job_ids: [] }, services, async () => {
    await ofQueue(services.queue.setPaused(kind, act === 'pause'));
    ctx.redirect('/ops');
    ctx.status = 303;
  });
}

/** Puts one failed job in line again, or all of a kind, as an act of this operator. Returns how many. */
export async function retryRecorded(
  ctx: Context,
  { operator, kind, job_id }: RetryRequest & { kind: JobKind },
  services: ApiServices,
): Promise<{ retried: number; skipped: number }> {
  const request_id = ctx.response.get('Request-Id');
  const job_ids = job_id === undefined ? await ofQueue(services.queue.ids(kind, ['failed'], MOST_RETRIED)) : [job_id];
  let done = { retried: 1, skipped: 0 };
  await recorded(ctx, { operator, act: 'retry failed', queue: kind, job_ids }, services, async () => {
    // What is recorded is the status of the answer that follows when this has worked.
    ctx.status = 200;
    if (job_id === undefined) done = await ofQueue(retryAll(services, kind, request_id));
    else await ofQueue(retryOne(services, kind, job_id, request_id));
  });
  return done;
}

/**
 * Sends again what an endpoint missed, as `admin deliveries replay --failed` does, and leads back to the overview. Throws `not_found`, or
 * `conflict` when the endpoint is disabled.
 */
export async function replayAct(
  ctx: Context,
  { operator, org_id, endpoint_id }: { operator: string; org_id: string; endpoint_id: string },
  services: ApiServices,
): Promise<void> {
  const tenant = { org_id, environment: services.config.environment };
  const act = { operator, act: 'replay failed', queue: 'webhook', job_ids: [endpoint_id] };
  await recorded(ctx, act, services, async () => {
    await replayMissed(services, tenant, endpoint_id, ctx.response.get('Request-Id'));
    ctx.redirect('/ops');
    ctx.status = 303;
  });
}

/** What the queue answers. Throws `unavailable` where it does not. */
export const ofQueue = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    if (error instanceof Problem || isLostDatabase(asError(error))) throw error;
    throw unavailable(`The queue does not answer: ${asError(error).message}`);
  });

export const isJobKind = (kind: string): kind is JobKind => Object.hasOwn(jobKinds, kind);
