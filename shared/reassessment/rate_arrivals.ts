import { z } from 'zod';
import { OLDEST_RATE } from '#shared/events/input/fx_rates.ts';
import { referenceRates } from '#shared/events/input/reference_rates.ts';
import { Milliseconds } from '#shared/events/ranges/load.ts';
import { requestReevaluations } from '#shared/events/ranges/rechecks.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { isSpread } from '#shared/platform/spread.ts';
import { DAY } from '#shared/values/time.ts';

/** How many days a rate is good for after its own. */
const OLDEST = OLDEST_RATE / DAY;

const SpanRow = z.object({ currency: z.string(), from_day: z.string(), to_day: z.string() });
const MandateRow = z.object({ org_id: z.string(), environment: z.string(), mandate_id: z.string() });
const FirstRow = z.object({ mandate_id: z.string(), at: Milliseconds });

/** What the index `mandate_evaluations_unrated` holds. */
const isUnrated = sql.fragment`e.result = 'unresolved' and e.constraints like '%currency_mismatch%'`;

/**
 * Has payments evaluated again that could not be held against a mandate because nobody knew a rate for its currency, where there is one for
 * their day now: from the first of them on. Rates come with the service for most currencies; of the others none is for ever.
 */
export async function reevaluateUnrated(tx: Db, now: number): Promise<void> {
  // Days on which a rate is known, from one to another: rates come each day, so these are few. In statements of their own, since a cluster has
  // the rates on another node.
  const spans = await tx.any(sql.type(SpanRow)`
    with days as (
      select currency, date, date - lag(date) over (partition by currency order by date) as gap from fx_rates
      where currency <> all(${sql.array([...referenceRates.keys()], 'text')})),
    spans as (
      select currency, date, count(*) filter (where gap is null or gap > ${OLDEST}) over (partition by currency order by date) as span from days)
    select currency, min(date)::text as from_day, (max(date) + ${OLDEST}::int)::text as to_day from spans group by currency, span`);
  if (spans.length === 0) return;
  const mandates = await tx.any(sql.type(MandateRow)`${isSpread() ? unratedAnywhere : unratedInTurn}`);
  const logs = Map.groupBy(mandates, ({ org_id, environment }) => `${org_id} ${environment}`);
  for (const unrated of logs.values()) {
    const [first] = unrated;
    if (!first) continue;
    const { org_id, environment } = first;
    const late = await tx.any(sql.type(FirstRow)`
      select u.mandate_id, f.position_at as at
      from ${tableOf('u', unrated, { mandate_id: 'text' })} cross join lateral (
        select e.position_at from mandate_evaluations e
        join mandate_versions v on v.org_id = e.org_id and v.environment = e.environment and v.mandate_id = e.mandate_id
          and v.version = e.version
        where ${isUnrated} and e.org_id = ${org_id} and e.environment = ${environment} and e.mandate_id = u.mandate_id
          and not exists (
            select from mandate_evaluations l
            where l.org_id = e.org_id and l.environment = e.environment and l.chain_seq = e.chain_seq and l.mandate_id = e.mandate_id
              and l.number > e.number)
          and exists (
            select from jsonb_array_elements(v.constraints) c
            join ${tableOf('r', spans, { currency: 'text', from_day: 'date', to_day: 'date' })} on r.currency = c ->> 'currency'
            where (e.position_at at time zone 'UTC')::date between r.from_day and r.to_day)
        order by e.position_at limit 1) f`);
    const from = late.map(({ mandate_id, at }) => [mandate_id, { from: { at, seq: 0 }, until: null }] as const);
    if (from.length > 0) await requestReevaluations(tx, { org_id, environment }, new Map(from), now);
  }
}

/** Goes from one mandate to the next along the index, however many evaluations each has. */
const unratedInTurn = sql.fragment`
  with recursive unrated as (
    (select e.org_id, e.environment, e.mandate_id from mandate_evaluations e where ${isUnrated}
      order by e.org_id, e.environment, e.mandate_id limit 1)
    union all
    select n.* from unrated u cross join lateral (
      select e.org_id, e.environment, e.mandate_id from mandate_evaluations e
      where ${isUnrated} and (e.org_id, e.environment, e.mandate_id) > (u.org_id, u.environment, u.mandate_id)
      order by e.org_id, e.environment, e.mandate_id limit 1) n
  )
  select org_id, environment, mandate_id from unrated`;

/** Where mandates are spread, each is looked into on its node. */
const unratedAnywhere = sql.fragment`
  select m.org_id, m.environment, m.id as mandate_id from mandates m
  where exists (
    select from mandate_evaluations e
    where e.org_id = m.org_id and e.environment = m.environment and e.mandate_id = m.id and ${isUnrated})`;
