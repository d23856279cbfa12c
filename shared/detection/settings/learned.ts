import { z } from 'zod';
import { LEAST_PAYMENTS } from '#shared/detection/model/asks.ts';
import type { CatalogEntry, Detector } from '#shared/detection/model/detector.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { readAlertBudget } from './alert_budget.ts';

/** How much a behavioral detector has learned, and by what it judges. */
export const Learned = z
  .object({
    by: z.enum(['rarity', 'parameters']).meta({
      description:
        '`rarity`: it raises an alert where conduct is rarer than the alert budget allows, and its parameters are only the least that can matter. `parameters`: they are customized, and it keeps to them',
    }),
    budget: z.number().meta({ description: 'the alert budget, which all behavioral detectors share' }),
    own_record_from_payments: z.int().nullable().meta({
      description:
        'from so many payments of an agent on, this one among them, it speaks by the agent’s own record, drawn toward what was learned of all agents while that is short; before that only what it spends on its first day is compared, with the first days of others, and its large payments with those of other agents on the same rail. null: its parameters say from when on',
    }),
    agent_days: z.int().meta({
      description:
        'from so many days of agents it was learned how far conduct differs; each day on which an agent pays counts once. It nears 5,000 and stays there: the earlier ones count for less and less',
    }),
    since: Timestamp.nullable().meta({
      description: 'when the first event of the log was received; null: there is none',
    }),
  })
  .meta({ id: 'DetectorLearned' });
export type Learned = z.infer<typeof Learned>;

/** What was learned of a log, whichever detector asks. */
export type Learning = Pick<Learned, 'budget' | 'agent_days' | 'since'>;

const LearnedSpan = Learned.pick({ agent_days: true, since: true });

/** What was learned of a log: a few looks by primary key. */
export async function readLearning(db: Db, tenant: Tenant): Promise<Learning> {
  const { org_id, environment } = tenant;
  const budget = await readAlertBudget(db, tenant);
  const learned = await db.one(sql.type(LearnedSpan)`
    select coalesce((
        select floor((spreads->>'agent_days')::float8) from detection_cursors
        where org_id = ${org_id} and environment = ${environment}), 0)::int4 as agent_days, coalesce((
        select received_at from events
        where org_id = ${org_id} and environment = ${environment} and chain_seq = 1), (
        select occurred_at from archived_events
        where org_id = ${org_id} and environment = ${environment} and chain_seq = 1)) as since`);
  return { budget, ...learned };
}

/** What a detector says of it; null where it does not judge by rarity but by rules. `is_set`: somebody has set its parameters. */
export function learnedBy(
  detector: CatalogEntry & Pick<Detector, 'behavioral'>,
  is_set: boolean,
  learning: Learning,
): Learned | null {
  const { behavioral } = detector;
  if (!behavioral) return null;
  return {
    by: is_set ? 'parameters' : 'rarity',
    own_record_from_payments: behavioral.asks ? LEAST_PAYMENTS + 1 : null,
    ...learning,
  };
}
