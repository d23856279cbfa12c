import { z } from 'zod';
import { route } from '#api/route.ts';
import { unauthorized, orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { recordAccount } from '#shared/people/account_audit.ts';
import { Me, readKeyMe, readSessionMe, SessionMe } from '#shared/people/me.ts';
import {
  NewNotificationSettings,
  NotificationSettings,
  NotificationWebhook,
  readNotificationSettings,
  saveNotificationSettings,
  saveNotificationWebhook,
} from '#shared/people/notification_settings.ts';
import { NotificationTest, sendTestNotification } from '#shared/people/test_notification.ts';
import { moveSession } from '#shared/people/sessions.ts';
import { chooseHome, holdMembership } from '#shared/people/users.ts';

export const me = [
  route({
    method: 'get',
    path: '/v1/me',
    operation_id: 'getMe',
    tag: 'Account',
    summary: 'Read the current API key or signed-in member',
    access: { scopes: 'any', session: 'session' },
    version: { of: 'answer' },
    responses: [[200, 'Who calls', Me]],
    handle: async ({ caller }, { db }) => {
      const me = caller.kind === 'key' ? await readKeyMe(db, caller) : await readSessionMe(db, caller, caller.org_id);
      // The membership has ended since the session was looked up.
      if (!me) throw unauthorized();
      return me;
    },
  }),

  route({
    method: 'get',
    path: '/v1/me/notifications',
    operation_id: 'getNotificationSettings',
    tag: 'Account',
    summary: 'Read what you are notified of in this organization',
    access: { session: 'account' },
    version: { of: 'answer' },
    responses: [[200, 'What you are notified of', NotificationSettings]],
    handle: ({ caller }, { db }) => readNotificationSettings(db, caller, caller.user_id),
  }),

  route({
    method: 'put',
    path: '/v1/me/notifications',
    operation_id: 'setNotificationSettings',
    tag: 'Account',
    summary: 'Set what you are notified of in this organization, and when',
    description: 'What is left out stays as it is.',
    access: { session: 'account' },
    changes: [],
    body: NewNotificationSettings,
    responses: [[200, 'What you are notified of', NotificationSettings]],
    handle: ({ body, caller }, { db, now }) => saveNotificationSettings(db, caller, caller.user_id, body, now()),
  }),

  route({
    method: 'put',
    path: '/v1/me/notifications/webhook',
    operation_id: 'setNotificationWebhook',
    tag: 'Account',
    summary: 'Be notified by a Slack-compatible incoming webhook instead of email',
    description:
      'The URL is stored encrypted and never shown again. Private and local addresses are refused when it is called. What the webhook does not take is emailed.',
    access: { session: 'account' },
    changes: [],
    body: NotificationWebhook,
    responses: [[200, 'What you are notified of', NotificationSettings]],
    handle: async ({ body, caller, audit }, { db, config }) => {
      const settings = await saveNotificationWebhook(db, config, caller, caller.user_id, body.url);
      audit({
        action: 'notification_webhook.set' as const,
        target_id: caller.user_id,
        after: { host: settings.webhook_host },
      });
      return settings;
    },
  }),

  route({
    method: 'delete',
    path: '/v1/me/notifications/webhook',
    operation_id: 'removeNotificationWebhook',
    tag: 'Account',
    summary: 'Be notified by email again',
    access: { session: 'account' },
    changes: [],
    responses: [[200, 'What you are notified of', NotificationSettings]],
    handle: async ({ caller, audit }, { db, config }) => {
      const settings = await saveNotificationWebhook(db, config, caller, caller.user_id, null);
      audit({ action: 'notification_webhook.removed' as const, target_id: caller.user_id });
      return settings;
    },
  }),

  route({
    method: 'post',
    path: '/v1/me/notifications/test',
    operation_id: 'testNotifications',
    tag: 'Account',
    summary: 'Send yourself a test notification',
    description:
      'It goes to your incoming webhook, or by email where you have none, and the answer says whether it was accepted. Five in 15 minutes.',
    access: { session: 'account' },
    errors: { '429': 'Too many tests; Retry-After says when to try again' },
    responses: [[200, 'Whether it was accepted', NotificationTest]],
    handle: ({ caller }, services) => sendTestNotification(services, caller, caller),
  }),

  route({
    method: 'put',
    path: '/v1/me/organization',
    operation_id: 'switchOrganization',
    tag: 'Account',
    summary: 'Switch to another of your organizations',
    access: { session: 'account' },
    changes: [],
    body: z
      .strictObject({ id: Id('org') })
      .meta({ id: 'SwitchOrganization', examples: [{ id: 'org_01ARZ3NDEKTSV4RRFFQ69G5FAV' }] }),
    errors: { '404': 'You are a member of no such organization' },
    responses: [[200, 'Who you are there', SessionMe]],
    handle: async ({ body: { id }, caller, request }, { db, config, now }) => {
      await holdMembership(db, id, caller.user_id);
      const there = orNotFound('organization', await readSessionMe(db, caller, id));
      await chooseHome(db, caller.user_id, id);
      if (id === caller.org_id) return there;
      await moveSession(db, caller.session_id, id);
      const actor = { actor_id: caller.actor_id, request_id: request.id };
      const target_id = caller.session_id;
      // Each organization sees one session end or begin; neither learns of the other.
      const entries = [
        { org_id: caller.org_id, action: 'session.ended' as const, target_id },
        { org_id: id, action: 'session.created' as const, target_id },
      ];
      await recordAccount(db, config.environment, actor, entries, now());
      return there;
    },
  }),
];
