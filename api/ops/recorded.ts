import type { Context } from 'koa';
import { problemOf } from '#api/problem.ts';
import type { ApiServices } from '#api/services.ts';
import { type OperatorAct, recordAct, recordOutcome } from '#shared/running/operator_acts.ts';

/**
 * Does what an operator asked for, and writes down who asked for what: before it is done, so that nothing is done that stands nowhere, and
 * the status of the answer afterwards. Where only the latter fails, the act stands without an outcome.
 */
export async function recorded(
  ctx: Context,
  act: Omit<OperatorAct, 'request_id' | 'ip'>,
  { db, log, now }: ApiServices,
  work: () => Promise<void>,
): Promise<void> {
  const request_id = ctx.response.get('Request-Id');
  const id = await recordAct(db, { ...act, request_id, ip: ctx.ip }, now());
  let status = 500;
  try {
    await work();
    status = ctx.status;
  } catch (error) {
    status = problemOf(error).status;
    throw error;
  } finally {
    log.info({ request_id, act: act.act, queue: act.queue, jobs: act.job_ids.length, status }, 'operator act');
    await recordOutcome(db, id, status, now()).catch((error: unknown) =>
      log.error({ error, request_id }, 'outcome of an operator act not noted'),
    );
  }
}
