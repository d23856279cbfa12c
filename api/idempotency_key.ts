import type { Context } from 'koa';
import type { Caller } from './caller.ts';
import type { RouteAnswer, Route } from './route.ts';
import type { ApiServices } from './services.ts';
import { conflict, type Detail, type ErrorCode, invalidDetail, Problem } from '#shared/interface/errors.ts';
import { findAnswer, type IdempotencyKeyUse, type StoredAnswer } from '#shared/interface/idempotency_keys.ts';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { seal, type SecretKeys, tryOpen } from '#shared/platform/secret_box.ts';

/** The stored response, for the same request; any other use of its key is refused. */
export function repeat(
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

/** What is stored of a response; of one with a secret nothing, or what is sealed. */
export function toStore(route: Route, answer: RouteAnswer | Problem, use: IdempotencyKeyUse, secret_key: SecretKeys) {
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

/** The value of a POST's Idempotency-Key. Quoted (RFC 8941 string) and bare forms are equal. */
export function keyUse(route: Route, caller: Caller, ctx: Context, sent: unknown): IdempotencyKeyUse | null {
  const value = ctx.get('Idempotency-Key');
  if (route.method !== 'post' || ctx.headers['idempotency-key'] === undefined) return null;
  const key = /^"(.*)"$/.exec(value)?.[1] ?? value;
  if (!/^[\x20-\x7e]{1,255}$/.test(key))
    throw invalidDetail(
      'header.idempotency-key',
      'invalid_format',
      'An Idempotency-Key has 1 to 255 printable ASCII characters.',
    );
  return {
    scope: JSON.stringify([caller.actor_id, route.method, ctx.path, key]),
    body: `${ctx.querystring}\n${canonicalJson(sent ?? null)}`,
  };
}

const shownOnce = ({ record_id }: StoredAnswer) =>
  conflict(`This was done before and made ${record_id ?? 'a record'}; its secret is shown once only.`);
