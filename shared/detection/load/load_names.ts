import { z } from 'zod';
import { type NamedPayee, spell } from '#shared/detection/model/almost_named.ts';
import type { History } from '#shared/detection/model/history.ts';
import { isNewPayee, type PayeeState } from '#shared/detection/model/payees.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';

const Row = z.object({
  id: z.string(),
  key: z.string(),
  country: z.string().nullable(),
  name: z.string().nullable(),
  aliases: z.array(z.string()),
});

/** Of a payee that had many names the latest are compared. */
const MOST_ALIASES = 4;

/**
 * The names of payees that were never paid before these events, and of those that their agents paid lately, by id; those of people and of none are left
 * out.
 */
export async function loadNames(
  db: Db,
  { org_id, environment }: Tenant,
  events: readonly DetectionEvent[],
  histories: ReadonlyMap<string, History>,
  payees: ReadonlyMap<string, PayeeState>,
): Promise<ReadonlyMap<string, NamedPayee>> {
  const agents = new Set<string>();
  for (const event of events) {
    const payee = payees.get(event.payee_id);
    if (payee && payee.type !== 'individual' && isNewPayee(payee, event)) agents.add(event.agent_id);
  }
  if (agents.size === 0) return new Map();
  const ids = new Set(events.flatMap(({ agent_id, payee_id }) => (agents.has(agent_id) ? payee_id : [])));
  for (const agent_id of agents) for (const { payee_id } of histories.get(agent_id)?.payments ?? []) ids.add(payee_id);
  const rows = await db.any(sql.type(Row)`
    select id, key, country, name, aliases from payees
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array([...ids], 'text')}) and type is distinct from 'individual'`);
  return new Map(
    rows.flatMap(({ id, aliases, name, ...payee }) => {
      const names = [...(name === null ? [] : [name]), ...aliases.slice(-MOST_ALIASES)];
      return names.length > 0 ? [[id, { ...payee, name, spelled: names.map(spell) }] as const] : [];
    }),
  );
}
