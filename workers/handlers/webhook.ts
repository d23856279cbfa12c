import { DelayedError, type Job } from 'bullmq';
import { type Jobs, KEPT_FAILED } from '#shared/platform/jobs.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import {
  cancelDelivery,
  findLastAttempt,
  findWork,
  recordAttempt,
  takeLate,
  type DeliveryWork,
} from '#shared/webhooks/webhook_attempts.ts';
import { advanceReplay } from '#shared/webhooks/replay_missed.ts';
import { type ClaimedDelivery, isClaimed } from '#shared/webhooks/webhook_backlog.ts';
import { claimForEndpoint } from '#shared/webhooks/webhook_claims.ts';
import { MOST_ATTEMPTS } from '#shared/webhooks/retry_schedule.ts';
import { MOST_QUEUED } from '#shared/webhooks/webhook_deliveries.ts';
import { openSecrets } from '#shared/webhooks/webhook_endpoints.ts';
import { webhook } from '#shared/running/work/kinds/webhook.ts';
import { SECOND } from '#shared/values/time.ts';
import type { Services } from '#shared/platform/services.ts';
import { type Attempt, type Send, senderOf } from '#shared/webhooks/send.ts';
import { signedHeaders } from '#shared/webhooks/sign.ts';
import { createEndpointLimiter, type EndpointLimiter } from '#workers/endpoint_limiter.ts';
import { createBacklog } from '#workers/webhook_backlog.ts';
import { AttemptFailed, WorkFailed } from '#workers/failures.ts';
import { insist } from '#workers/insist.ts';

type WebhookServices = Pick<Services, 'config' | 'db' | 'queue' | 'metrics' | 'tracing' | 'log' | 'now'>;

const MEASURE_EVERY = 5 * SECOND;

/** Sends deliveries, and reports in the metrics which endpoints are held back. */
export function createHandler(services: WebhookServices, stopping: AbortSignal): ReturnType<typeof handleWebhook> {
  const limiter = createEndpointLimiter({ places: webhook.concurrency });
  const measure = () => {
    for (const [reason, endpoints] of Object.entries(limiter.heldBack()))
      services.metrics.endpointsHeldBack.set({ reason }, endpoints);
  };
  const timer = setInterval(measure, MEASURE_EVERY).unref();
  stopping.addEventListener('abort', () => clearInterval(timer));
  return handleWebhook(services, limiter, undefined, undefined, stopping);
}

/**
 * Creates the handler of webhook jobs: one attempt of one delivery and, once it is acknowledged, the backlog of its endpoint. It throws
 * `AttemptFailed` when another attempt is due, so that the queue runs it later; any other end of a delivery, a refusal included, is no
 * failure of ours.
 */
export function handleWebhook(
  services: WebhookServices,
  limiter: EndpointLimiter,
  send: Send = tracedSend(services),
  first_wait?: number,
  stopping: AbortSignal = new AbortController().signal,
): (data: Jobs['webhook'], job: Job<Jobs['webhook']>) => Promise<void> {
  const jobOf = ({ org_id, environment }: Tenant, { delivery_id, generation, attempt_count }: ClaimedDelivery) => ({
    org_id,
    environment,
    delivery_id,
    generation,
    attempts_made: attempt_count,
    behind: MOST_QUEUED,
  });
  const sendBacklog = createBacklog({
    services,
    limiter,
    stopping,
    attempt: (work, at) => attemptOf(services, send, work, work.delivery_id, at),
    acknowledged(tenant, done, state) {
      report(services, done, { ...done, outcome: 'delivered', error: null }, state);
      return done.generation > 0 ? goOn(services, tenant, done.endpoint_id) : Promise.resolve();
    },
    async other(tenant, work, attempt) {
      const job = jobOf(tenant, work);
      const state = await finish(services, job, work, attempt, { first_wait, stopping });
      if (state === 'pending') await services.queue.add('webhook', [{ ...job, attempts_made: job.attempts_made + 1 }]);
      // A job whose delivery has ended fails, and is kept for operators to see.
      else if (state !== null) await services.queue.add('webhook', [job]);
      if (state !== 'pending' && work.generation > 0) await goOn(services, tenant, work.endpoint_id);
    },
  });
  return async (data, job) => {
    const work = await findWork(services.db, data);
    if (work?.generation !== data.generation) return;
    if (work.state === 'failed' || work.state === 'refused') {
      const last = await findLastAttempt(services.db, data);
      throw endOf(job, { outcome: 'failed', status: null, error: null, ...last }, last?.number ?? 0);
    }
    if (work.state !== 'pending') return;
    if (work.endpoint_state === 'disabled') {
      await cancelDelivery(services.db, data, services.now());
      services.metrics.deliveriesEnded.inc({ state: 'canceled' });
      return;
    }
    await waitForTurn(work, job, services.now());
    if (isClaimed(work, services.now())) return;
    // When turned away, it stays pending and due: the next send that finishes claims it, or else reconcile.
    if (!limiter.enter(work.endpoint_id, data.delivery_id, work.next_at)) return;
    let answered: boolean | null = null;
    let state: Awaited<ReturnType<typeof recordAttempt>> = null;
    let attempt: Attempt;
    try {
      const at = services.now();
      if (Date.parse(work.next_at) <= at && !(await takeLate(services.db, data, work.next_at, at))) return;
      attempt = await attemptOf(services, send, work, data.delivery_id, at);
      answered = attempt.outcome !== 'failed' || attempt.status !== null;
      state = await finish(services, data, work, { ...attempt, at }, { first_wait, stopping });
    } finally {
      limiter.leave(work.endpoint_id, data.delivery_id, answered);
      if (data.generation > 0) await goOn(services, data, work.endpoint_id);
      if (state === 'delivered' || state === 'refused') await sendBacklog(data, work.endpoint_id, job.processedBy);
      else await refill(services, limiter, data, work.endpoint_id);
    }
    if (state === 'pending')
      throw new AttemptFailed(`Attempt ${work.attempt_count + 1} of ${MOST_ATTEMPTS} failed; the next one follows.`);
    if (state === 'failed' || state === 'refused') throw endOf(job, attempt, work.attempt_count + 1);
  };
}

