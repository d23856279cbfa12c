import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { amountKeys } from '#shared/values/amount_keys.ts';
import { EventType, PaymentStatus, paymentStatuses, Rail, statusesOfType } from '#shared/values/event_types.ts';
import { rails } from '#shared/values/rails.ts';
import { Id, IdList } from '#shared/interface/ids.ts';
import { type Tenant, TimeFilter, SearchText } from '#shared/interface/schemas.ts';
import { PayeeKeyInput } from '#shared/values/parsed_text.ts';
import { boundsOf } from './amount_range.ts';
import { blocksWithin, receivedWithin } from './event_blocks.ts';
import { evaluatedAgainst, findMatches, firstUnder, firstWith, positioned } from './event_search.ts';
import { MandateResult } from './event_verdicts.ts';
import { holding, holdingAnyRailStatus } from './holding.ts';

const AmountFilter = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .refine(text => amountKeys(text).length > 0, 'must be an amount such as 35.77, $35, 12.50 EUR, or 0.5 USDC')
  .meta({
    examples: ['35.77'],
    description:
      'the exact amount, as people write it: `35.77` in every currency and known token, `$35` in dollars and tokens pegged to them, `12.50 EUR`, `0.5 USDC`',
  });

const UsdFilter = z
  .string()
  .trim()
  .regex(
    /^\$?(?:\d{1,3}(?:,\d{3}){1,3}|\d{1,12})(?:\.\d{1,6})?$/,
    'must be an amount in US dollars such as 35 or 35.50',
  )
  .meta({ examples: ['35.50'] });

export const EventFilters = z.strictObject({
  q: SearchText.optional().meta({
    description:
      'exact event, payment or agent id; or part of a payee name, payee key or agent name, whatever its case and accents',
  }),
  ids: IdList('evt')
    .optional()
    .meta({ description: 'these events alone: up to 200 ids, separated by commas; without archived ones' }),
  agent_id: Id('agt').optional(),
  owner_id: Id('own').optional(),
  payee_id: Id('pye').optional(),
  payee_key: PayeeKeyInput.optional().meta({ description: 'the key of a payee, spelled as in an event' }),
  payment_id: z.string().min(1).max(255).optional(),
  amount: AmountFilter.optional(),
  amount_min: UsdFilter.optional().meta({
    description:
      'at least this much in US dollars, as far as it could be priced. With bounds, a page looks at no more than 10,500 events, beginning where some may be: it may hold few or none and still have a `next_cursor`.',
  }),
  amount_max: UsdFilter.optional().meta({ description: 'at most this much in US dollars; otherwise as `amount_min`' }),
  mandate_id: Id('mnd').optional().meta({ description: 'evaluated against this mandate' }),
  mandate_result: MandateResult.optional().meta({
    description: 'what that evaluation came to; without `mandate_id`, the worst over all mandates',
  }),
  alert_id: Id('alr').optional().meta({ description: 'linked to this alert' }),
  type: EventType.optional(),
  rail: Rail.optional(),
  status: PaymentStatus.optional(),
  verification: z.enum(['verified', 'failed', 'inconclusive', 'none']).optional(),
  from: TimeFilter.optional().meta({ description: 'occurred at this time or later' }),
  to: TimeFilter.optional().meta({ description: 'occurred before this time' }),
  received_from: TimeFilter.optional().meta({ description: 'received at this time or later' }),
  received_to: TimeFilter.optional().meta({ description: 'received before this time' }),
  after_seq: z
    .string()
    .regex(/^(?:0|[1-9][0-9]{0,14})$/, 'must be a position in the log: a whole number of at most 15 digits')
    .transform(Number)
    .optional()
    .meta({
      description:
        'to follow the log: the events after this `chain_seq`, oldest first. Where a `cursor` is given too, its page begins where that says. With `verification`, events appear when they have been analyzed.',
      override: { type: 'integer', minimum: 0 },
    }),
});
export type EventFilters = z.infer<typeof EventFilters>;

