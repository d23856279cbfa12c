import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { Tenant } from '#shared/interface/schemas.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';
import { byTenant } from '#shared/interface/by_tenant.ts';

/** How long a job has for its part before reconcile queues another. */
const LEASE = 30 * SECOND;
/** The most rows leased at once. */
const MOST_AT_ONCE = 500;
/** The last possible moment, for what has no end. */
const FOREVER = Date.parse('9999-12-31T00:00:00.000Z');

/** What to assess again, because of something that was unknown the first time. */
export type Recheck =
  /** A key is now trusted, or a source's key or secret is known: events whose verification was inconclusive. */
  | { kind: 'keys' }
  /** A mandate that began in the past: what its agent has paid since. */
  | { kind: 'mandate'; mandate_id: string; from_at: string };

/** Requests a recheck of the events now in a log. Runs in the transaction of its cause; reconcile sees it at once. */
export async function requestRecheck(tx: Db, { org_id, environment }: Tenant, recheck: Recheck, now: number) {
  const { mandate_id, from_at } = recheck.kind === 'mandate' ? recheck : { mandate_id: null, from_at: null };
  await tx.query(sql.unsafe`
    insert into rechecks (org_id, environment, id, kind, mandate_id, from_at, to_seq, next_at, requested_at)
    select org_id, environment, ${newId('rck', now)}, ${recheck.kind}, ${mandate_id}, ${from_at}::timestamptz, size, ${timestamp(now)}, ${timestamp(now)}
    from event_logs where org_id = ${org_id} and environment = ${environment} and size > 0`);
}

const RecheckRow = z.object({
  id: z.string(),
  /** `evidence` is requested by the migration that introduced verification: every event that came with evidence or a signature. */
  kind: z.enum(['keys', 'mandate', 'evidence']),
  mandate_id: z.string().nullable(),
  from_at: z.string().nullable(),
  after_seq: z.number(),
  to_seq: z.number(),
});
export type RecheckRow = z.infer<typeof RecheckRow>;

/** The oldest recheck of a tenant. */
export const nextRecheck = (tx: Db, { org_id, environment }: Tenant) =>
  tx.maybeOne(sql.type(RecheckRow)`
    select id, kind, mandate_id, from_at, after_seq, to_seq from rechecks
    where org_id = ${org_id} and environment = ${environment} order by id limit 1`);

/** Begins a recheck: it covers the events up to `to_seq`. Later ones are judged by what is known now anyway. */
export const beginRecheck = (tx: Db, { org_id, environment }: Tenant, id: string, to_seq: number) =>
  tx.query(sql.unsafe`
    update rechecks set to_seq = ${to_seq} where org_id = ${org_id} and environment = ${environment} and id = ${id}`);

/** Notes how far a recheck has got; null: it is done. */
export const moveRecheck = (tx: Db, { org_id, environment }: Tenant, id: string, after_seq: number | null) =>
  after_seq === null
    ? tx.query(
        sql.unsafe`delete from rechecks where org_id = ${org_id} and environment = ${environment} and id = ${id}`,
      )
    : tx.query(sql.unsafe`
        update rechecks set after_seq = ${after_seq} where org_id = ${org_id} and environment = ${environment} and id = ${id}`);

/**
 * Payments of a mandate that have to be looked at again, because one was reported after them that was made before: those that stand after
 * `from` (a time, then a place in the log) and before `until` (null: all).
 */
export type Late = { from: { at: number; seq: number }; until: number | null };

