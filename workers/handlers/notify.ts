import { readDigest } from '#shared/people/digest.ts';
import { notificationMail, notificationMessage } from '#shared/people/notification_mail.ts';
import { findNotificationWebhook, readNotificationSettings } from '#shared/people/notification_settings.ts';
import {
  findAddressee,
  holdNotifications,
  type NotifiedMember,
  settleNotifications,
  takeNotifications,
} from '#shared/people/notifications.ts';
import { quietUntil } from '#shared/people/quiet_hours.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { createMailer } from '#shared/platform/mail.ts';
import type { Services } from '#shared/platform/services.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Send, senderOf } from '#shared/webhooks/send.ts';

/**
 * Tells a member all that waits for them, in one message: by their webhook, or by mail where they have none or it does not take it. Quiet
 * hours hold it back. What was taken is written down at once and not sent again; what was not is tried again later. A process that dies
 * between the two sends a mail with the same Message-ID once more.
 */
export function createHandler(
  { config, db, log, now }: Services,
  send: Send = senderOf(config),
): (data: Jobs['notify']) => Promise<void> {
  const mailer = createMailer(config, log);
  return async reader => {
    const tenant = tenantOf(reader);
    const { quiet_hours, time_zone } = await readNotificationSettings(db, tenant, reader.user_id);
    const until = quietUntil(quiet_hours, time_zone, now());
    if (until !== null) {
      await holdNotifications(db, reader, until);
      return;
    }
    const notifications = await takeNotifications(db, reader, now());
    if (notifications.length === 0) return;
    const addressee = await findAddressee(db, reader);
    if (!addressee) return settleNotifications(db, reader, notifications, 'skipped', now());
    const { email: to, organization } = addressee;
    const digest = notifications.some(({ kind }) => kind === 'digest') ? await readDigest(db, reader) : null;
    const told = { organization, base_url: config.base_url, of: notifications, digest };
    const url = await findNotificationWebhook(db, config, tenant, reader.user_id);
    const by_webhook = url !== null && (await post(send, url, notificationMessage(told)));
    const isSent = by_webhook || (await mailer.send(notificationMail({ ...told, to })));
    await settleNotifications(db, reader, notifications, isSent ? 'sent' : 'again', now());
    log.info(
      { user_id: reader.user_id, notifications: notifications.length, by_webhook, sent: isSent },
      'member notified',
    );
  };
}

const tenantOf = ({ org_id, environment }: NotifiedMember): Tenant => ({
  org_id,
  environment: environment as Tenant['environment'],
});

async function post(send: Send, url: string, message: object): Promise<boolean> {
  const { outcome } = await send(url, { 'content-type': 'application/json' }, Buffer.from(JSON.stringify(message)));
  return outcome === 'delivered';
}
