import type { ActivityChange } from '#shared/detection/model/hours.ts';
import { summedDays } from '#shared/events/parties/agent_records.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { packedRows, type Statement } from '#shared/platform/bulk.ts';
import { sql } from '#shared/platform/db.ts';

/** The changes in agents' spend of the last 30 days: in micro-USD, by agent. */
export function spentRecently(changes: ReadonlyMap<string, readonly ActivityChange[]>, now: number) {
  const first = Date.parse(summedDays(now).first);
  const spent = new Map<string, bigint>();
  for (const [agent_id, list] of changes)
    for (const { at, spend_micro } of list)
      if (at >= first) spent.set(agent_id, (spent.get(agent_id) ?? 0n) + spend_micro);
  return spent;
}

/** The statement that adds it to the totals of agents. The caller holds the log's cursor. */
export const recentSpendStatement = (
  { org_id, environment }: Tenant,
  spent: ReadonlyMap<string, bigint>,
): Statement => sql.unsafe`
  update agent_totals t set spend_usd_micro = t.spend_usd_micro + s.spend_usd_micro
  from ${packedRows(
    [...spent].map(([agent_id, spend_micro]) => [agent_id, String(spend_micro)]),
    ['text', 'numeric'],
  )} as s (agent_id, spend_usd_micro)
  where t.org_id = ${org_id} and t.environment = ${environment} and t.agent_id = s.agent_id`;