/** This deployment's sender; if tracing is on, each attempt is a span that names only the host of the address. */
function tracedSend({ config, tracing }: WebhookServices): Send {
  const send = senderOf(config);
  if (!tracing) return send;
  return (url, headers, body) => {
    const attributes = {
      'http.request.method': 'POST',
      'server.address': new URL(url).hostname,
      delivery_id: headers['webhook-id'],
    };
    return tracing.call(
      'webhook attempt',
      attributes,
      () => send(url, headers, body),
      ({ outcome, status }) => ({
        outcome,
        'http.response.status_code': status ?? undefined,
      }),
    );
  };
}

/** The error for a job whose delivery has ended without being acknowledged. */
function endOf(job: Job, attempt: Parameters<typeof reasonOf>[0] & { outcome: string }, number: number): WorkFailed {
  // Its row is no longer pending, and a replay has a job id of its own, so nothing waits for this job.
  job.opts.removeOnFail = KEPT_FAILED;
  return new WorkFailed(`Not delivered, ${attempt.outcome} at attempt ${number}: ${reasonOf(attempt)}.`);
}

const reasonOf = ({ status, error }: Pick<Attempt, 'status' | 'error'>) => error ?? `the endpoint answered ${status}`;

// A job that was lost and queued again does not know how long its row is to wait.
async function waitForTurn({ not_before }: DeliveryWork, job: Job<Jobs['webhook']>, now: number) {
  const turn = Date.parse(not_before);
  if (turn <= now) return;
  await job.moveToDelayed(turn, job.token);
  throw new DelayedError();
}

const NOT_OPENED = 'the secret of the endpoint cannot be opened with this SECRET_KEY';

async function attemptOf(
  { config }: WebhookServices,
  send: Send,
  work: DeliveryWork,
  delivery_id: string,
  now: number,
): Promise<Attempt> {
  const body = Buffer.from(work.body);
  let secrets: ReturnType<typeof openSecrets>;
  try {
    secrets = openSecrets(config.secret_key, work.endpoint_id, work, now);
  } catch {
    // Recorded as an attempt, so that the customer sees why and the delivery ends.
    return { outcome: 'failed', status: null, error: NOT_OPENED, response: null, ms: 0 };
  }
  return send(work.url, signedHeaders({ delivery_id, body, secrets, now }), body);
}

async function finish(
  services: WebhookServices,
  data: Jobs['webhook'],
  work: DeliveryWork,
  attempt: Attempt & { at: number },
  { first_wait, stopping }: { first_wait: number | undefined; stopping: AbortSignal },
) {
  const { db, now } = services;
  const { generation, attempt_count } = work;
  const done = { ...attempt, generation, number: attempt_count + 1 };
  const state = await insist(() => recordAttempt(db, data, done, now(), first_wait), stopping);
  report(services, { ...work, delivery_id: data.delivery_id }, attempt, state);
  return state;
}

/** Counts a recorded attempt and logs it. */
function report(
  { log, metrics }: WebhookServices,
  { delivery_id, endpoint_id, attempt_count }: ClaimedDelivery,
  { outcome, status, error, ms }: Omit<Attempt, 'response'>,
  state: string | null,
) {
  metrics.webhookAttempts.inc({ outcome, answer: answerOf({ outcome, status }) });
  if (state !== null && state !== 'pending') metrics.deliveriesEnded.inc({ state });
  const attempt = attempt_count + 1;
  log.info({ delivery_id, endpoint_id, attempt, status, outcome, reason: error, state, ms }, 'webhook attempt');
}

/** Queues the next delivery of a replay. If this fails, reconcile does it. */
async function goOn({ db, queue, log, now }: WebhookServices, tenant: Tenant, endpoint_id: string) {
  try {
    await queue.add('webhook', await advanceReplay(db, tenant, endpoint_id, now()));
  } catch (error) {
    log.warn({ error, endpoint_id }, 'replay not gone on with; reconcile will');
  }
}

/** The class of an answer: `2xx` to `5xx`, with `429` apart; `none` when there was none, `blocked` when no request was made. */
function answerOf({ outcome, status }: Pick<Attempt, 'outcome' | 'status'>): string {
  if (outcome === 'blocked') return 'blocked';
  if (status === null) return 'none';
  return status === 429 ? '429' : `${Math.floor(status / 100)}xx`;
}

/** Queues turned-away deliveries again, one for each place freed. If this fails, reconcile does it. */
async function refill(
  { db, queue, log, now }: WebhookServices,
  limiter: EndpointLimiter,
  { org_id, environment }: Jobs['webhook'],
  endpoint_id: string,
) {
  try {
    await limiter.refill(endpoint_id, async (wanted, except) => {
      const jobs = await claimForEndpoint(db, { org_id, environment }, { endpoint_id, except }, wanted, now());
      await queue.add('webhook', jobs);
      return jobs.length;
    });
  } catch (error) {
    log.warn({ error, endpoint_id }, 'deliveries not claimed; reconcile will find them');
  }
}
