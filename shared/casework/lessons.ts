import { z } from 'zod';
import { newId } from '#shared/interface/ids.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { timestamp } from '#shared/values/time.ts';
import { aspectOf, Lesson, lessonColumns, rulesThatLearn } from './lesson.ts';

/** Lessons kept per agent and detector: further ones replace the oldest. */
const MOST_LESSONS = 50;
/** How many lessons of a detector are listed. */
export const MOST_LISTED = 200;

/**
 * Learns from alerts that were just closed in this state, in the transaction that closed them: for each alert on conduct, or by a rule that
 * learns, how similar findings are to be weighed from now on. A few queries for any number of alerts.
 */
export async function learnFrom(
  tx: Db,
  { org_id, environment }: Tenant,
  alert_ids: readonly string[],
  closed: 'resolved' | 'dismissed',
  now: number,
): Promise<void> {
  const alerts = await tx.any(sql.type(Taught)`
    select a.id, a.detector, a.subject, extract(epoch from coalesce(a.conduct_at, a.created_at))::float8 * 1000 as at, a.dedup_agent_id as agent_id,
      coalesce(g.owner_id, '') as owner_id
    from alerts a
    left join agents g on g.org_id = ${org_id} and g.environment = ${environment} and g.id = a.dedup_agent_id
    where a.org_id = ${org_id} and a.environment = ${environment} and a.id = any(${sql.array([...alert_ids], 'text')})
      and (a.conduct_at is not null or a.detector = any(${sql.array([...rulesThatLearn], 'text')}))
    order by a.id`);
  if (alerts.length === 0) return;
  const groups = [...Map.groupBy(alerts, alert => [alert.agent_id, alert.detector, aspectOf(alert)].join(' '))]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, list]) => (list[0] ? [{ ...list[0], aspect: aspectOf(list[0]), ids: list.map(({ id }) => id) }] : []));
  const rows = groups.map(({ agent_id, owner_id, detector, aspect, ids }) => [
    newId('lsn', now),
    detector,
    agent_id,
    owner_id,
    aspect,
    closed === 'dismissed' ? ids.length : 0,
    closed === 'resolved' ? ids.length : 0,
  ]);
  const members = groups.flatMap(({ agent_id, detector, aspect, ids }) =>
    ids.map(id => [id, agent_id, detector, aspect]),
  );
  await tx.query(sql.unsafe`
    with learned as (
      insert into lessons as l (org_id, environment, id, detector, agent_id, owner_id, aspect, dismissals, resolutions, last_at)
      select ${org_id}, ${environment}, r.*, ${timestamp(now)}
      from ${sql.unnest(rows, ['text', 'text', 'text', 'text', 'text', 'int4', 'int4'])} as r
      on conflict (org_id, environment, agent_id, detector, aspect) do update set
        dismissals = l.dismissals + excluded.dismissals, resolutions = l.resolutions + excluded.resolutions, last_at = excluded.last_at
      returning l.id, l.agent_id, l.detector, l.aspect
    )
    update alerts a set lesson_id = l.id
    from learned l
    join ${sql.unnest(members, ['text', 'text', 'text', 'text'])} as m (alert_id, agent_id, detector, aspect)
      using (agent_id, detector, aspect)
    where a.org_id = ${org_id} and a.environment = ${environment} and a.id = m.alert_id`);
  await dropOldest(tx, { org_id, environment }, groups);
}

const Taught = z.object({
  id: z.string(),
  detector: z.string(),
  subject: z.string(),
  at: z.number(),
  agent_id: z.string(),
  owner_id: z.string(),
});

async function dropOldest(
  tx: Db,
  { org_id, environment }: Tenant,
  learned: readonly { agent_id: string; detector: string }[],
): Promise<void> {
  await tx.query(sql.unsafe`
    delete from lessons l using (
      select n.id, row_number() over (partition by n.agent_id, n.detector order by n.last_at desc, n.id desc) as place
      from lessons n
      join (select distinct * from ${tableOf('p', learned, { agent_id: 'text', detector: 'text' })}) p using (agent_id, detector)
      where n.org_id = ${org_id} and n.environment = ${environment}) ranked
    where l.org_id = ${org_id} and l.environment = ${environment} and l.id = ranked.id and ranked.place > ${MOST_LESSONS}`);
}

/**
 * Undoes what closing these alerts taught, in the transaction that reopens them; `closed` is the state they were in. A lesson without any
 * alert left is deleted; one that was forgotten stays so.
 */
export async function unlearn(
  tx: Db,
  { org_id, environment }: Tenant,
  alert_ids: readonly string[],
  closed: 'resolved' | 'dismissed',
): Promise<void> {
  const count = closed === 'dismissed' ? sql.fragment`dismissals` : sql.fragment`resolutions`;
  const touched = await tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    with former as (
      select id, lesson_id from alerts
      where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array([...alert_ids], 'text')})
        and lesson_id is not null
    ), loosened as (
      update alerts a set lesson_id = null from former f
      where a.org_id = ${org_id} and a.environment = ${environment} and a.id = f.id
    )
    update lessons l set ${count} = greatest(0, l.${count} - f.alerts)
    from (select lesson_id, count(*)::int as alerts from former group by lesson_id) f
    where l.org_id = ${org_id} and l.environment = ${environment} and l.id = f.lesson_id
    returning l.id`);
  await tx.query(sql.unsafe`
    delete from lessons
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array([...touched], 'text')})
      and dismissals = 0 and resolutions = 0`);
}

/** The lessons of a detector, latest first, at most MOST_LISTED. */
export const listLessons = (db: Db, { org_id, environment }: Tenant, detector: string): Promise<readonly Lesson[]> =>
  db.any(sql.type(Lesson)`
    select ${lessonColumns} from lessons l
    where l.org_id = ${org_id} and l.environment = ${environment} and l.detector = ${detector}
    order by l.last_at desc, l.id desc limit ${MOST_LISTED}`);

/** Forgets a lesson of a detector. Returns it as it was; null when there is none. */
export const forgetLesson = (
  tx: Db,
  { org_id, environment }: Tenant,
  { detector, id }: { detector: string; id: string },
): Promise<Lesson | null> =>
  tx.maybeOne(sql.type(Lesson)`
    with forgotten as (
      delete from lessons
      where org_id = ${org_id} and environment = ${environment} and detector = ${detector} and id = ${id}
      returning *)
    select ${lessonColumns} from forgotten l`);
