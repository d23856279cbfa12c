import { z } from 'zod';
import type { SessionCaller } from '#api/caller.ts';
import { route } from '#api/route.ts';
import type { ApiServices } from '#api/services.ts';
import { mayRole } from '#shared/interface/roles.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { MOST_MAILS, subjects, takeAttempt } from '#shared/people/attempt_limits.ts';
import {
  asColleague,
  changeMember,
  findInvited,
  inviteMember,
  ListedMember,
  listMembers,
  Member,
  MemberChange,
  MemberFilters,
  NewMember,
  removeMember,
} from '#shared/people/members.ts';
import { html } from '#shared/platform/html.ts';
import { mailButton, mailDocument, mailNote } from '#shared/platform/mail_document.ts';
import type { Mail } from '#shared/platform/mail.ts';

const params = z.object({ user_id: Id('usr') });
const tooMany = { '429': 'Too many emails to this address; Retry-After says when to try again' };

export const members = [
  route({
    method: 'get',
    path: '/v1/members',
    operation_id: 'listMembers',
    tag: 'Members',
    summary: 'List members, newest first',
    description:
      'Keys, and people who may not manage members, see whom to assign: `role` and what else concerns access is left out.',
    access: { scopes: ['cases:write'], session: 'read' },
    version: { of: 'answer' },
    query: MemberFilters.extend(pageQuery),
    responses: [[200, 'A page of members', PageOf(ListedMember).meta({ id: 'MemberPage' })]],
    handle: async ({ query, caller }, { db, config }) => {
      const page = await listMembers(
        db,
        caller.org_id,
        query,
        pageRequest(config.secret_key, 'members', caller, query),
      );
      const manages = caller.kind === 'session' && mayRole(caller.role, 'administer', config.environment);
      return manages ? page : { ...page, data: page.data.map(asColleague) };
    },
  }),

  route({
    method: 'post',
    path: '/v1/members',
    operation_id: 'addMember',
    tag: 'Members',
    summary: 'Invite a member',
    description: 'They get an email that says where to sign in with their address. Only an owner adds owners.',
    access: { session: 'administer' },
    changes: ['members'],
    body: NewMember,
    errors: tooMany,
    responses: [[201, 'The member', Member]],
    handle: async ({ body, caller, audit }, services) => {
      const member = await inviteMember(services.db, caller, body, services.now());
      await sendInvitation(member.email, caller, services);
      audit({ action: 'member.added', target_id: member.id, after: member });
      return member;
    },
  }),

  route({
    method: 'post',
    path: '/v1/members/{user_id}/invitation',
    operation_id: 'resendInvitation',
    tag: 'Members',
    summary: 'Resend an invitation',
    description: 'To a member who has not signed in yet.',
    access: { session: 'administer' },
    changes: [],
    params,
    errors: { ...tooMany, '409': 'They have signed in already' },
    responses: [[200, 'The member', Member]],
    handle: async ({ params, caller, audit }, services) => {
      const member = await findInvited(services.db, caller.org_id, params.user_id);
      await sendInvitation(member.email, caller, services);
      audit({ action: 'member.invited', target_id: member.id });
      return member;
    },
  }),

  route({
    method: 'patch',
    path: '/v1/members/{user_id}',
    operation_id: 'changeMember',
    tag: 'Members',
    summary: 'Change the role of a member',
    description: 'It takes effect at once. Only an owner changes an owner; the last owner stays one.',
    access: { session: 'administer' },
    changes: ['members'],
    params,
    body: MemberChange,
    responses: [[200, 'The member', Member]],
    handle: async ({ params, body, caller, audit }, { db }) => {
      const { before, after } = await changeMember(db, caller, params.user_id, body);
      audit({ action: 'member.changed', target_id: after.id, before, after });
      return after;
    },
  }),

  route({
    method: 'delete',
    path: '/v1/members/{user_id}',
    operation_id: 'removeMember',
    tag: 'Members',
    summary: 'Remove a member',
    description: 'Their sessions here end at once. Only an owner removes an owner; the last owner stays.',
    access: { session: 'administer' },
    changes: ['members'],
    params,
    responses: [[200, 'The member as they were', Member]],
    handle: async ({ params, caller, audit }, { db }) => {
      const member = await removeMember(db, caller, params.user_id);
      audit({ action: 'member.removed', target_id: member.id, before: member });
      return member;
    },
  }),
];

/** Invitations and sign-in links share a limit, so that nobody's mailbox gets flooded. */
async function sendInvitation(
  to: string,
  { email: by, organization_name: organization }: SessionCaller,
  services: ApiServices,
) {
  const { db, config, mailer, now } = services;
  await takeAttempt(db, subjects.email(to), now(), MOST_MAILS);
  mailer.post(() => invitationMail({ to, url: config.base_url, by, organization }));
}

/** The mail that tells a new member where to sign in. It contains no token: they sign in with their address. */
function invitationMail({ to, url, by, organization }: Invitation): Mail {
  const invited = `${by} invited you to ${organization} on Agent Payment Oversight.`;
  const how = `Sign in with your email address, ${to}:`;
  const ignore = 'If you don’t know the sender, ignore this email.';
  return {
    to,
    subject: `Invitation to ${organization} on Agent Payment Oversight`,
    text: `${invited}\n\n${how}\n\n${url}\n\n${ignore}\n`,
    html: mailDocument([
      html`<p>${invited}</p>`,
      html`<p>${how}</p>`,
      mailButton(url, 'Sign in'),
      html`<p><a href=${url}>${url}</a></p>`,
      mailNote(ignore),
    ]),
  };
}

type Invitation = { to: string; url: string; by: string; organization: string };
