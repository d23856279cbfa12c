import { sessionCookieOf } from './begin_session.ts';
import type { SessionCaller } from './caller.ts';
import type { Cookie } from './cookies.ts';
import type { ApiServices } from './services.ts';
import type { Db } from '#shared/platform/db.ts';
import { type AccountEntry, recordAccount } from '#shared/people/account_audit.ts';
import type { AuditEntry } from '#shared/interface/audit_log.ts';
import { readSecondFactor, removeFactor, type SecondFactor } from '#shared/people/second_factors.ts';
import { endOtherSessions, raiseSession, type Session } from '#shared/people/sessions.ts';
import { listMemberships } from '#shared/people/users.ts';

type FactorChange = {
  audit: AuditEntry[];
  request_id: string;
  /** A factor was enrolled or removed, which every organization of the person is told. */
  enrollment?: boolean;
  end_others?: boolean;
};

/** Notes what a person did to or with their second factor, and ends their other sessions where asked to. Last in its transaction. */
export async function recordFactor(
  tx: Db,
  caller: SessionCaller,
  { audit, request_id, enrollment = false, end_others = false }: FactorChange,
  { config, now }: Pick<ApiServices, 'config' | 'now'>,
): Promise<void> {
  const org_ids = enrollment ? (await listMemberships(tx, caller.user_id)).map(({ id }) => id) : [caller.org_id];
  const ended = end_others ? await endOtherSessions(tx, caller.user_id, caller.session_id) : [];
  const entries: AccountEntry[] = [
    ...org_ids.flatMap(org_id => audit.map(entry => ({ ...entry, org_id }))),
    ...ended.map(({ id, org_id }) => ({ org_id, action: 'session.ended' as const, target_id: id })),
  ];
  const actor = { actor_id: caller.actor_id, request_id };
  await recordAccount(tx, config.environment, actor, entries, now(), enrollment);
}

/** The same, for somebody who has just shown a second factor: their session goes on under a new token. */
export async function raise(
  tx: Db,
  caller: SessionCaller,
  done: FactorChange,
  services: Pick<ApiServices, 'config' | 'now'>,
): Promise<{ session: Session; cookies: Cookie[] }> {
  const { token, ...session } = await raiseSession(tx, caller.session_id, services.now());
  await recordFactor(tx, caller, done, services);
  return { session, cookies: [sessionCookieOf(services.config, token)] };
}

/** Removes a factor of the caller (`totp`, or a passkey's id) and ends their other sessions. Null when there is no such factor. */
export async function remove(
  tx: Db,
  caller: SessionCaller,
  id: string,
  request_id: string,
  services: Pick<ApiServices, 'config' | 'now'>,
): Promise<SecondFactor | null> {
  const removed = await removeFactor(tx, caller, id);
  if (!removed) return null;
  const { kind, name } = removed;
  const before = kind === 'totp' ? { kind } : { kind, id, name };
  const audit = [{ action: 'second_factor.removed' as const, target_id: caller.user_id, before }];
  await recordFactor(tx, caller, { audit, request_id, enrollment: true, end_others: true }, services);
  return readSecondFactor(tx, caller);
}
