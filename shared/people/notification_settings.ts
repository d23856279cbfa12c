import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

export const NotificationSettings = z
  .strictObject({
    incidents: z
      .enum(['off', 'low', 'medium', 'high', 'critical'])
      .meta({ description: 'from which severity on incidents are mailed' }),
    assignments: z.boolean().meta({ description: 'whether cases that others assign to you are mailed' }),
    mentions: z.boolean().meta({ description: 'whether comments with your @name or @email are mailed' }),
  })
  .meta({ id: 'NotificationSettings', examples: [{ incidents: 'high', assignments: true, mentions: true }] });
export type NotificationSettings = z.infer<typeof NotificationSettings>;

/** As migration 0048 reads it where a member has set nothing. */
const unset: NotificationSettings = { incidents: 'critical', assignments: true, mentions: true };

/** What a member is mailed about. */
export const readNotificationSettings = async (db: Db, { org_id, environment }: Tenant, user_id: string) =>
  (await db.maybeOne(sql.type(NotificationSettings)`
    select incidents, assignments, mentions from notification_settings
    where org_id = ${org_id} and environment = ${environment} and user_id = ${user_id}`)) ?? unset;

/** Sets what a member is mailed about from now on. */
export const saveNotificationSettings = (
  tx: Db,
  { org_id, environment }: Tenant,
  user_id: string,
  { incidents, assignments, mentions }: NotificationSettings,
) =>
  tx.one(sql.type(NotificationSettings)`
    insert into notification_settings (org_id, environment, user_id, incidents, assignments, mentions)
    values (${org_id}, ${environment}, ${user_id}, ${incidents}, ${assignments}, ${mentions})
    on conflict (org_id, environment, user_id) do update set incidents = excluded.incidents, assignments = excluded.assignments,
      mentions = excluded.mentions
    returning incidents, assignments, mentions`);
