import { z } from 'zod';
import { offsetAt } from '#shared/values/time_zone.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { open, seal } from '#shared/platform/secret_box.ts';
import type { Config } from '#shared/settings/config.ts';
import { checkUrl } from '#shared/webhooks/webhook_endpoints.ts';
import { timestamp } from '#shared/values/time.ts';
import { nextAt } from './quiet_hours.ts';

const TimeOfDay = z
  .string()
  .regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, 'must be a time of day such as 22:00')
  .meta({ examples: ['22:00'] });

const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin')
  .meta({ examples: ['Europe/Berlin'] });

function isTimeZone(zone: string): boolean {
  try {
    offsetAt(zone, 0);
    return true;
  } catch {
    return false;
  }
}

export const NewNotificationSettings = z
  .strictObject({
    incidents: z
      .enum(['off', 'low', 'medium', 'high', 'critical'])
      .meta({ description: 'from which severity on you are notified of incidents' }),
    assignments: z.boolean().meta({ description: 'whether you are notified of cases that others assign to you' }),
    mentions: z.boolean().meta({ description: 'whether you are notified of comments with your @name or @email' }),
    digest: z.boolean().default(false).meta({ description: 'whether you get a summary each day at 08:00' }),
    time_zone: TimeZone.default('UTC').meta({ description: 'of the summary and of quiet hours' }),
    quiet_hours: z
      .strictObject({ from: TimeOfDay, to: TimeOfDay })
      .refine(({ from, to }) => from !== to, 'must not end when they begin')
      .optional()
      .meta({ description: 'notifications wait until these end; none when left out' }),
  })
  .meta({
    id: 'NewNotificationSettings',
    examples: [
      {
        incidents: 'high',
        assignments: true,
        mentions: true,
        digest: true,
        time_zone: 'Europe/Berlin',
        quiet_hours: { from: '22:00', to: '07:00' },
      },
    ],
  });
export type NewNotificationSettings = z.output<typeof NewNotificationSettings>;

export const NotificationSettings = z
  .object({
    ...NewNotificationSettings.shape,
    digest: z.boolean(),
    time_zone: z.string(),
    quiet_hours: z.object({ from: z.string(), to: z.string() }).nullable(),
    webhook_host: z
      .string()
      .nullable()
      .meta({ description: 'the host of the incoming webhook; null: you are emailed' }),
  })
  .meta({ id: 'NotificationSettings' });
export type NotificationSettings = z.infer<typeof NotificationSettings>;

export const NotificationWebhook = z
  .strictObject({ url: z.string().meta({ description: 'a Slack-compatible incoming webhook' }) })
  .meta({ id: 'NotificationWebhook', examples: [{ url: 'https://hooks.slack.example.com/services/T0/B0/x' }] });

/** As migration 0048 reads it where a member has set nothing. */
const unset: NotificationSettings = {
  incidents: 'critical',
  assignments: true,
  mentions: true,
  digest: false,
  time_zone: 'UTC',
  quiet_hours: null,
  webhook_host: null,
};

/** When the daily summary is sent, in the time zone of its reader. */
const DIGEST_AT = '08:00';

const columns = sql.fragment`incidents, assignments, mentions, digest, time_zone, webhook_host,
  case when quiet_from is not null then json_build_object('from', quiet_from, 'to', quiet_to) end as quiet_hours`;

const ofMember = ({ org_id, environment }: Tenant, user_id: string) =>
  sql.fragment`org_id = ${org_id} and environment = ${environment} and user_id = ${user_id}`;

/** What a member is notified of, when, and how. */
export const readNotificationSettings = async (db: Db, tenant: Tenant, user_id: string) =>
  (await db.maybeOne(sql.type(NotificationSettings)`
    select ${columns} from notification_settings where ${ofMember(tenant, user_id)}`)) ?? unset;

