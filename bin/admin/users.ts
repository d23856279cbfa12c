import { invalidDetail, orNotFound } from '#shared/interface/errors.ts';
import { type AccountEntry, recordAccount } from '#shared/people/account_audit.ts';
import { removeAllFactors } from '#shared/people/second_factors.ts';
import { endOtherSessions } from '#shared/people/sessions.ts';
import { listMembers } from '#shared/people/members.ts';
import { createLink } from '#shared/people/sign_in_links.ts';
import { addMember, Email, ensureUser, findMember, listMemberships, RoleName } from '#shared/people/users.ts';
import type { Role } from '#shared/interface/roles.ts';
import { baseUrlOf } from './base_url.ts';
import { changeAsOperator } from './change.ts';
import { type AdminCommand, need, needName, orgOption, tenantOf } from './command.ts';

const operator = { actor_id: null, request_id: null };
const emailOption = { flags: '--email <address>', about: 'email address', required: true } as const;

/** People, for the operator: the first of an organization is made here, who then brings in the others. */
export const users: AdminCommand[] = [
  {
    name: 'user create',
    summary: 'Add a member to an organization',
    options: [
      orgOption,
      emailOption,
      { flags: '--role <developer|admin|owner>', about: 'role', required: true },
      { flags: '--name <name>', about: 'name' },
    ],
    async run(options, services) {
      const tenant = await tenantOf(options, services);
      const [email, role] = [emailOf(options), roleOf(options)];
      const name = options['name'] === undefined ? null : needName(options);
      return changeAsOperator(services, tenant, ['members'], async (tx, now) => {
        const user = await ensureUser(tx, { email, name }, now);
        await addMember(tx, tenant.org_id, { user_id: user.id, role, created_by: null }, now);
        const entry = { action: 'member.added' as const, target_id: user.id, after: { email: user.email, role } };
        return { result: { id: user.id, email: user.email, role, org_id: tenant.org_id }, entries: [entry] };
      });
    },
  },
  {
    name: 'user list',
    summary: 'List the members of an organization',
    options: [orgOption],
    async run(options, services) {
      const { org_id } = await tenantOf(options, services);
      const { data } = await listMembers(services.db, org_id, {}, { limit: 10_000, after: null, cursorAfter: String });
      return { data };
    },
  },
  {
    name: 'user reset-second-factor',
    summary: 'Remove a member’s second factors and recovery codes, and end their sessions',
    options: [emailOption],
    async run(options, { db, config, now }) {
      const email = emailOf(options);
      return db.transaction(async tx => {
        const user = orNotFound('user', await findMember(tx, email));
        const removed = await removeAllFactors(tx, user.id);
        const ended = await endOtherSessions(tx, user.id, null);
        const entries: AccountEntry[] = [
          ...(await listMemberships(tx, user.id)).map(({ id }) => ({
            org_id: id,
            action: 'second_factor.removed' as const,
            target_id: user.id,
            before: { count: removed.length },
          })),
          ...ended.map(({ id, org_id }) => ({ org_id, action: 'session.ended' as const, target_id: id })),
        ];
        await recordAccount(tx, config.environment, operator, entries, now(), true);
        return { id: user.id, email, second_factors_removed: removed.length, sessions_ended: ended.length };
      });
    },
  },
  {
    name: 'user end-sessions',
    summary: 'Sign a member out everywhere',
    options: [emailOption],
    async run(options, { db, config, now }) {
      const email = emailOf(options);
      return db.transaction(async tx => {
        const user = orNotFound('user', await findMember(tx, email));
        const ended = await endOtherSessions(tx, user.id, null);
        const entries = ended.map(({ id, org_id }) => ({ org_id, action: 'session.ended' as const, target_id: id }));
        await recordAccount(tx, config.environment, operator, entries, now());
        return { id: user.id, email, sessions_ended: ended.length };
      });
    },
  },
  {
    name: 'sign-in-link',
    summary: 'Create a sign-in link that works in any browser, once, for ten minutes',
    options: [emailOption],
    async run(options, { db, config, now }) {
      const email = emailOf(options);
      return db.transaction(async tx => {
        const user = orNotFound('user', await findMember(tx, email));
        const { token, expires_at } = await createLink(
          tx,
          config.secret_key,
          { user_id: user.id, binding: null },
          now(),
        );
        // What is done with it looks like the person's own doing, in whichever organization.
        const entries = (await listMemberships(tx, user.id)).map(({ id }) => ({
          org_id: id,
          action: 'sign_in_link.created' as const,
          target_id: user.id,
          after: { expires_at },
        }));
        await recordAccount(tx, config.environment, operator, entries, now());
        return { url: `${baseUrlOf(config)}/sign-in/${token}`, expires_at };
      });
    },
  },
];

function emailOf(options: Record<string, string | undefined>): string {
  const parsed = Email.safeParse(need(options, 'email'));
  if (!parsed.success) throw invalidDetail('/email', 'invalid_format', '--email must be an email address.');
  return parsed.data;
}

function roleOf(options: Record<string, string | undefined>): Role {
  const parsed = RoleName.safeParse(need(options, 'role'));
  if (!parsed.success) throw invalidDetail('/role', 'invalid_value', '--role must be developer, admin or owner.');
  return parsed.data;
}
