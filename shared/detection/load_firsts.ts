import { z } from 'zod';
import { type Db, sql } from '#shared/db.ts';
import type { History } from '#shared/detection/history.ts';
import { MOST_NEW_PAYEES, NEW_PAYEES_KEPT } from '#shared/detection/judge_range.ts';
import { Milliseconds } from '#shared/detection/load.ts';
import type { Tenant } from '#shared/schemas.ts';
import { timestamp } from '#shared/time.ts';

const CountryRow = z.object({ agent_id: z.string(), country: z.string() });

/** The countries that these agents have paid to at or before `cursor`. Changes `histories`. */
export async function loadCountries(
  db: Db,
  { org_id, environment }: Tenant,
  agent_ids: readonly string[],
  histories: ReadonlyMap<string, History>,
  cursor: number,
): Promise<void> {
  if (agent_ids.length === 0) return;
  const rows = await db.any(sql.type(CountryRow)`
    select agent_id, country from agent_countries
    where org_id = ${org_id} and environment = ${environment} and agent_id = any(${sql.array([...agent_ids], 'text')})
      and first_seq <= ${cursor}`);
  for (const { agent_id, country } of rows) histories.get(agent_id)?.countries.add(country);
}

const NewPayeeRow = z.object({ agent_id: z.string(), at: Milliseconds });

/** When agents that come to a new payee came to others in the last month, where that is not known yet. Changes `histories`. */
export async function loadNewPayees(
  db: Db,
  { org_id, environment }: Tenant,
  newcomers: readonly { agent_id: string }[],
  histories: ReadonlyMap<string, History>,
  { cursor, now }: { cursor: number; now: number },
): Promise<void> {
  const agent_ids = [...new Set(newcomers.map(({ agent_id }) => agent_id))].filter(
    agent_id => histories.get(agent_id)?.new_payees === null,
  );
  if (agent_ids.length === 0) return;
  for (const agent_id of agent_ids) {
    const history = histories.get(agent_id);
    if (history) history.new_payees = [];
  }
  const rows = await db.any(sql.type(NewPayeeRow)`
    select g.agent_id, p.first_seen_at as at
    from unnest(${sql.array(agent_ids, 'text')}) g (agent_id) cross join lateral (
      select first_seen_at from agent_payees
      where org_id = ${org_id} and environment = ${environment} and agent_id = g.agent_id and first_seq <= ${cursor}
        and first_seen_at > ${timestamp(now - NEW_PAYEES_KEPT)}
      order by first_seen_at desc limit ${MOST_NEW_PAYEES}) p
    order by p.first_seen_at`);
  for (const { agent_id, at } of rows) histories.get(agent_id)?.new_payees?.push(at);
}
