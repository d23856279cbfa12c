import { type Cookie, sessionCookie, signInCookie } from './cookies.ts';
import type { RequestContext } from './route.ts';
import type { ApiServices } from './services.ts';
import type { Db } from '#shared/platform/db.ts';
import { recordAccount } from '#shared/people/account_audit.ts';
import { createSession, endSessionOf, type Session, SESSION_LIFE } from '#shared/people/sessions.ts';
import { findHome } from '#shared/people/users.ts';
import { SECOND } from '#shared/values/time.ts';

/**
 * Signs a user in, in the transaction that identified them: a new session replaces the browser's former one. Null for a person without any
 * membership.
 */
export async function beginSession(
  tx: Db,
  user_id: string,
  { id: request_id, user_agent, cookie }: RequestContext['request'],
  { config, now }: Pick<ApiServices, 'config' | 'now'>,
): Promise<{ session: Session; cookies: Cookie[] } | null> {
  const org_id = await findHome(tx, user_id);
  if (!org_id) return null;
  const old = cookie(sessionCookie(config));
  const ended = old ? await endSessionOf(tx, old) : null;
  const { token, ...session } = await createSession(tx, { user_id, org_id, user_agent }, now());
  const entries = [
    ...(ended?.user_id === user_id
      ? [{ org_id: ended.org_id, action: 'session.ended' as const, target_id: ended.id }]
      : []),
    { org_id, action: 'session.created' as const, target_id: session.id, after: { user_agent: session.user_agent } },
  ];
  await recordAccount(tx, config.environment, { actor_id: user_id, request_id }, entries, now());
  return { session, cookies: [sessionCookieOf(config, token), { name: signInCookie(config) }] };
}

export const sessionCookieOf = (config: ApiServices['config'], token: string): Cookie => ({
  name: sessionCookie(config),
  value: token,
  max_age: SESSION_LIFE / SECOND,
});
