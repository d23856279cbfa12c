import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Db } from '#shared/platform/db.ts';
import type { Mailer } from '#shared/platform/mail.ts';
import type { Config } from '#shared/settings/config.ts';
import type { Send } from '#shared/webhooks/send.ts';
import { takeAttempt } from './attempt_limits.ts';
import { testMail, testMessage } from './notification_mail.ts';
import { findNotificationWebhook } from './notification_settings.ts';

export const NotificationTest = z
  .object({
    channel: z.enum(['webhook', 'email']),
    delivered: z.boolean().meta({ description: 'whether the webhook or the mail server accepted it' }),
    status: z.int().nullable().meta({ description: 'the HTTP status of the webhook; null without one' }),
    error: z.string().nullable(),
  })
  .meta({ id: 'NotificationTest' });
export type NotificationTest = z.infer<typeof NotificationTest>;

type Sending = { db: Db; config: Config; mailer: Mailer; send: Send; now: () => number };

/**
 * Sends a member a test where their notifications go, by the same guarded sender, and says what came of it. Five in 15 minutes: throws
 * `rate_limited` beyond.
 */
export async function sendTestNotification(
  { db, config, mailer, send, now }: Sending,
  tenant: Tenant,
  { user_id, email }: { user_id: string; email: string },
): Promise<NotificationTest> {
  await takeAttempt(db, `notification test ${user_id}`, now());
  const url = await findNotificationWebhook(db, config, tenant, user_id);
  if (url === null) {
    const delivered = await mailer.send(testMail({ to: email, id: newId('req'), base_url: config.base_url }));
    const error = delivered ? null : 'The mail server did not accept it. Ask your operator.';
    return { channel: 'email', delivered, status: null, error };
  }
  const body = Buffer.from(JSON.stringify(testMessage));
  const { outcome, status, error } = await send(url, { 'content-type': 'application/json' }, body);
  return { channel: 'webhook', delivered: outcome === 'delivered', status, error };
}