/** Sets what a member is notified of from now on, and when. */
export const saveNotificationSettings = (
  tx: Db,
  { org_id, environment }: Tenant,
  user_id: string,
  { incidents, assignments, mentions, digest, time_zone, quiet_hours }: NewNotificationSettings,
  now: number,
) =>
  tx.one(sql.type(NotificationSettings)`
    insert into notification_settings (org_id, environment, user_id, incidents, assignments, mentions, digest, digest_at, time_zone,
      quiet_from, quiet_to)
    values (${org_id}, ${environment}, ${user_id}, ${incidents}, ${assignments}, ${mentions}, ${digest},
      ${digest ? timestamp(nextAt(now, time_zone, DIGEST_AT)) : null}, ${time_zone}, ${quiet_hours?.from ?? null}, ${quiet_hours?.to ?? null})
    on conflict (org_id, environment, user_id) do update set incidents = excluded.incidents, assignments = excluded.assignments,
      mentions = excluded.mentions, digest = excluded.digest, digest_at = excluded.digest_at, time_zone = excluded.time_zone,
      quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to
    returning ${columns}`);

type Sealing = Pick<Config, 'secret_key' | 'environment'>;

/** Has a member told by this webhook from now on; null: by mail. Throws `invalid_request` for a URL that none can have. */
export async function saveNotificationWebhook(
  tx: Db,
  config: Sealing,
  tenant: Tenant,
  user_id: string,
  url: string | null,
): Promise<NotificationSettings> {
  if (url !== null) checkUrl(url, config.environment);
  const { org_id, environment } = tenant;
  const { incidents, assignments, mentions } = unset;
  return tx.one(sql.type(NotificationSettings)`
    insert into notification_settings (org_id, environment, user_id, incidents, assignments, mentions, webhook_host, sealed_webhook)
    values (${org_id}, ${environment}, ${user_id}, ${incidents}, ${assignments}, ${mentions}, ${url && new URL(url).host},
      ${url === null ? null : sql.binary(seal(config.secret_key, url, user_id))})
    on conflict (org_id, environment, user_id) do update set webhook_host = excluded.webhook_host, sealed_webhook = excluded.sealed_webhook
    returning ${columns}`);
}

const Sealed = z.object({ sealed_webhook: z.instanceof(Buffer).nullable() });

/** The URL of a member's webhook; null: they are mailed. */
export async function findNotificationWebhook(db: Db, config: Sealing, tenant: Tenant, user_id: string) {
  const row = await db.maybeOne(sql.type(Sealed)`
    select sealed_webhook from notification_settings where ${ofMember(tenant, user_id)}`);
  return row?.sealed_webhook ? open(config.secret_key, row.sealed_webhook, user_id) : null;
}

const Due = z.object({ org_id: z.string(), environment: z.string(), user_id: z.string(), time_zone: z.string() });

/** So many summaries are written at once. */
const MOST_DIGESTS = 100;

/** Writes the daily summaries that are due as notifications, and when the next ones are. */
export const writeDigests = (db: Db, now: number): Promise<void> =>
  db.transaction(async tx => {
    const due = await tx.any(sql.type(Due)`
      select org_id, environment, user_id, time_zone from notification_settings
      where digest_at <= ${timestamp(now)} order by digest_at limit ${MOST_DIGESTS} for update skip locked`);
    for (const { org_id, environment, user_id, time_zone } of due) {
      await tx.query(sql.unsafe`
        insert into notifications (org_id, environment, user_id, kind, subject_id, created_at, next_at)
        values (${org_id}, ${environment}, ${user_id}, 'digest', ${timestamp(now).slice(0, 10)}, ${timestamp(now)}, ${timestamp(now)})
        on conflict do nothing`);
      await tx.query(sql.unsafe`
        update notification_settings set digest_at = ${timestamp(nextAt(now, time_zone, DIGEST_AT))}
        where ${ofMember({ org_id, environment: environment as Tenant['environment'] }, user_id)}`);
    }
  });
