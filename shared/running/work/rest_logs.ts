import { type Db, sql } from '#shared/platform/db.ts';
import { isSpread } from '#shared/platform/spread.ts';
import type { Services } from '#shared/platform/services.ts';
import { warnOf } from '#shared/platform/warn_of.ts';
import { MINUTE, timestamp } from '#shared/values/time.ts';

/** A log that grows every few seconds keeps its mark, which would be written again and again. */
const QUIET = MINUTE;
/** Most logs that one statement looks at; the next round takes others. */
const BATCH = 1_000;

/**
 * Takes logs off the list of those that have news: all of their events are analyzed and signed, and the last came a while ago. Whoever adds an
 * event puts them back, and this does where a log that rests is not as long as what was analyzed or signed of it says, as after somebody has
 * changed it. The next round retries what failed. In a spread database no log rests: rows of many organizations are not locked in one statement there.
 */
export async function restLogs({ db, log, now }: Pick<Services, 'db' | 'log' | 'now'>): Promise<void> {
  if (isSpread()) return;
  try {
    await wakeChanged(db);
    while ((await restSome(db, now())) === BATCH);
  } catch (error) {
    warnOf(log, error, 'logs without news not marked');
  }
}

const cursors = sql.fragment`
  left join detection_cursors c using (org_id, environment) left join log_trees t using (org_id, environment)`;
const isDone = sql.fragment`(l.size = coalesce(c.seq, 0) and l.size = coalesce(t.checkpoint_size, 0))`;

const wakeChanged = (db: Db) =>
  db.query(sql.unsafe`
    update event_logs w set has_news = true from event_logs l ${cursors}
    where not l.has_news and not ${isDone} and w.org_id = l.org_id and w.environment = l.environment`);

/** Returns how many logs it took off. One that grows meanwhile is locked, and passed over. */
async function restSome(db: Db, now: number): Promise<number> {
  const { rowCount } = await db.query(sql.unsafe`
    with resting as (
      select l.org_id, l.environment from event_logs l ${cursors}
      where l.has_news and l.last_received_at < ${timestamp(now - QUIET)} and ${isDone}
      limit ${BATCH} for update of l skip locked
    )
    update event_logs l set has_news = false from resting r where l.org_id = r.org_id and l.environment = r.environment`);
  return rowCount;
}
