import type { Services } from '#shared/platform/services.ts';
import { createLink } from '#shared/people/sign_in_links.ts';
import { addMember, ensureUser } from '#shared/people/users.ts';

/** Who looks at the demo's dashboard. */
export const VISITOR = 'you@example.com';

/** Makes the visitor an owner of an organization. */
export async function addVisitor({ db, now }: Services, org_id: string): Promise<void> {
  const user = await ensureUser(db, { email: VISITOR, name: null }, now());
  await addMember(db, org_id, { user_id: user.id, role: 'owner', created_by: null }, now());
}

/** A link that signs the visitor in, in any browser, once within ten minutes. */
export async function visitorLink({ db, config, now }: Services, address: string): Promise<string> {
  const { id } = await ensureUser(db, { email: VISITOR, name: null }, now());
  const { token } = await createLink(db, config.secret_key, { user_id: id, binding: null }, now());
  return `${address}/sign-in/${token}`;
}