/** Has later payments of mandates evaluated again: what is asked for a mandate twice is done once: one that is under way goes back no further than it must. */
export async function requestReevaluations(
  tx: Db,
  { org_id, environment }: Tenant,
  late: ReadonlyMap<string, Late>,
  now: number,
): Promise<void> {
  if (late.size === 0) return;
  const rows = [...late].map(([mandate_id, { from, until }]) => [
    mandate_id,
    timestamp(from.at),
    timestamp(until === null ? FOREVER : Math.min(until, FOREVER)),
  ]);
  await tx.query(sql.unsafe`
    insert into reevaluations as r (org_id, environment, mandate_id, from_at, until_at, next_at, requested_at)
    select ${org_id}, ${environment}, l.*, ${timestamp(now)}, ${timestamp(now)} from ${sql.unnest(rows, ['text', 'timestamptz', 'timestamptz'])} as l
    on conflict (org_id, environment, mandate_id) do update set
      from_at = least(r.from_at, excluded.from_at), until_at = greatest(r.until_at, excluded.until_at),
      after_at = case when r.after_at >= excluded.from_at then excluded.from_at else r.after_at end,
      after_seq = case when r.after_at >= excluded.from_at then 0 else r.after_seq end`);
}

const ReevaluationRow = z.object({
  mandate_id: z.string(),
  from_at: z.string(),
  until_at: z.string(),
  after_at: z.string().nullable(),
  after_seq: z.number().nullable(),
});
export type ReevaluationRow = z.infer<typeof ReevaluationRow>;

export const nextReevaluation = (tx: Db, { org_id, environment }: Tenant) =>
  tx.maybeOne(sql.type(ReevaluationRow)`
    select mandate_id, from_at, until_at, after_at, after_seq from reevaluations
    where org_id = ${org_id} and environment = ${environment} order by next_at, mandate_id limit 1`);

/** Notes how far a re-evaluation has got; null: it is done. */
export const moveReevaluation = (
  tx: Db,
  { org_id, environment }: Tenant,
  mandate_id: string,
  after: { at: string; seq: number } | null,
) =>
  after === null
    ? tx.query(sql.unsafe`
        delete from reevaluations where org_id = ${org_id} and environment = ${environment} and mandate_id = ${mandate_id}`)
    : tx.query(sql.unsafe`
        update reevaluations set after_at = ${after.at}, after_seq = ${after.seq}
        where org_id = ${org_id} and environment = ${environment} and mandate_id = ${mandate_id}`);

/** Tenants that have something to be looked at again and nobody at it; they are leased. */
export async function claimRechecks(db: Db, now: number) {
  const due = sql.fragment`next_at <= ${timestamp(now)}`;
  const candidates = await db.any(sql.type(Tenant)`
    select distinct org_id, environment from (
      (select org_id, environment from rechecks where ${due} order by next_at limit ${MOST_AT_ONCE})
      union all (select org_id, environment from reevaluations where ${due} order by next_at limit ${MOST_AT_ONCE})
      union all (select org_id, environment from backfills where ${due} order by next_at limit ${MOST_AT_ONCE})) due`);
  return byTenant(candidates, tenant =>
    db.any(sql.type(Tenant)`
      with recheck as (${leased('rechecks', 'id', tenant, now)}), reevaluation as (${leased('reevaluations', 'mandate_id', tenant, now)}),
        backfill as (${leased('backfills', 'agent_id', tenant, now)})
      select org_id, environment from recheck union select org_id, environment from reevaluation union select org_id, environment from backfill`),
  );
}

function leased(table: string, key: string, { org_id, environment }: Tenant, now: number) {
  const [rows, id] = [sql.identifier([table]), sql.identifier([key])];
  const here = sql.fragment`org_id = ${org_id} and environment = ${environment}`;
  return sql.fragment`
    update ${rows} set next_at = ${timestamp(now + LEASE)}
    where ${here} and ${id} in (
      select ${id} from ${rows} where ${here} and next_at <= ${timestamp(now)} order by next_at limit ${MOST_AT_ONCE} for update skip locked)
    returning org_id, environment`;
}

/** Since when the oldest of them waits, in rechecks, re-evaluations and back-fills that are due; null when there are none. */
export const oldestRecheck = (db: Db, now: number): Promise<string | null> =>
  db.oneFirst(sql.type(z.object({ since: z.string().nullable() }))`
    select least((select min(requested_at) from rechecks), (select min(requested_at) from reevaluations),
      (select min(due_at) from backfills where due_at <= ${timestamp(now)})) as since`);
