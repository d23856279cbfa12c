import type { Caller } from './caller.ts';
import { type RouteAnswer, answerOf, type RequestContext, type Route } from './route.ts';
import type { ApiServices } from './services.ts';
import { conflict, type Detail, type ErrorCode, Problem } from '#shared/interface/errors.ts';
import { type AuditEntry, recordAudit } from '#shared/interface/audit_log.ts';
import {
  claimKey,
  findAnswer,
  type IdempotencyKeyUse,
  type StoredAnswer,
  storeAnswer,
} from '#shared/interface/idempotency_keys.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { seal, tryOpen, type SecretKeys } from '#shared/platform/secret_box.ts';

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

/** The stored response for this key, or null; for requests that must not be prepared twice. Throws a stored refusal. */
export async function answeredBefore(
  route: Route,
  caller: Caller,
  use: IdempotencyKeyUse,
  { db, now, config }: ApiServices,
): Promise<RouteAnswer | null> {
  const stored = await findAnswer(db, caller, use, now());
  if (!stored) return null;
  const answer = repeat(stored, route, use, config.secret_key);
  if (answer instanceof Problem) throw answer;
  return answer;
}

function toStore(route: Route, answer: RouteAnswer | Problem, use: IdempotencyKeyUse, secret_key: SecretKeys) {
  if (answer instanceof Problem) {
    const { status, code, message, details } = answer;
    return { status, answer: JSON.stringify({ code, message, details }), record_id: null };
  }
  const { status, body } = answer;
  const { id } = body as { id?: unknown };
  const text = JSON.stringify(body);
  const sealed = route.secret === 'sealed' ? seal(secret_key, text, use.scope).toString('base64') : null;
  return {
    status,
    answer: route.secret ? sealed : text,
    record_id: typeof id === 'string' ? id : null,
  };
}

/** The stored response, for the same request; any other use of its key is refused. */
function repeat(
  stored: StoredAnswer | 'busy',
  { secret }: Route,
  use: IdempotencyKeyUse,
  secret_key: SecretKeys,
): RouteAnswer | Problem {
  if (stored === 'busy')
    return new Problem('conflict', 'A request with this Idempotency-Key is under way. Ask again for its answer.', {
      headers: { 'Retry-After': '1' },
    });
  if (!stored.same_body)
    return new Problem(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request. A new request needs a new key.',
    );
  const headers = { 'Idempotent-Replayed': 'true' };
  if (stored.status >= 400 && stored.answer !== null) {
    const { code, message, details } = JSON.parse(stored.answer) as {
      code: ErrorCode;
      message: string;
      details?: Detail[];
    };
    return new Problem(code, message, { details, headers });
  }
  if (secret === true || stored.answer === null) return shownOnce(stored);
  const text =
    secret === 'sealed' ? tryOpen(secret_key, Buffer.from(stored.answer, 'base64'), use.scope) : stored.answer;
  if (text === null) return shownOnce(stored);
  return { status: stored.status, body: JSON.parse(text), cookies: [], headers };
}

const shownOnce = ({ record_id }: StoredAnswer) =>
  conflict(`This was done before and made ${record_id ?? 'a record'}; its secret is shown once only.`);
