import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { timestamp } from '#shared/values/time.ts';

/** An operator's action on a queue; `job_ids` are the jobs it applies to. */
export type OperatorAct = {
  operator: string;
  act: string;
  queue: string | null;
  job_ids: readonly string[];
  request_id: string;
  ip: string;
};

/**
 * Records an operator's act before it is done: what cannot be recorded is not done. Returns the id for its outcome. Both tables are
 * append-only by database privilege.
 */
export function recordAct(
  db: Db,
  { operator, act, queue, job_ids, request_id, ip }: OperatorAct,
  now: number,
): Promise<string> {
  return db.oneFirst(sql.type(z.object({ id: z.string() }))`
    insert into operator_acts (id, at, operator, act, queue, job_ids, request_id, ip)
    values (${newId('opa', now)}, ${timestamp(now)}, ${operator}, ${act}, ${queue}, ${sql.array([...job_ids], 'text')}, ${request_id}, ${ip})
    returning id`);
}

/** Records the outcome of an act: the HTTP status of its response. */
export const recordOutcome = (db: Db, act_id: string, status: number, now: number) =>
  db.query(sql.unsafe`
    insert into operator_act_outcomes (act_id, at, status) values (${act_id}, ${timestamp(now)}, ${status})`);

const RecordedAct = z.object({
  id: z.string(),
  at: z.string(),
  operator: z.string(),
  act: z.string(),
  queue: z.string().nullable(),
  jobs: z.number(),
  /** The first of its jobs. */
  job_id: z.string().nullable(),
  ip: z.string(),
  request_id: z.string(),
  /** Null when it was interrupted before its outcome was recorded. */
  status: z.number().nullable(),
});
export type RecordedAct = z.infer<typeof RecordedAct>;

/** The latest acts, latest first. */
export const listActs = (db: Db, limit: number) =>
  db.any(sql.type(RecordedAct)`
    select a.id, a.at, a.operator, a.act, a.queue, cardinality(a.job_ids) as jobs, a.job_ids[1] as job_id, a.ip, a.request_id, o.status
    from operator_acts a left join operator_act_outcomes o on o.act_id = a.id
    order by a.id desc limit ${limit}`);
