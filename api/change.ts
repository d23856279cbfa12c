import type { Caller } from './caller.ts';
import { repeat, toStore } from './idempotency_key.ts';
import { type RouteAnswer, answerOf, type RequestContext, type Route } from './route.ts';
import type { ApiServices } from './services.ts';
import { Problem } from '#shared/interface/errors.ts';
import { type AuditEntry, recordAudit } from '#shared/interface/audit_log.ts';
import { claimKey, type IdempotencyKeyUse, storeAnswer } from '#shared/interface/idempotency_keys.ts';
import { moveVersions } from '#shared/interface/versions.ts';

type Run = (context: Pick<RequestContext, 'audit' | 'afterCommit'>, services: ApiServices) => Promise<unknown>;

/**
 * Runs a handler that changes something, in one transaction with its audit rows, the counters of its topics, and the stored response for
 * its Idempotency-Key. With a key, a refusal (4xx) is stored too, and its effects undone.
 */
export async function change(
  route: Route,
  caller: Caller,
  request_id: string,
  use: IdempotencyKeyUse | null,
  services: ApiServices,
  run: Run,
): Promise<RouteAnswer> {
  const { db, now, log } = services;
  const acts: (() => unknown)[] = [];
  const outcome = await db.transaction(async tx => {
    const stored = use && (await claimKey(tx, caller, use, now()));
    if (stored) return repeat(stored, route, use, services.config.secret_key);

    const perform = async (inner: ApiServices['db']) => {
      const entries: AuditEntry[] = [];
      const audit = (entry: AuditEntry) => entries.push(entry);
      const afterCommit = (act: () => unknown) => acts.push(act);
      const answer = answerOf(route, await run({ audit, afterCommit }, { ...services, db: inner }));
      const topics = route.changes ?? [];
      await recordAudit(inner, caller, { actor_id: caller.actor_id, request_id }, entries, now());
      await moveVersions(inner, caller, entries.length > 0 ? [...topics, 'audit_log'] : topics);
      return answer;
    };
    if (!use) return perform(tx as ApiServices['db']);

    const answer = await tx
      .transaction(savepoint => perform(savepoint as ApiServices['db']))
      .catch((error: unknown) => {
        if (error instanceof Problem && error.status < 500 && error.status !== 429) return error;
        throw error;
      });
    await storeAnswer(tx, caller, use, toStore(route, answer, use, services.config.secret_key), now());
    return answer;
  });
  if (outcome instanceof Problem) throw outcome;
  for (const act of acts) {
    try {
      await act();
    } catch (error) {
      log.error({ error, request_id }, 'what follows a change failed');
    }
  }
  return outcome;
}
