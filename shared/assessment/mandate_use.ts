import { z } from 'zod';
import { loadBooks } from './books.ts';
import { loadMandates } from './mandate_set.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { Milliseconds } from '#shared/events/ranges/load.ts';
import { Id } from '#shared/interface/ids.ts';
import type { Period } from '#shared/mandates/calendar.ts';
import type { Meter } from '#shared/mandates/evaluation.ts';
import type { PeriodLimit } from '#shared/mandates/rule.ts';
import { ruleOf } from '#shared/mandates/rules.ts';
import type { Rates } from '#shared/values/price_in_usd.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';

const digits = z.string().meta({ examples: ['4200'] });

const LimitUse = z
  .object({
    constraint: z.int().min(0).meta({ description: 'its place among the constraints of the mandate, from 0' }),
    type: z.string(),
    period: z
      .object({ from: Timestamp, to: Timestamp.meta({ description: 'not included' }) })
      .nullable()
      .meta({
        description:
          'the time that counts now: of a rolling window the one that ends now; null: the whole of the mandate',
      }),
    currency: z.string().nullable().meta({ description: 'money is counted in minor units of it, with their parts' }),
    asset: z
      .object({ network: z.string(), address: z.string() })
      .nullable()
      .meta({ description: 'or in atomic units of it; where neither is given, payments are counted' }),
    used: digits.nullable().meta({
      description:
        'by payments that were analyzed, less refunds; null where more than 10,000 payments would have to be gone through',
    }),
    limit: digits,
    remaining: digits.nullable(),
    curve: z
      .array(z.object({ at: Timestamp, used: digits }))
      .nullable()
      .meta({
        description:
          'how `used` grew: what was paid of an amount from the beginning of the period until each moment; null where payments are counted, or `period` or `used` is null',
      }),
    unpriced: z
      .int()
      .nullable()
      .meta({ description: 'payments that could not be expressed in the unit: `used` is without them' }),
  })
  .meta({ id: 'LimitUse' });

export const MandateUse = z
  .object({
    mandate_id: Id('mnd'),
    version: z.int().min(1).meta({ description: 'the version whose limits these are' }),
    as_of: Timestamp.meta({ description: 'the end of the ten seconds that the answer is for' }),
    limits: z.array(LimitUse),
  })
  .meta({ id: 'MandateUse' });
export type MandateUse = z.infer<typeof MandateUse>;

/** How long an answer holds while nothing is paid, in milliseconds: windows move on with time. */
export const USE_HOLDS = 10 * SECOND;

/** Payments that are read at most, which takes a third of a second: 20,000 took 0.7 s, 100,000 took 4.7 s. */
const MOST_PAYMENTS = 10_000;

/**
 * How much is used of the limits that a mandate sets on payments together, by the same rules and book as evaluations. Null when the
 * tenant has no such mandate.
 */
export async function readMandateUse(
  db: Db,
  tenant: Tenant,
  mandate_id: string,
  rates: Rates,
  now: number,
  most = MOST_PAYMENTS,
): Promise<MandateUse | null> {
  const mandates = await loadMandates(db, tenant, { agent_ids: [], mandate_ids: [mandate_id], earliest: now });
  const mandate = mandates.versionAt(mandate_id, now);
  if (!mandate) return null;
  // The last moment that the answer is for, so that payments made until then are in every window.
  const at = Math.floor(now / USE_HOLDS) * USE_HOLDS + USE_HOLDS - 1;
  const limits = mandate.constraints.flatMap((definition, constraint) =>
    (ruleOf(definition).limits ?? []).map(limit => ({
      constraint,
      definition,
      limit,
      period: limit.periodOf(at, mandate.anchor),
    })),
  );
  const reached = limits.length === 0 ? null : await whereBookBegins(db, tenant, mandate_id, most);
  const starts = limits.map(({ period }) => period?.start ?? null).filter(start => isWithin(start, reached));
  const from = earliestOf(starts, at);
  const { book } = (await loadBooks(db, tenant, [{ mandate_id, from, since: from }], mandates, rates)).entry(
    mandate_id,
  );
  return {
    mandate_id,
    version: mandate.version,
    as_of: timestamp(at + 1),
    limits: limits.map(({ constraint, definition, limit, period }) => ({
      constraint,
      type: definition.type,
      period: period && { from: timestamp(period.start), to: timestamp(period.end) },
      currency: limit.unit && 'currency' in limit.unit ? limit.unit.currency : null,
      asset: limit.unit && 'asset' in limit.unit ? assetOf(limit.unit.asset) : null,
      limit: limit.limit,
      ...(isWithin(period?.start ?? null, reached)
        ? { ...limit.use(book, period), curve: limit.unit && period && curveOf(limit, book, period, at + 1) }
        : uncounted),
    })),
  };
}

const uncounted = { used: null, remaining: null, unpriced: null, curve: null };

/** So many steps a curve has, as wide as the period is long. */
const STEPS = 48;

/** What was used of a limit at each step of a period, as far as it is over. */
function curveOf(limit: PeriodLimit, meter: Meter, { start, end }: Period, now: number) {
  const step = Math.ceil((end - start) / STEPS);
  const ends = Array.from({ length: STEPS }, (_, index) => start + (index + 1) * step);
  const reached = [...ends.filter(each => each < Math.min(now, end)), Math.min(now, end)];
  return reached.map(each => ({ at: timestamp(each), used: limit.use(meter, { start, end: each }).used }));
}

/** Whether a window that begins at `start` (null: with the first payment) is within what may be read. */
const isWithin = (start: number | null, reached: number | null): boolean =>
  reached === null || (start !== null && start > reached);

const earliestOf = (starts: readonly (number | null)[], latest: number): number | null =>
  starts.reduce(
    (least, start) => (least === null || start === null ? null : Math.min(least, start)),
    latest as number | null,
  );

const UseStart = z.object({ at: Milliseconds.nullable() });

/** The time of the newest payment beyond the limit; null when all can be read. */
const whereBookBegins = (db: Db, { org_id, environment }: Tenant, mandate_id: string, most: number) =>
  db.oneFirst(sql.type(UseStart)`
    select case when count(*) > ${most} then min(paid_at) end as at from (
      select paid_at from mandate_payments
      where org_id = ${org_id} and environment = ${environment} and mandate_id = ${mandate_id} and paid_at is not null
      order by paid_at desc limit ${most + 1}) newest`);

/** An asset key is `<CAIP-2>/<address>`. */
function assetOf(key: string): { network: string; address: string } {
  const at = key.indexOf('/');
  return { network: key.slice(0, at), address: key.slice(at + 1) };
}
