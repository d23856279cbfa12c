import { UniqueIntegrityConstraintViolationError } from 'slonik';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { conflict } from '#shared/interface/errors.ts';
import { Id, newId } from '#shared/interface/ids.ts';
import { type Role, roles } from '#shared/interface/roles.ts';
import { timestamp } from '#shared/values/time.ts';

/** An e-mail address as it is stored and compared: in lower case. At most 254 characters (RFC 5321). */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email())
  .meta({ override: { type: 'string', format: 'email', maxLength: 254 }, examples: ['ada@example.com'] });

export const RoleName = z.enum(roles).meta({ id: 'Role' });

export const User = z.object({ id: Id('usr'), email: z.string(), name: z.string().nullable() }).meta({ id: 'User' });
export type User = z.infer<typeof User>;

/** The user with this address, created if missing. `name` is stored for a user without one. */
export async function ensureUser(db: Db, input: { email: string; name?: string | null }, now: number): Promise<User> {
  const name = input.name?.trim() ? input.name.trim() : null;
  return db.one(sql.type(User)`
    insert into users (id, email, name, created_at) values (${newId('usr', now)}, ${input.email}, ${name}, ${timestamp(now)})
    on conflict (email) do update set name = coalesce(users.name, excluded.name)
    returning id, email, name`);
}

/** Makes a user a member. Throws `conflict` when they are one already. */
export async function addMember(
  db: Db,
  org_id: string,
  { user_id, role, created_by }: { user_id: string; role: Role; created_by: string | null },
  now: number,
): Promise<void> {
  try {
    await db.query(sql.unsafe`
      insert into members (org_id, user_id, role, created_at, created_by)
      values (${org_id}, ${user_id}, ${role}, ${timestamp(now)}, ${created_by})`);
  } catch (error) {
    if (error instanceof UniqueIntegrityConstraintViolationError)
      throw conflict('A member with this email address already exists. Change their role instead.');
    throw error;
  }
}

/** An organization of a user, and the user's role in it. */
export const Membership = z.object({ id: Id('org'), name: z.string(), role: RoleName }).meta({ id: 'Membership' });
export type Membership = z.infer<typeof Membership>;

/** The organizations of a user by name, at most 200, including the current one. */
export const listMemberships = (db: Db, user_id: string, here_id: string | null = null) =>
  db.any(sql.type(Membership)`
    select id, name, role from (
      select o.id, o.name, m.role from members m join organizations o on o.id = m.org_id
      where m.user_id = ${user_id} order by o.id is distinct from ${here_id}, o.name, o.id limit 200) known
    order by name, id`);

/** The user with this address who may sign in: a member of some organization. */
export const findMember = (db: Db, email: string) =>
  db.maybeOne(sql.type(User)`
    select u.id, u.email, u.name from users u join members m on m.user_id = u.id where u.email = ${email} limit 1`);

/**
 * The organization a user's new session acts in: the last chosen, else the first joined. Null without any. The membership cannot end before
 * the transaction does, so that whoever ends it finds the session.
 */
export async function findHome(tx: Db, user_id: string): Promise<string | null> {
  for (;;) {
    const org_id = await tx.maybeOneFirst(sql.type(z.object({ org_id: z.string() }))`
      select m.org_id from members m join users u on u.id = m.user_id
      where m.user_id = ${user_id} order by (m.org_id is not distinct from u.last_org_id) desc, m.created_at, m.org_id limit 1`);
    if (org_id === null || (await holdMembership(tx, org_id, user_id))) return org_id;
  }
}

/** Keeps a membership from ending before the transaction does. Says whether there is one. */
export async function holdMembership(tx: Db, org_id: string, user_id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    select from members where org_id = ${org_id} and user_id = ${user_id} for key share`);
  return rowCount > 0;
}

/** Remembers the organization that a user chose. */
export const chooseHome = (db: Db, user_id: string, org_id: string) =>
  db.query(sql.unsafe`update users set last_org_id = ${org_id} where id = ${user_id}`);
