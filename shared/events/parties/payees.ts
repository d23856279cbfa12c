import { z } from 'zod';
import { columnOf, tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { fold } from '#shared/values/fold.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** A payee as an event names it; `key` is its stable identity. */
export type PayeeRef = { key: string; type: string | null; name: string | null; country: string | null };

const Registered = z.object({
  id: z.string(),
  key: z.string(),
  type: z.string().nullable(),
  name: z.string().nullable(),
  country: z.string().nullable(),
  aliases: z.array(z.string()),
});
export type RegisteredPayee = z.infer<typeof Registered>;

const Id = z.object({ id: z.string() });

/** How many former names of a payee are kept. */
const MOST_ALIASES = 20;

/**
 * Registers payees at first sight; a name not yet known becomes the name and the former name an alias; type and country follow
 * the latest event that has them. A changed name or country makes the payee due for screening again; one that matched goes on counting as
 * such until it has been screened. Returns all of them, and whether any is new or changed: the caller then moves the counter
 * of the payees, and has them screened.
 * Refs must be distinct and sorted, so that two batches never wait for each other in a circle.
 */
export async function registerPayees(db: Db, tenant: Tenant, refs: PayeeRef[], now: number) {
  const { org_id, environment } = tenant;
  const rows = refs.map(ref => [newId('pye', now), ref.key, ref.type, ref.name, ref.country, folded(ref)]);
  const input = sql.unnest(rows, ['text', 'text', 'text', 'text', 'text', 'text']);
  const given = sql.fragment`${input} as g (id, key, type, name, country, folded)`;
  const ofTenant = sql.fragment`org_id = ${org_id} and environment = ${environment}`;
  const added = await db.transaction(async tx => {
    const ids = await tx.anyFirst(sql.type(Id)`
      insert into payees (org_id, environment, id, key, type, name, country, folded, first_seen_at)
      select ${org_id}, ${environment}, g.id, g.key, g.type, g.name, g.country, g.folded, ${timestamp(now)}
      from ${given}
      on conflict do nothing returning id`);
    if (ids.length > 0)
      await tx.query(sql.unsafe`
        insert into payee_screenings (org_id, environment, payee_id, first_seen_at, due_at)
        select ${org_id}, ${environment}, g.id, ${timestamp(now)}, ${timestamp(now)}
        from unnest(${sql.array([...ids], 'text')}) as g (id)`);
    return ids.length;
  });
  const isChanged = sql.fragment`
    p.org_id = ${org_id} and p.environment = ${environment} and p.key = g.key
      and ((g.name is not null and g.name is distinct from p.name and not g.name = any(p.aliases))
        or (g.country is not null and g.country is distinct from p.country)
        or (g.type is not null and p.type is null))`;
  const changing = await db.anyFirst(sql.type(Id)`select p.id from payees p, ${given} where ${isChanged}`);
  if (changing.length > 0)
    await db.transaction(async tx => {
      // Whoever is screening one of them is waited for before any payee is changed: nobody who only names them waits too.
      await lockScreenings(tx, tenant, changing);
      const changed = await tx.any(sql.type(Registered)`
        update payees p set
          name = coalesce(g.name, p.name), country = coalesce(g.country, p.country), type = coalesce(g.type, p.type),
          aliases = case when p.name is null or p.name = g.name then p.aliases
            else (array_append(p.aliases, p.name))[greatest(cardinality(p.aliases) + 2 - ${MOST_ALIASES}, 1):] end
        from ${given} where ${isChanged} and p.id = any(${sql.array([...changing], 'text')})
        returning p.id, p.key, p.type, p.name, p.country, p.aliases`);
      // The folded text is computed anew: folding happens in code, and a dropped alias must no longer match.
      const texts = changed.map(payee => ({ id: payee.id, folded: folded(payee) }));
      await tx.query(sql.unsafe`
        update payees p set folded = g.folded from ${tableOf('g', texts, { id: 'text', folded: 'text' })}
        where p.org_id = ${org_id} and p.environment = ${environment} and p.id = g.id`);
      await tx.query(sql.unsafe`
        update payee_screenings set due_at = least(due_at, ${timestamp(now)}::timestamptz),
          state = case when state in ('potential_match', 'confirmed_match') then state else 'pending' end
        where ${ofTenant} and payee_id = any(${columnOf(texts, 'id', 'text')})`);
    });
  return { registered: await findPayees(db, tenant, refs), moved: added + changing.length > 0 };
}

/** Those of these payees that are registered, as they are. */
export const findPayees = (db: Db, { org_id, environment }: Tenant, refs: readonly PayeeRef[]) =>
  db.any(sql.type(Registered)`
    select id, key, type, name, country, aliases from payees
    where org_id = ${org_id} and environment = ${environment} and key = any(${columnOf(refs, 'key', 'text')})`);

/**
 * Holds what screenings of payees came to until the transaction ends, always in the same order and before the payees themselves, so that nobody
 * waits in a circle. Answers with those that there are.
 */
export const lockScreenings = (tx: Db, { org_id, environment }: Tenant, ids: readonly string[]) =>
  tx.anyFirst(sql.type(Id)`
    select payee_id as id from payee_screenings
    where org_id = ${org_id} and environment = ${environment} and payee_id = any(${sql.array([...ids], 'text')})
    order by payee_id for update`);

const folded = ({ key, name, aliases = [] }: { key: string; name: string | null; aliases?: string[] }) =>
  [name ?? '', key, ...aliases].map(fold).join(' ').trim();
