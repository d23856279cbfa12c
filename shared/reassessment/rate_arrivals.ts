import { z } from 'zod';
import { OLDEST_RATE } from '#shared/events/input/fx_rates.ts';
import { referenceRates } from '#shared/events/input/reference_rates.ts';
import { Milliseconds } from '#shared/events/ranges/load.ts';
import { requestReevaluations } from '#shared/events/ranges/rechecks.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { DAY } from '#shared/values/time.ts';

const Row = z.object({ org_id: z.string(), environment: z.string(), mandate_id: z.string(), at: Milliseconds });

/** What the index `mandate_evaluations_unrated` holds. */
const isUnrated = sql.fragment`e.result = 'unresolved' and e.constraints like '%currency_mismatch%'`;

/**
 * Has payments evaluated again that could not be held against a mandate because nobody knew a rate for its currency, where there is one for
 * their day now: from the first of them on. Rates come with the service for most currencies; of the others none is for ever.
 */
export async function reevaluateUnrated(tx: Db, now: number): Promise<void> {
  const mandates = await tx.any(sql.type(Row)`
    with recursive unrated as (
      (select e.org_id, e.environment, e.mandate_id from mandate_evaluations e where ${isUnrated}
        order by e.org_id, e.environment, e.mandate_id limit 1)
      union all
      select n.* from unrated u cross join lateral (
        select e.org_id, e.environment, e.mandate_id from mandate_evaluations e
        where ${isUnrated} and (e.org_id, e.environment, e.mandate_id) > (u.org_id, u.environment, u.mandate_id)
        order by e.org_id, e.environment, e.mandate_id limit 1) n
    )
    select u.org_id, u.environment, u.mandate_id, f.position_at as at
    from unrated u cross join lateral (
      select e.position_at from mandate_evaluations e
      join mandate_versions v on v.org_id = e.org_id and v.environment = e.environment and v.mandate_id = e.mandate_id
        and v.version = e.version
      where ${isUnrated} and e.org_id = u.org_id and e.environment = u.environment and e.mandate_id = u.mandate_id
        and not exists (
          select from mandate_evaluations l
          where l.org_id = e.org_id and l.environment = e.environment and l.chain_seq = e.chain_seq and l.mandate_id = e.mandate_id
            and l.number > e.number)
        and exists (
          select from jsonb_array_elements(v.constraints) c join fx_rates r on r.currency = c ->> 'currency'
          where r.currency <> all(${sql.array([...referenceRates.keys()], 'text')})
            and r.date <= (e.position_at at time zone 'UTC')::date
            and r.date >= (e.position_at at time zone 'UTC')::date - ${OLDEST_RATE / DAY}::int)
      order by e.position_at limit 1) f`);
  const logs = Map.groupBy(mandates, ({ org_id, environment }) => `${org_id} ${environment}`);
  for (const [first, ...more] of logs.values()) {
    if (!first) continue;
    const late = [first, ...more].map(
      ({ mandate_id, at }) => [mandate_id, { from: { at, seq: 0 }, until: null }] as const,
    );
    await requestReevaluations(tx, first, new Map(late), now);
  }
}
