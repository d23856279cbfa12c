import { type Pool, sql } from '#shared/platform/db.ts';

/** Payees for events that are written straight into the log. */
export const addPayees = (owner: Pool, org_id: string, payees: { id: string; key: string }[]) =>
  owner.query(sql.unsafe`
    with added as (
      insert into payees (org_id, environment, id, key, name, folded, first_seen_at)
      select ${org_id}, 'sandbox', p.id, p.key, p.key, p.key, now()
      from ${sql.unnest(
        payees.map(({ id, key }) => [id, key]),
        ['text', 'text'],
      )} as p (id, key)
      returning org_id, environment, id, first_seen_at)
    insert into payee_screenings (org_id, environment, payee_id, first_seen_at)
    select org_id, environment, id, first_seen_at from added`);
