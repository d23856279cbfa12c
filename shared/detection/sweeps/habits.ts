import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { ReportHabit } from '#shared/detection/model/report_habit.ts';
import type { AwaitedRail } from '#shared/detection/model/settlement.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

const Row = z.object({ agent_id: z.string(), seen: z.number(), outcomes: z.number() });

/** What became of the earlier authorizations of these agents over a rail; without agents that had none. */
export async function loadHabits(
  tx: Db,
  { org_id, environment }: Tenant,
  rail: AwaitedRail,
  agent_ids: string[],
): Promise<Map<string, ReportHabit>> {
  const rows = await tx.any(sql.type(Row)`
    select agent_id, seen, outcomes from report_habits
    where org_id = ${org_id} and environment = ${environment} and agent_id = any(${sql.array(agent_ids, 'text')}) and rail = ${rail}`);
  return new Map(rows.map(({ agent_id, ...habit }) => [agent_id, habit]));
}

/** Saves the habits of agents; most are unchanged. */
export async function saveHabits(
  tx: Db,
  { org_id, environment }: Tenant,
  rail: AwaitedRail,
  habits: ReadonlyMap<string, ReportHabit>,
): Promise<void> {
  const rows = [...habits].map(([agent_id, { seen, outcomes }]) => [agent_id, seen, outcomes]);
  await tx.query(sql.unsafe`
    insert into report_habits as h (org_id, environment, agent_id, rail, seen, outcomes)
    select ${org_id}, ${environment}, r.agent_id, ${rail}, r.seen, r.outcomes
    from ${sql.unnest(rows, ['text', 'int2', 'int4'])} as r (agent_id, seen, outcomes)
    on conflict (org_id, environment, agent_id, rail) do update set seen = excluded.seen, outcomes = excluded.outcomes
    where (h.seen, h.outcomes) is distinct from (excluded.seen, excluded.outcomes)`);
}
