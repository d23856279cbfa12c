import { z } from 'zod';
import { QUEUE_GRACE } from './backtest_queue.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { conflict, unprocessable } from '#shared/interface/errors.ts';
import { Id, newId } from '#shared/interface/ids.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { TimeInput } from '#shared/values/parsed_text.ts';
import { Severity } from '#shared/casework/alerts.ts';
import { effectiveParams, readSettings, settingAmong } from '#shared/detection/settings/detector_settings.ts';
import { detectorNamed, ParamsInput, readParams } from '#shared/detection/settings/detector_records.ts';
import { type Tenant, Timestamp, withExamples } from '#shared/interface/schemas.ts';
import { DAY, timestamp } from '#shared/values/time.ts';

/** Findings that would have been one alert. */
export const BacktestFinding = z
  .object({
    agent_id: Id('agt'),
    event_id: Id('evt'),
    subject: z.string(),
    score: z.number().min(0).max(100),
    severity: Severity,
    title: z.string(),
    explanation: z.string(),
    hits: z.int().min(1).meta({ description: 'how often it was found' }),
  })
  .meta({ id: 'BacktestFinding' });
export type BacktestFinding = z.infer<typeof BacktestFinding>;

/** The most findings a back-test shows. */
export const MOST_SHOWN = 20;

export const Backtest = z
  .object({
    id: Id('bkt'),
    detector: z.string(),
    from: Timestamp,
    to: Timestamp,
    params: z.record(z.string(), z.unknown()).meta({ description: 'every parameter it judges by' }),
    state: z.enum(['queued', 'running', 'done', 'failed']),
    progress: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'how much is gone through; of one that has failed, how far it got' }),
    events: z.int().meta({ description: 'events of that time that were judged' }),
    findings: z.int().meta({
      description:
        'what would have been alerts: of one agent and subject, what is found within the cooldown of the detector is one',
    }),
    alerts_per_10000_events: z.number().nullable().meta({ description: 'null while no event was judged' }),
    truncated: z.boolean().meta({ description: 'there were more events than a back-test goes through' }),
    error: z.string().nullable(),
    created_at: Timestamp,
    created_by: z.string().nullable(),
    started_at: Timestamp.nullable(),
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'Backtest' });
export type Backtest = z.infer<typeof Backtest>;

export const BacktestDetail = Backtest.extend({
  sample: z
    .array(BacktestFinding)
    .max(MOST_SHOWN)
    .meta({ description: 'the findings with the highest scores, best first' }),
}).meta({ id: 'BacktestDetail' });
export type BacktestDetail = z.infer<typeof BacktestDetail>;

export const NewBacktest = z
  .strictObject({
    from: TimeInput.meta({ description: 'events that occurred at this time or later' }),
    to: TimeInput.meta({ description: 'and before this time, at most 400 days later' }),
    params: ParamsInput.optional().meta({
      description: 'what PUT would set; left out: the parameters that the detector has now',
    }),
  })
  .meta({
    id: 'NewBacktest',
    ...withExamples([{ from: '2026-10-01T00:00:00.000Z', to: '2026-11-01T00:00:00.000Z', params: { per_minute: 30 } }]),
  });
export type NewBacktest = z.output<typeof NewBacktest>;

const LONGEST = 400 * DAY;
const MOST_UNFINISHED = 5;
/**
 * Requests a back-test of a detector. Throws `not_found`, `invalid_request` for invalid parameters, `unprocessable` for an invalid or too
 * long time span, `conflict` when the organization has five unfinished ones.
 */
export async function createBacktest(
  tx: Db,
  tenant: Tenant,
  name: string,
  { from, to, params }: NewBacktest,
  created_by: string | null,
  now: number,
): Promise<BacktestDetail> {
  const { org_id, environment } = tenant;
  const detector = detectorNamed(name);
  const setting = settingAmong(detector, await readSettings(tx, tenant));
  const effective = params ? readParams(detector, params) : effectiveParams(detector, setting.params);
  const by_parameters = Object.keys(params ?? setting.params).length > 0;
  const length = Date.parse(to) - Date.parse(from);
  if (length <= 0) throw unprocessable('/to', 'invalid_value', 'to must be later than from.');
  if (length > LONGEST) throw unprocessable('/to', 'too_long', 'to must be at most 400 days later than from.');
  // A concurrent request waits, and counts this one.
  await tx.query(sql.unsafe`select from organizations where id = ${org_id} for no key update`);
  const unfinished = await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) as count from backtests
    where org_id = ${org_id} and environment = ${environment} and state in ('queued', 'running')`);
  if (unfinished >= MOST_UNFINISHED)
    throw conflict(`${MOST_UNFINISHED} back-tests of this organization are not finished yet; wait until one is.`);
  return tx.one(sql.type(BacktestDetail)`
    insert into backtests (org_id, environment, id, detector, from_at, to_at, params, by_parameters, cooldown_s, created_at,
      created_by, next_at)
    values (${org_id}, ${environment}, ${newId('bkt', now)}, ${name}, ${from}, ${to}, ${JSON.stringify(effective)}::jsonb,
      ${by_parameters}, ${setting.cooldown_s}, ${timestamp(now)}, ${created_by}, ${timestamp(now + QUEUE_GRACE)})
    returning ${columns}, sample`);
}

const columns = sql.fragment`id, detector, from_at as "from", to_at as "to", params, state, round(progress::numeric, 3)::float8 as progress, events, findings,
  round(findings * 10000.0 / nullif(events, 0), 2)::float8 as alerts_per_10000_events, truncated, error, created_at, created_by,
  started_at, finished_at`;

/** Back-tests of a tenant, newest first. */
export async function listBacktests(
  db: Db,
  { org_id, environment }: Tenant,
  { detector }: { detector?: string | undefined },
  page: PageRequest,
): Promise<Page<Backtest>> {
  const rows = await db.any(sql.type(Backtest)`
    select ${columns} from backtests
    where ${sql.and([
      sql.fragment`org_id = ${org_id} and environment = ${environment}`,
      detector !== undefined && sql.fragment`detector = ${detector}`,
      page.after !== null && sql.fragment`id < ${page.after}`,
    ])}
    order by id desc limit ${page.limit + 1}`);
  return pageOf(rows, page, ({ id }) => id);
}

/** One back-test with its findings. Null when the tenant has no such back-test. */
export const findBacktest = (db: Db, { org_id, environment }: Tenant, id: string) =>
  db.maybeOne(sql.type(BacktestDetail)`
    select ${columns}, sample from backtests where org_id = ${org_id} and environment = ${environment} and id = ${id}`);
