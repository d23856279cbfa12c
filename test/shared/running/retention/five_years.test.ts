import test from 'ava';
import { ulid } from 'ulid';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { insertScreenings } from '#shared/screening/store/screening_writes.ts';
import { setRetention, showRetention } from '#shared/running/retention/policies.ts';
import { BATCH, removeExpired } from '#shared/running/retention/run.ts';
import { DAY, timestamp } from '#shared/values/time.ts';
import { nobody } from '#test/helpers/nobody.ts';
import { oldAudit } from '#test/helpers/old_audit.ts';
import { ownerOf } from '#test/helpers/owner.ts';
import { world } from '#test/helpers/world.ts';

const MONTHS = 60;
const KEPT = { deliveries: 30, findings: 90, screenings: 365, audit: 400 } as const;
const tables = {
  deliveries: ['webhook_deliveries', 'created_at'],
  findings: ['shadow_findings', 'created_at'],
  screenings: ['screenings', 'created_at'],
  audit: ['audit_log', 'at'],
} as const;
const kinds = ['deliveries', 'findings', 'screenings', 'audit'] as const;

test('over five years every kind is kept for as long as was said, and no statement removes more than a batch', async t => {
  const start = Date.now() - (MONTHS + 1) * 30 * DAY;
  let time = start;
  const { services, db, tenant, database, config } = await world(t, { now: () => time });
  const asOwner = await ownerOf(t, database);
  // The database itself counts what each statement removes.
  await asOwner('create table removals (of_table text, removed bigint)');
  await asOwner(`
    create function note_removal() returns trigger language plpgsql security definer set search_path = public as $$
    begin insert into removals select tg_table_name, count(*) from gone; return null; end $$`);
  for (const [table] of Object.values(tables))
    await asOwner(`create trigger note_removal after delete on ${table}
      referencing old table as gone for each statement execute function note_removal()`);

  await db.transaction(async tx => {
    for (const kind of kinds) await setRetention(tx, tenant, { kind, days: KEPT[kind] }, config, time);
  });
  const made = { deliveries: 0, findings: 0, screenings: 0, audit: 0 };
  const { org_id, environment } = tenant;
  for (let month = 0; month < MONTHS; month += 1) {
    const count = month === 7 ? 2 * BATCH + 100 : 20;
    const times = Array.from({ length: count }, (_, index) => time + index);
    const deliveries = times.map(at => [`whd_${ulid(at)}`, timestamp(at)]);
    await db.query(sql.unsafe`
      insert into webhook_deliveries (org_id, environment, id, endpoint_id, type, body, state, created_at, not_before, next_at, finished_at)
      select ${org_id}, ${environment}, id, 'whe_1', 'alert.created', '{"type":"alert.created","data":{"alert_id":"alr_1"}}', 'delivered', at, at, at, at
      from ${sql.unnest(deliveries, ['text', 'timestamptz'])} as d (id, at)`);
    await db.query(sql.unsafe`
      insert into webhook_attempts (org_id, environment, delivery_id, generation, number, at, outcome, ms)
      select ${org_id}, ${environment}, id, 0, 1, at, 'delivered', 5 from ${sql.unnest(deliveries, ['text', 'timestamptz'])} as d (id, at)`);
    await db.query(sql.unsafe`
      insert into shadow_findings (org_id, environment, id, detector, dedup_agent_id, subject, day, reason, agent_id, event_id, severity, score, title,
        explanation, hits, created_at, last_at)
      select ${org_id}, ${environment}, id, 'velocity_count', 'agt_1', id, at::date, 'shadow', 'agt_1', 'evt_1', 'low', 10, 'x', 'y', 1, at, at
      from ${sql.unnest(
        times.map(at => [`shf_${ulid(at)}`, timestamp(at)]),
        ['text', 'timestamptz'],
      )} as f (id, at)`);
    const screenings = times.map(at => ({
      id: `scr_${ulid(at)}`,
      payee_id: null,
      subject: nobody,
      state: 'clear',
      score: 0,
      allowed_by: null,
      error: null,
    }));
    await insertScreenings(db, tenant, screenings, { lists: [], threshold: 0.85, created_by: null, now: time });
    await oldAudit(
      db,
      tenant,
      times.map(() => null),
      time,
    );
    for (const kind of kinds) made[kind] += count;
    time += 30 * DAY;
    for (let round = 0; round < 3; round += 1) await removeExpired(services, new AbortController().signal);
  }

  const Left = z.object({ left: z.int(), oldest: z.string() });
  for (const kind of kinds) {
    const [table, at] = tables[kind];
    const { left, oldest } = await db.one(sql.type(Left)`
      select count(*) as left, min(${sql.identifier([at])}) as oldest from ${sql.identifier([table])}
      where org_id = ${org_id} and ${kind === 'audit' ? sql.fragment`action = 'case.noted'` : sql.fragment`true`}`);
    t.true(Date.parse(oldest) >= time - KEPT[kind] * DAY, kind);
    t.is(left, Math.floor(KEPT[kind] / 30) * 20, kind);
    const shown = (await showRetention(db, tenant, config)).find(each => each.kind === kind);
    t.like(shown, { days: KEPT[kind], state: 'waiting', held: 0 });
    if (kind !== 'audit') t.is(shown?.removed_total, made[kind] - left, kind);
  }
  const Orphans = z.object({ orphans: z.int() });
  const orphans = await db.oneFirst(sql.type(Orphans)`
    select count(*) as orphans from webhook_attempts a
    where a.org_id = ${org_id} and not exists (
      select from webhook_deliveries d where d.org_id = a.org_id and d.id = a.delivery_id)`);
  t.is(orphans, 0);
  const Most = z.object({ of_table: z.string(), most: z.int() });
  await asOwner('grant select on removals to oversight_service');
  const most = await db.any(sql.type(Most)`
    select of_table, max(removed) as most from removals group by of_table order by of_table`);
  t.deepEqual(
    most.map(({ of_table }) => of_table),
    Object.values(tables)
      .map(([table]) => table)
      .toSorted(),
  );
  for (const { of_table, most: rows } of most) t.is(rows, BATCH, of_table);
  const Run = z.object({ target_id: z.string(), after: z.object({ removed: z.int(), days: z.int() }) });
  const runs = await db.any(sql.type(Run)`
    select target_id, after from audit_log where org_id = ${org_id} and action = 'retention.applied' order by id`);
  t.true(runs.length > kinds.length);
  for (const { target_id, after } of runs) t.is(after.days, KEPT[target_id as keyof typeof KEPT]);
});
