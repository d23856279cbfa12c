import { z } from 'zod';
import { firstReceived } from '#shared/events/log/event_blocks.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { TILE_WIDTH } from '#shared/ledger/tiles.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { holdingCases } from './held.ts';

const Border = z.object({
  archived_seq: z.int(),
  old_seq: z.int(),
  signed_seq: z.int(),
  judged_seq: z.int(),
  held_seq: z.int().nullable(),
  mandate_seq: z.int().nullable(),
  looked_up_seq: z.int().nullable(),
  is_worked_on: z.boolean(),
});

/**
 * How many events of a log are older than `before`, and how many of them can be archived: whole tiles from its beginning that a checkpoint
 * covers, analyzed and swept, before the first event that a case holds, or that belongs to a payment under an open mandate whose budget
 * counts from its beginning, or that awaits a look-up on a chain. None while something is being assessed again, back-tested, erased or
 * packed (`is_busy`, if there would be some). `from_seq` is where they begin.
 */
export async function planArchives(
  db: Db,
  tenant: Tenant,
  before: string,
): Promise<{ from_seq: number; old: number; free: number; is_busy: boolean }> {
  const { org_id, environment } = tenant;
  const here = sql.fragment`org_id = ${org_id} and environment = ${environment}`;
  const border = await db.maybeOne(sql.type(Border)`
    select l.archived_seq, ${firstReceived(tenant, before)} - 1 as old_seq,
      coalesce((select max(size) from log_checkpoints where ${here}), 0) as signed_seq,
      least((select seq from detection_cursors where ${here}), (select min(seq) from sweep_cursors where ${here})) as judged_seq,
      least(
        (select min(e.chain_seq) from cases c
          join case_links k on k.org_id = c.org_id and k.environment = c.environment and k.case_id = c.id and k.kind = 'event'
          join events e on e.org_id = k.org_id and e.environment = k.environment and e.id = k.target_id
          where ${holdingCases(tenant)}),
        (select min(n.chain_seq) from cases c
          join alerts a on a.org_id = c.org_id and a.environment = c.environment and a.case_id = c.id
          join alert_events n on n.org_id = a.org_id and n.environment = a.environment and n.alert_id = a.id
          where ${holdingCases(tenant)})) as held_seq,
      (select min(p.paid_seq) from mandates m
        cross join lateral (
          select y.paid_seq from mandate_payments y
          where y.org_id = m.org_id and y.environment = m.environment and y.mandate_id = m.id and y.paid_at is not null
          order by y.paid_at limit 1) p
        where m.org_id = ${org_id} and m.environment = ${environment} and m.state in ('active', 'paused')
          and m.constraints::text like '%per_mandate%') as mandate_seq,
      (select min(chain_seq) from chain_lookups where ${here} and state = 'pending') as looked_up_seq,
      exists (select from rechecks where ${here}) or exists (select from reevaluations where ${here})
        or exists (select from repricings where ${here} and next_at is not null)
        or exists (select from backtests where ${here} and state in ('queued', 'running'))
        or exists (select from erasures where ${here} and state = 'running')
        or exists (select from packs where ${here} and state in ('queued', 'building')) as is_worked_on
    from event_logs l where l.org_id = ${org_id} and l.environment = ${environment}`);
  if (!border) return { from_seq: 1, old: 0, free: 0, is_busy: false };
  const { archived_seq, old_seq, signed_seq, judged_seq, held_seq, mandate_seq, looked_up_seq, is_worked_on } = border;
  const needed = [held_seq, mandate_seq, looked_up_seq].map(seq => (seq ?? Infinity) - 1);
  const last = Math.min(old_seq, signed_seq, judged_seq, ...needed);
  const tiles = Math.max(0, Math.floor((last - archived_seq) / TILE_WIDTH));
  return {
    from_seq: archived_seq + 1,
    old: Math.max(0, old_seq - archived_seq),
    free: is_worked_on ? 0 : tiles * TILE_WIDTH,
    is_busy: is_worked_on && tiles > 0,
  };
}
