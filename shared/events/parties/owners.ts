import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** An owner as an event names it: by our id, or by the client's. */
export type OwnerRef =
  | { id: string }
  | { external_id: string; name?: string | null | undefined; country?: string | undefined };

const Registered = z.object({
  id: z.string(),
  external_id: z.string().nullable(),
  name: z.string().nullable(),
  country: z.string().nullable(),
});
export type RegisteredOwner = z.infer<typeof Registered>;

/**
 * Registers owners at first sight and takes over a changed name or country. Returns all of them, and whether any is new
 * or changed: the caller then moves the counter of the owners.
 * Refs must be distinct and sorted, so that two batches never wait for each other in a circle.
 */
export async function registerOwners(db: Db, tenant: Tenant, refs: OwnerRef[], now: number) {
  const { org_id, environment } = tenant;
  const rows = refs.map(ref =>
    'id' in ref
      ? [ref.id, null, null, null]
      : [newId('own', now), ref.external_id, ref.name ?? null, ref.country ?? null],
  );
  const input = sql.unnest(rows, ['text', 'text', 'text', 'text']);
  const inserted = await db.query(sql.unsafe`
    insert into owners (org_id, environment, id, external_id, name, country, first_seen_at)
    select ${org_id}, ${environment}, g.id, g.external_id, g.name, g.country, ${timestamp(now)}
    from ${input} as g (id, external_id, name, country)
    on conflict do nothing`);
  const changed = await db.query(sql.unsafe`
    update owners o set name = coalesce(g.name, o.name), country = coalesce(g.country, o.country)
    from ${input} as g (id, external_id, name, country)
    where o.org_id = ${org_id} and o.environment = ${environment} and o.external_id = g.external_id
      and (o.name is distinct from coalesce(g.name, o.name) or o.country is distinct from coalesce(g.country, o.country))`);
  return { registered: await findOwners(db, tenant, refs), moved: inserted.rowCount + changed.rowCount > 0 };
}

/** Those of these owners that are registered, as they are. */
export const findOwners = (db: Db, { org_id, environment }: Tenant, refs: readonly OwnerRef[]) => {
  const ids = refs.flatMap(ref => ('id' in ref ? ref.id : []));
  const external_ids = refs.flatMap(ref => ('id' in ref ? [] : ref.external_id));
  return db.any(sql.type(Registered)`
    select id, external_id, name, country from owners
    where org_id = ${org_id} and environment = ${environment}
      and (id = any(${sql.array(ids, 'text')}) or external_id = any(${sql.array(external_ids, 'text')}))`);
};
