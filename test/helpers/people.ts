import { randomBytes } from 'node:crypto';
import { sessionCookie } from '#api/cookies.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Role } from '#shared/interface/roles.ts';
import { createSession } from '#shared/people/sessions.ts';
import { addMember, ensureUser, type User } from '#shared/people/users.ts';
import { sql } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import { timestamp } from '#shared/values/time.ts';

let people = 0;

/** Makes people of a deployment, signed in as they would be after a link. */
export function createPeople({ db, config, now }: Pick<Services, 'db' | 'config' | 'now'>) {
  /** Somebody new with this role. */
  async function member(role: Role, org_id: string): Promise<User> {
    const user = await ensureUser(db, { email: `${role}-${(people += 1)}@example.com`, name: `Some ${role}` }, now());
    await addMember(db, org_id, { user_id: user.id, role, created_by: null }, now());
    return user;
  }

  /** A second factor that nobody can show; it is there to have been shown. */
  const addPasskey = (user_id: string) =>
    db.query(sql.unsafe`
      insert into second_factors (user_id, id, kind, name, credential_id, public_key, sign_count, created_at)
      values (${user_id}, ${newId('psk')}, 'passkey', 'test', ${sql.binary(randomBytes(16))}, ${sql.binary(Buffer.of(0))}, 0, now())`);

  /** A session of a user in an organization, begun as a sign-in would. */
  async function session(user_id: string, org_id: string, shown: boolean) {
    const second_factor_at = shown ? timestamp(now()) : null;
    const { id, token } = await createSession(db, { user_id, org_id, user_agent: 'test', second_factor_at }, now());
    return { id, cookie: `${sessionCookie(config)}=${token}` };
  }

  return {
    member,
    session,
    /** A signed-in person of this role, who has a second factor and has shown it, or has none. */
    async person(role: Role, org_id: string, second_factor: boolean) {
      const user = await member(role, org_id);
      if (second_factor) await addPasskey(user.id);
      const { id: session_id, cookie } = await session(user.id, org_id, second_factor);
      return { user, cookie, session_id };
    },
  };
}
