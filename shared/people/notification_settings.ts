import { z } from 'zod';
import { offsetAt } from '#shared/values/time_zone.ts';
import { byTenant } from '#shared/interface/by_tenant.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { open, seal } from '#shared/platform/secret_box.ts';
import type { Config } from '#shared/settings/config.ts';
import { checkUrl } from '#shared/webhooks/webhook_endpoints.ts';
import { timestamp } from '#shared/values/time.ts';
import { NotifiedMember } from './notifications.ts';
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
      .optional()
      .meta({ description: 'from which severity on you are notified of incidents' }),
    assignments: z
      .boolean()
      .optional()
      .meta({ description: 'whether you are notified of cases and incidents that others assign to you' }),
    mentions: z
      .boolean()
      .optional()
      .meta({ description: 'whether you are notified of comments with your @name or @email' }),
    digest: z.boolean().optional().meta({ description: 'whether you get a summary each day at 08:00' }),
    time_zone: TimeZone.optional().meta({ description: 'of the summary and of quiet hours' }),
    quiet_hours: z
      .strictObject({ from: TimeOfDay, to: TimeOfDay })
      .refine(({ from, to }) => from !== to, 'must not end when they begin')
      .nullable()
      .optional()
      .meta({ description: 'notifications wait until these end; null: there are none' }),
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
    incidents: NewNotificationSettings.shape.incidents.unwrap(),
    assignments: z.boolean(),
    mentions: z.boolean(),
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
export const readNotificationSettings = async (
  db: Db,
  tenant: Tenant,
  user_id: string,
): Promise<NotificationSettings> =>
  (await db.maybeOne(sql.type(NotificationSettings)`
    select ${columns} from notification_settings where ${ofMember(tenant, user_id)}`)) ?? unset;

/**
 * Sets what a member is notified of from now on, and when; what is left out stays as it was. What quiet hours held back waits for the
 * new ones.
 */
export async function saveNotificationSettings(
  tx: Db,
  tenant: Tenant,
  user_id: string,
  changed: NewNotificationSettings,
  now: number,
): Promise<NotificationSettings> {
  const { org_id, environment } = tenant;
  const { incidents, assignments, mentions, digest, time_zone, quiet_hours } = {
    ...(await readNotificationSettings(tx, tenant, user_id)),
    ...changed,
  };
  await tx.query(sql.unsafe`
    insert into notification_settings as s (org_id, environment, user_id, incidents, assignments, mentions, digest, digest_at, time_zone,
      quiet_from, quiet_to)
    values (${org_id}, ${environment}, ${user_id}, ${incidents}, ${assignments}, ${mentions}, ${digest},
      ${digest ? timestamp(nextAt(now, time_zone, DIGEST_AT)) : null}, ${time_zone}, ${quiet_hours?.from ?? null}, ${quiet_hours?.to ?? null})
    on conflict (org_id, environment, user_id) do update set incidents = excluded.incidents, assignments = excluded.assignments,
      mentions = excluded.mentions, digest = excluded.digest, time_zone = excluded.time_zone,
      digest_at = case when excluded.digest and s.digest_at <= ${timestamp(now)} then s.digest_at else excluded.digest_at end,
      quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to`);
  await tx.query(sql.unsafe`
    update notifications set next_at = ${timestamp(now)}, held_until = null
    where ${ofMember(tenant, user_id)} and state = 'pending' and held_until > ${timestamp(now)}`);
  return readNotificationSettings(tx, tenant, user_id);
}

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
  await tx.query(sql.unsafe`
    insert into notification_settings (org_id, environment, user_id, incidents, assignments, mentions, webhook_host, sealed_webhook)
    values (${org_id}, ${environment}, ${user_id}, ${incidents}, ${assignments}, ${mentions}, ${url && new URL(url).host},
      ${url === null ? null : sql.binary(seal(config.secret_key, url, user_id))})
    on conflict (org_id, environment, user_id) do update set webhook_host = excluded.webhook_host, sealed_webhook = excluded.sealed_webhook`);
  return readNotificationSettings(tx, tenant, user_id);
}

const Sealed = z.object({ sealed_webhook: z.instanceof(Buffer).nullable() });

/** The URL of a member's webhook; null: they are mailed. */
export async function findNotificationWebhook(db: Db, config: Sealing, tenant: Tenant, user_id: string) {
  const row = await db.maybeOne(sql.type(Sealed)`
    select sealed_webhook from notification_settings where ${ofMember(tenant, user_id)}`);
  return row?.sealed_webhook ? open(config.secret_key, row.sealed_webhook, user_id) : null;
}

const Due = z.object({ user_id: z.string(), time_zone: z.string(), digest_at: z.string() });
type Due = z.infer<typeof Due>;

/** So many summaries are written at once. */
const MOST_DIGESTS = 100;

/** Writes the daily summaries that are due as notifications, and when the next ones are. */
export async function writeDigests(db: Db, now: number): Promise<void> {
  const isDue = sql.fragment`digest_at <= ${timestamp(now)}`;
  const candidates = await db.any(sql.type(NotifiedMember)`
    select org_id, environment, user_id from notification_settings where ${isDue} order by digest_at limit ${MOST_DIGESTS}`);
  await byTenant(candidates, (tenant, readers) => db.transaction(tx => writeDue(tx, tenant, readers, now)));
}

async function writeDue(
  tx: Db,
  tenant: Tenant,
  readers: readonly NotifiedMember[],
  now: number,
): Promise<readonly Due[]> {
  const { org_id, environment } = tenant;
  const ids = readers.map(({ user_id }) => user_id);
  const due = await tx.any(sql.type(Due)`
    select user_id, time_zone, digest_at from notification_settings
    where org_id = ${org_id} and environment = ${environment} and user_id = any(${sql.array(ids, 'text')})
      and digest_at <= ${timestamp(now)}
    for update skip locked`);
  for (const { user_id, time_zone, digest_at } of due) {
    const at = Date.parse(digest_at);
    // Of two within one day in UTC, each is of its own day where its reader is.
    const day = timestamp(at + offsetAt(time_zone, at)).slice(0, 10);
    await tx.query(sql.unsafe`
      insert into notifications (org_id, environment, user_id, kind, subject_id, created_at, next_at)
      values (${org_id}, ${environment}, ${user_id}, 'digest', ${day}, ${timestamp(now)}, ${timestamp(now)})
      on conflict do nothing`);
    await tx.query(sql.unsafe`
      update notification_settings set digest_at = ${timestamp(nextAt(now, time_zone, DIGEST_AT))}
      where ${ofMember(tenant, user_id)}`);
  }
  return due;
}