// A lateral join of one row keeps the planner on the primary key, even before it knows the number of verdicts.
export const verdictOf = sql.fragment`left join lateral (
    select w.verification_result, w.verification_kind, w.mandate_result, w.mandate_id from event_verdicts w
    where w.org_id = e.org_id and w.environment = e.environment and w.chain_seq = e.chain_seq limit 1) v on true`;

/** Events in the order of the log. */
export const eventsWithVerdicts = sql.fragment`events e ${verdictOf}`;

/** Events in the order of verdicts, which have indexes by result. */
const ofVerdicts = sql.fragment`event_verdicts v
  join events e on e.org_id = v.org_id and e.environment = v.environment and e.chain_seq = v.chain_seq`;

/**
 * The first `limit` events that the filters leave, all but that of amounts, as a query of their `chain_seq`, `amount_usd_micro` and `occurred_at`;
 * and in which order they are. `page_after`: those beyond this position. `only_blocks`: of times no more is heeded than what blocks of the log say.
 */
export async function positionsOf(
  db: Db,
  tenant: Tenant,
  filters: EventFilters,
  page_after: string | null,
  limit: number,
  { only_blocks = false } = {},
): Promise<{ positions: FragmentSqlToken; order: FragmentSqlToken }> {
  const { org_id, environment } = tenant;
  const { q, agent_id, owner_id, payee_id, payee_key, payment_id, type, rail, status, verification, from, to } =
    filters;
  const { ids, after_seq, received_from, received_to, alert_id, amount, mandate_id, mandate_result } = filters;
  // A result (other than `none`) is read from the index of verdicts, otherwise from that of another filter, or the log.
  const worst = mandate_id === undefined ? mandate_result : undefined;
  const isJudged = (verification !== undefined && verification !== 'none') || worst !== undefined;
  const log = verification === 'none' ? eventsWithVerdicts : sql.fragment`events e`;
  const leading = isJudged ? ofVerdicts : log;
  // An alert has few links, so they come first.
  const from_events =
    alert_id === undefined
      ? leading
      : sql.fragment`alert_events n join ${leading}
        on e.org_id = n.org_id and e.environment = n.environment and e.chain_seq = n.chain_seq`;
  const position = isJudged ? sql.fragment`v.chain_seq` : sql.fragment`e.chain_seq`;
  const rail_statuses = railStatusesOf(filters);
  const hasParty = [agent_id, owner_id, payee_id, payee_key, payment_id].some(value => value !== undefined);
  /** Whether another filter has an index that is walked, which may be the longer way. */
  const isNarrow = hasParty || isJudged || alert_id !== undefined;
  const follows = after_seq !== undefined;
  const order = follows ? sql.fragment`asc` : sql.fragment`desc`;
  const after = page_after ?? after_seq?.toString();
  const placed = (place: FragmentSqlToken) => [
    ...blocksWithin(place, tenant, { from, to, ...boundsOf(filters) }, { after, follows }),
    ...receivedWithin(tenant, { received_from, received_to }, place),
    after !== undefined && sql.fragment`${place} ${follows ? sql.fragment`>` : sql.fragment`<`} ${after}::bigint`,
  ];
  /** A condition of which the planner makes nothing. */
  const unplanned = (condition: FragmentSqlToken) => sql.fragment`coalesce(${condition}, false)`;
  // For each rail and status it would have the times of one agent after the other looked through.
  const isByStatus = !isNarrow && rail_statuses !== null;
  const timed = (condition: FragmentSqlToken) => !only_blocks && (isByStatus ? unplanned(condition) : condition);
  const where = sql.and([
    sql.fragment`e.org_id = ${org_id} and e.environment = ${environment}`,
    agent_id !== undefined && holding('agent_id', tenant, agent_id),
    owner_id !== undefined && holding('owner_id', tenant, owner_id),
    payee_id !== undefined && holding('payee_id', tenant, payee_id),
    payee_key !== undefined &&
      holding(
        'payee_id',
        tenant,
        sql.fragment`(
        select id from payees where org_id = ${org_id} and environment = ${environment} and key = ${payee_key})`,
      ),
    payment_id !== undefined && holding('payment_id', tenant, payment_id),
    alert_id !== undefined &&
      sql.fragment`n.org_id = ${org_id} and n.environment = ${environment} and n.alert_id = ${alert_id}`,
    type !== undefined && unplanned(sql.fragment`e.type = ${type}`),
    rail !== undefined && unplanned(sql.fragment`e.rail = ${rail}`),
    status !== undefined && unplanned(sql.fragment`e.status = ${status}`),
    isNarrow && rail_statuses && holdingAnyRailStatus(tenant, rail_statuses),
    verification === 'none' && sql.fragment`v.verification_result is null`,
    isJudged && sql.fragment`v.org_id = ${org_id} and v.environment = ${environment}`,
    verification !== undefined && verification !== 'none' && sql.fragment`v.verification_result = ${verification}`,
    worst !== undefined && sql.fragment`v.mandate_result = ${worst}`,
    ids !== undefined && sql.fragment`coalesce(e.id = any(${sql.array(ids, 'text')}), false)`,
    amount !== undefined &&
      sql.fragment`coalesce(encode(e.price_key, 'hex') = any(${sql.array(amountKeys(amount), 'text')}), false)`,
    // Where the mandate leads, its evaluations are what is walked.
    mandate_id !== undefined &&
      (q !== undefined || ids !== undefined) &&
      evaluatedAgainst(tenant, mandate_id, mandate_result),
    from !== undefined && timed(sql.fragment`e.occurred_at >= ${from}`),
    to !== undefined && timed(sql.fragment`e.occurred_at < ${to}`),
    ...placed(position),
    // A reader that follows by result must not skip events without one yet.
    follows &&
      (verification !== undefined || mandate_id !== undefined || mandate_result !== undefined) &&
      sql.fragment`${position} <= (select seq from detection_cursors where org_id = ${org_id} and environment = ${environment})`,
  ]);
  const first = { limit, order, placed };
  const firstOf = (column: 'id' | 'price_key' | 'rail_status', values: readonly string[]) => ({
    order,
    positions: sql.fragment`
      select * from (${firstWith(column, tenant, values, from_events, where, first)}) m order by m.chain_seq ${order} limit ${limit}`,
  });
  // One of them leads, by its index, as far as the page goes; it looks among what all others leave.
  if (q === undefined) {
    if (ids) return firstOf('id', ids);
    if (mandate_id === undefined && amount !== undefined) return firstOf('price_key', amountKeys(amount));
    if (mandate_id === undefined && isByStatus) return firstOf('rail_status', rail_statuses);
  }
  const lead =
    q !== undefined
      ? await findMatches(db, tenant, q, from_events, where, first)
      : mandate_id !== undefined && inFirst(firstUnder(mandate_id, tenant, mandate_result, from_events, where, first));
  const positions = sql.fragment`
    select ${positioned} from ${from_events} where ${sql.and([where, lead])} order by ${position} ${order} limit ${limit}`;
  return { positions, order };
}

/** Every rail with every status that the filters leave, of which the statuses of a type are few; null where they leave all. */
function railStatusesOf({ type, rail, status }: EventFilters): string[] | null {
  if (type === undefined && rail === undefined && status === undefined) return null;
  const statuses = (type ? statusesOfType[type] : paymentStatuses).filter(
    each => status === undefined || each === status,
  );
  return (rail ? [rail] : rails).flatMap(each => statuses.map(one => `${each} ${one}`));
}

const inFirst = (positions: FragmentSqlToken) => sql.fragment`e.chain_seq in (${positions})`;
