import { notificationMail } from '#shared/people/notification_mail.ts';
import { findAddressee, settleNotifications, takeNotifications } from '#shared/people/notifications.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { createMailer } from '#shared/platform/mail.ts';
import type { Services } from '#shared/platform/services.ts';

/**
 * Mails a member all that waits for them, as one mail. What the mail server took is written down at once and not sent again; what it did
 * not take is tried again later. A process that dies between the two sends a mail with the same Message-ID once more.
 */
export function createHandler({ config, db, log, now }: Services): (data: Jobs['notify']) => Promise<void> {
  const mailer = createMailer(config, log);
  return async reader => {
    const notifications = await takeNotifications(db, reader, now());
    if (notifications.length === 0) return;
    const addressee = await findAddressee(db, reader);
    if (!addressee) return settleNotifications(db, reader, notifications, 'skipped', now());
    const { email: to, organization } = addressee;
    const mail = notificationMail({ to, organization, base_url: config.base_url, of: notifications });
    const isSent = await mailer.send(mail);
    await settleNotifications(db, reader, notifications, isSent ? 'sent' : 'again', now());
    log.info({ user_id: reader.user_id, notifications: notifications.length, sent: isSent }, 'notifications mailed');
  };
}
