import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { fold } from '#shared/values/fold.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** An agent as an event names it: by our id, or by the client's; `owner_id` is its owner at first sight. */
export type AgentRef = ({ id: string } | AgentDescription) & { owner_id: string };
type AgentDescription = {
  external_id: string;
  name?: string | null | undefined;
  framework?: string | undefined;
  model?: string | undefined;
};

const Registered = z.object({
  id: z.string(),
  external_id: z.string().nullable(),
  name: z.string().nullable(),
  framework: z.string().nullable(),
  model: z.string().nullable(),
});
export type RegisteredAgent = z.infer<typeof Registered>;

/**
 * Registers agents at first sight and takes over a changed name, framework or model. Returns all of them, and whether any
 * is new or changed: the caller then moves the counter of the agents.
 * Refs must be distinct and sorted, so that two batches never wait for each other in a circle.
 */
export async function registerAgents(db: Db, tenant: Tenant, refs: AgentRef[], now: number) {
  const { org_id, environment } = tenant;
  const rows = refs.map(ref =>
    'id' in ref
      ? [ref.id, null, ref.owner_id, null, null, null, '']
      : [
          newId('agt', now),
          ref.external_id,
          ref.owner_id,
          ref.name ?? null,
          ref.framework ?? null,
          ref.model ?? null,
          fold(ref.name ?? ''),
        ],
  );
  const input = sql.unnest(rows, ['text', 'text', 'text', 'text', 'text', 'text', 'text']);
  const inserted = await db.query(sql.unsafe`
    insert into agents (org_id, environment, id, external_id, owner_id, name, framework, model, folded, first_seen_at)
    select ${org_id}, ${environment}, g.id, g.external_id, g.owner_id, g.name, g.framework, g.model, g.folded, ${timestamp(now)}
    from ${input} as g (id, external_id, owner_id, name, framework, model, folded)
    on conflict do nothing`);
  const changed = await db.query(sql.unsafe`
    update agents a set
      name = coalesce(g.name, a.name), folded = case when g.name is null then a.folded else g.folded end,
      framework = coalesce(g.framework, a.framework), model = coalesce(g.model, a.model)
    from ${input} as g (id, external_id, owner_id, name, framework, model, folded)
    where a.org_id = ${org_id} and a.environment = ${environment} and a.external_id = g.external_id
      and (a.name, a.framework, a.model) is distinct from
        (coalesce(g.name, a.name), coalesce(g.framework, a.framework), coalesce(g.model, a.model))`);
  return { registered: await findAgents(db, tenant, refs), moved: inserted.rowCount + changed.rowCount > 0 };
}

/** Those of these agents that are registered, as they are. */
export const findAgents = (db: Db, { org_id, environment }: Tenant, refs: readonly AgentRef[]) => {
  const ids = refs.flatMap(ref => ('id' in ref ? ref.id : []));
  const external_ids = refs.flatMap(ref => ('id' in ref ? [] : ref.external_id));
  return db.any(sql.type(Registered)`
    select id, external_id, name, framework, model from agents
    where org_id = ${org_id} and environment = ${environment}
      and (id = any(${sql.array(ids, 'text')}) or external_id = any(${sql.array(external_ids, 'text')}))`);
};
