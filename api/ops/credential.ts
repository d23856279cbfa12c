import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import type { ApiServices } from '#api/services.ts';
import { isLostDatabase } from '#shared/platform/db.ts';
import { asError, Problem } from '#shared/interface/errors.ts';
import type { OpsCredential } from '#shared/settings/ops_credential_setting.ts';
import { needAttempts, subjects, takeAttempt } from '#shared/people/attempt_limits.ts';

/**
 * The name of the operator, by HTTP Basic (RFC 7617). Throws `unauthorized` for missing or wrong credentials, and `rate_limited` after five
 * wrong ones from a network in 15 minutes, whether the sixth is right or wrong.
 */
export async function identifyOperator(
  ctx: Context,
  { user, password }: OpsCredential,
  { db, log, now }: ApiServices,
): Promise<string> {
  const credential = credentialOf(ctx.get('Authorization'));
  if (credential === null) throw unauthorized();
  const subject = subjects.operator(ctx.ip);
  // Attempts are checked after the comparison: a right guess among many concurrent ones sees the wrong ones before it.
  if (isSame(credential, `${user}:${password}`)) {
    await whileCounted(needAttempts(db, subject, now()));
    return user;
  }
  log.warn({ request_id: ctx.response.get('Request-Id'), ip: ctx.ip }, 'wrong credential for /ops');
  await whileCounted(takeAttempt(db, subject, now()));
  throw unauthorized();
}

/** Operators need this page while the database is away: then nothing is counted, and nothing can be changed. */
async function whileCounted(counting: Promise<void>): Promise<void> {
  await counting.catch((error: unknown) => {
    if (!isLostDatabase(asError(error))) throw error;
  });
}

function credentialOf(header: string): string | null {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header) ?? [];
  return encoded === undefined ? null : Buffer.from(encoded, 'base64').toString('utf8');
}

/** In constant time, whatever the difference or the lengths. */
const isSame = (credential: string, right: string) => timingSafeEqual(digest(credential), digest(right));
const digest = (text: string) => createHash('sha256').update(text).digest();

const unauthorized = () =>
  new Problem('unauthorized', 'Operators only. Sign in with OPS_CREDENTIAL.', {
    headers: { 'WWW-Authenticate': 'Basic realm="Operators", charset="UTF-8"' },
  });
