import { z } from 'zod';
import { columnOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { DAY, MINUTE, SECOND, timestamp } from '#shared/values/time.ts';
import { byTenant } from '#shared/interface/by_tenant.ts';

/** How long what was mailed is kept, so that nothing is mailed twice. */
export const NOTIFICATIONS_KEPT = 90 * DAY;
const MOST_READERS = 100;
/** Lost jobs are queued again after as long. */
const LEASE = MINUTE;
/** Longer than a mail server is waited for. */
const HELD = 2 * MINUTE;
const MOST_ATTEMPTS = 8;

/** A member of an organization, in an environment. */
export const NotifiedMember = z.object({ org_id: z.string(), environment: z.string(), user_id: z.string() });
export type NotifiedMember = z.infer<typeof NotifiedMember>;

/** Writes down that a member is to be told that an incident was assigned to them, if they want to be. */
export const notifyOfIncident = (
  tx: Db,
  { org_id, environment, user_id }: NotifiedMember,
  incident_id: string,
  now: number,
) =>
  tx.query(sql.unsafe`
    insert into notifications (org_id, environment, user_id, kind, subject_id, entry_id)
    select ${org_id}, ${environment}, ${user_id}, 'assignment', ${incident_id}, ${timestamp(now)}
    where coalesce((
      select assignments from notification_settings
      where org_id = ${org_id} and environment = ${environment} and user_id = ${user_id}), true)
    on conflict do nothing`);

/** Claims the members for whom something is to be mailed. */
export async function claimReaders(db: Db, now: number): Promise<readonly NotifiedMember[]> {
  const due = sql.fragment`state = 'pending' and next_at <= ${timestamp(now)}`;
  const candidates = await db.any(sql.type(NotifiedMember)`
    select org_id, environment, user_id from notifications where ${due} order by next_at limit ${MOST_READERS}`);
  return byTenant(candidates, ({ org_id, environment }, rows) =>
    db.any(sql.type(NotifiedMember)`
      with due as materialized (
        select user_id, kind, subject_id, entry_id from notifications
        where org_id = ${org_id} and environment = ${environment} and ${due}
          and user_id = any(${columnOf(rows, 'user_id', 'text')})
        order by next_at limit ${MOST_READERS} for update skip locked
      ), claimed as (
        update notifications n set next_at = ${timestamp(now + LEASE)} from due d
        where n.org_id = ${org_id} and n.environment = ${environment} and n.user_id = d.user_id and n.kind = d.kind
          and n.subject_id = d.subject_id and n.entry_id = d.entry_id
        returning n.org_id, n.environment, n.user_id
      )
      select distinct org_id, environment, user_id from claimed`),
  );
}

/** Since when the oldest notification waits that quiet hours do not hold back; null when none does. */
export const oldestNotification = (db: Db): Promise<string | null> =>
  db.oneFirst(sql.type(z.object({ since: z.string().nullable() }))`
    select min(greatest(created_at, held_until)) as since from notifications
    where state = 'pending' and (held_until is null or held_until <= now())`);

const Notification = z.object({
  kind: z.enum(['incident', 'assignment', 'mention', 'digest']),
  subject_id: z.string(),
  entry_id: z.string(),
  severity: z.string().nullable(),
  attempts: z.number(),
});
export type Notification = z.infer<typeof Notification>;

/** Takes all that waits for a member in hand, oldest first. Empty where another process has it. */
export async function takeNotifications(db: Db, { org_id, environment, user_id }: NotifiedMember, now: number) {
  const claimed = await db.any(sql.type(Notification.extend({ created_at: z.string() }))`
    update notifications set attempts = attempts + 1, claimed_until = ${timestamp(now + HELD)}, next_at = ${timestamp(now + HELD)}
    where org_id = ${org_id} and environment = ${environment} and user_id = ${user_id} and state = 'pending'
      and (claimed_until is null or claimed_until <= ${timestamp(now)})
    returning kind, subject_id, entry_id, severity, attempts, created_at`);
  return claimed.toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1));
}

/** Leaves to another process what one had in hand for a member: it has ended. */
export const letGoNotifications = (db: Db, { org_id, environment, user_id }: NotifiedMember) =>
  db.query(sql.unsafe`
    update notifications set claimed_until = null
    where org_id = ${org_id} and environment = ${environment} and user_id = ${user_id} and state = 'pending'
      and claimed_until is not null`);

/** Lets all that waits for a member wait until quiet hours end. */
export const holdNotifications = (db: Db, { org_id, environment, user_id }: NotifiedMember, until: number) =>
  db.query(sql.unsafe`
    update notifications set next_at = ${timestamp(until)}, held_until = ${timestamp(until)}
    where org_id = ${org_id} and environment = ${environment} and user_id = ${user_id} and state = 'pending'
      and claimed_until is null`);

/** Writes down what became of what was taken: mailed, not mailed any more, or to be tried again, up to eight times. */
export async function settleNotifications(
  db: Db,
  { org_id, environment, user_id }: NotifiedMember,
  claimed: readonly Notification[],
  outcome: 'sent' | 'skipped' | 'again',
  now: number,
): Promise<void> {
  const rows = claimed.map(({ kind, subject_id, entry_id, attempts }) => [
    kind,
    subject_id,
    entry_id,
    outcome !== 'again' ? outcome : attempts >= MOST_ATTEMPTS ? 'failed' : 'pending',
    timestamp(now + 30 * SECOND * 2 ** attempts),
  ]);
  await db.query(sql.unsafe`
    update notifications n set claimed_until = null, state = t.state, next_at = t.next_at, sent_at = ${outcome === 'sent' ? timestamp(now) : null}
    from ${sql.unnest(rows, ['text', 'text', 'text', 'text', 'timestamptz'])} as t (kind, subject_id, entry_id, state, next_at)
    where n.org_id = ${org_id} and n.environment = ${environment} and n.user_id = ${user_id}
      and n.kind = t.kind and n.subject_id = t.subject_id and n.entry_id = t.entry_id`);
}

const Addressee = z.object({ email: z.string(), organization: z.string() });

/** Where a member's mail goes; null where they are no member any more. */
export const findAddressee = (db: Db, { org_id, user_id }: NotifiedMember) =>
  db.maybeOne(sql.type(Addressee)`
    select u.email, o.name as organization
    from members m join users u on u.id = m.user_id join organizations o on o.id = m.org_id
    where m.org_id = ${org_id} and m.user_id = ${user_id}`);
