import { z } from 'zod';
import { type Db, holdsText, sql } from '#shared/platform/db.ts';
import { conflict, forbidden, notFound, orNotFound, unprocessable } from '#shared/interface/errors.ts';
import { Id, IdList } from '#shared/interface/ids.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { addMember, Email, ensureUser, findMember, RoleName } from './users.ts';
import { type Role, roles } from '#shared/interface/roles.ts';
import { Timestamp, SearchText } from '#shared/interface/schemas.ts';
import { named } from '#shared/values/text.ts';

export const Member = z
  .object({
    id: Id('usr'),
    email: z.string(),
    name: z.string().nullable(),
    role: RoleName,
    created_at: Timestamp.meta({ description: 'since when they are a member' }),
    created_by: z.string().nullable().meta({ description: 'who added them; null: the operator' }),
    second_factor: z.boolean().meta({ description: 'whether they have enrolled one' }),
    last_seen_at: Timestamp.nullable().meta({
      description:
        'when they were last here, to the minute; null: they have not signed in yet, and the invitation is pending',
    }),
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof Member>;

/** A member as seen by colleagues and programs, to assign and mention; without their permissions. */
const Colleague = Member.partial({
  role: true,
  created_at: true,
  created_by: true,
  second_factor: true,
  last_seen_at: true,
});
export const ListedMember = Colleague.extend({
  only_owner: z.boolean().optional().meta({
    description: 'whether the organization has no other owner: they can be neither removed nor given another role',
  }),
}).meta({ id: 'ListedMember' });
type ListedMember = z.infer<typeof ListedMember>;

const Row = Member.extend({ only_owner: z.boolean() });

/** A member as shown to those who do not manage members. */
export const asColleague = ({ id, email, name }: z.infer<typeof Row>): ListedMember => ({ id, email, name });

export const NewMember = z
  .strictObject({ email: Email, role: RoleName, name: named(200).optional() })
  .meta({ id: 'NewMember', examples: [{ email: 'ada@example.com', role: 'developer', name: 'Ada' }] });

export const MemberChange = z
  .strictObject({ role: RoleName })
  .meta({ id: 'MemberChange', examples: [{ role: 'admin' }] });

/** The signed-in person who manages members. */
type Manager = { org_id: string; user_id: string; role: Role };

/** Adds a person to the organization; a user is created if the address is new. Throws `forbidden` and `conflict`. */
export async function inviteMember(
  tx: Db,
  manager: Manager,
  { email, role, name }: z.output<typeof NewMember>,
  now: number,
): Promise<Member> {
  needRank(manager.role, role);
  // A member of another organization keeps their name, which that organization sees, too.
  const user = (await findMember(tx, email)) ?? (await ensureUser(tx, { email, name }, now));
  await addMember(tx, manager.org_id, { user_id: user.id, role, created_by: manager.user_id }, now);
  return needMember(tx, manager.org_id, user.id);
}

/** A member who has not signed in yet. Throws `not_found`, and `conflict` if they have. */
export async function findInvited(db: Db, org_id: string, user_id: string): Promise<Member> {
  const member = await needMember(db, org_id, user_id);
  if (member.last_seen_at !== null) throw conflict('This member has signed in already.');
  return member;
}

/** Gives a member another role. Throws `not_found`, `forbidden`, and `conflict` when no owner would be left. */
export async function changeMember(
  tx: Db,
  manager: Manager,
  user_id: string,
  { role }: z.output<typeof MemberChange>,
): Promise<{ before: Member; after: Member }> {
  const before = await lockForChange(tx, manager, user_id, role);
  await tx.query(sql.unsafe`
    update members set role = ${role} where org_id = ${manager.org_id} and user_id = ${user_id}`);
  return { before, after: { ...before, role } };
}

/** Ends a membership and the sessions in it. Throws `not_found`, `forbidden`, and `conflict` when no owner would be left. */
export async function removeMember(tx: Db, manager: Manager, user_id: string): Promise<Member> {
  const before = await lockForChange(tx, manager, user_id, null);
  await tx.query(sql.unsafe`delete from members where org_id = ${manager.org_id} and user_id = ${user_id}`);
  // Whoever comes back would be told where the one who left wanted it.
  await tx.query(
    sql.unsafe`delete from notification_settings where org_id = ${manager.org_id} and user_id = ${user_id}`,
  );
  // A session depends on its membership; if kept, it would become valid again with the next one.
  await tx.query(sql.unsafe`delete from sessions where user_id = ${user_id} and org_id = ${manager.org_id}`);
  return before;
}

/** The filters of the list. */
export const MemberFilters = z.strictObject({
  q: SearchText.optional().meta({
    description: 'part of the name or the email address, whatever its case; or the exact id',
  }),
  ids: IdList('usr').optional().meta({ description: 'these members alone: up to 200 ids, separated by commas' }),
});
export type MemberFilters = z.infer<typeof MemberFilters>;

/** Members of an organization, latest first, filtered. */
export async function listMembers(
  db: Db,
  org_id: string,
  { q, ids }: MemberFilters,
  page: PageRequest,
): Promise<Page<z.infer<typeof Row>>> {
  const [at, user_id] = page.after?.split(' ') ?? [];
  const rows = await db.any(sql.type(Row)`
    select ${columns}, m.role = 'owner' and not exists (
      select from members o where o.org_id = m.org_id and o.role = 'owner' and o.user_id <> m.user_id) as only_owner
    from members m join users u on u.id = m.user_id
    where ${sql.and([
      sql.fragment`m.org_id = ${org_id}`,
      q !== undefined &&
        sql.fragment`(${holdsText(sql.fragment`coalesce(u.name, '') || ' ' || u.email`, q)} or u.id = ${q})`,
      ids !== undefined && sql.fragment`m.user_id = any(${sql.array(ids, 'text')})`,
      at !== undefined && user_id !== undefined && sql.fragment`(m.created_at, m.user_id) < (${at}, ${user_id})`,
    ])}
    order by m.created_at desc, m.user_id desc limit ${page.limit + 1}`);
  return pageOf(rows, page, member => `${member.created_at} ${member.id}`);
}

/** Throws `unprocessable` where somebody to whom work is to be assigned is no member of the organization; null is nobody. */
export async function needAssignee(db: Db, org_id: string, user_id: string | null): Promise<void> {
  const isThere =
    user_id === null ||
    (await db.exists(sql.unsafe`select from members where org_id = ${org_id} and user_id = ${user_id}`));
  if (!isThere) throw unprocessable('/assignee_id', 'not_found', 'There is no such member of the organization.');
}

/**
 * The member, once it is certain that they may get this role (null: leave). The rows of the owners, of the member and of the actor are
 * locked in one order: of two owners who demote each other, the second finds that they may not.
 */
async function lockForChange(tx: Db, manager: Manager, user_id: string, role: Role | null): Promise<Member> {
  const { org_id } = manager;
  const locked = await tx.any(sql.type(Locked)`
    select user_id, role from members
    where org_id = ${org_id} and (role = 'owner' or user_id in (${user_id}, ${manager.user_id}))
    order by user_id for update`);
  const roleOf = (id: string) => locked.find(member => member.user_id === id)?.role;
  const [target, acting] = [roleOf(user_id), roleOf(manager.user_id)];
  if (!target) throw notFound('member');
  if (acting !== manager.role) throw forbidden('Your role was changed a moment ago.');
  needRank(acting, target);
  if (role) needRank(acting, role);
  const owners = locked.filter(member => member.role === 'owner');
  if (target === 'owner' && role !== 'owner' && owners.length === 1)
    throw conflict('This is the only owner of the organization. Add another owner first.');
  return needMember(tx, org_id, user_id);
}

const Locked = z.object({ user_id: z.string(), role: z.enum(roles) });

/** No one may add, change or remove a member above their own role. */
function needRank(own: Role, role: Role): void {
  if (roles.indexOf(role) > roles.indexOf(own)) throw forbidden(`This requires the role ${role}; yours is ${own}.`);
}

const columns = sql.fragment`u.id, u.email, u.name, m.role, m.created_at, m.created_by, m.last_seen_at,
  exists (select from second_factors f where f.user_id = u.id) as second_factor`;

async function needMember(db: Db, org_id: string, user_id: string): Promise<Member> {
  return orNotFound(
    'member',
    await db.maybeOne(sql.type(Member)`
    select ${columns} from members m join users u on u.id = m.user_id
    where m.org_id = ${org_id} and m.user_id = ${user_id}`),
  );
}
