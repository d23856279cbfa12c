import type { FragmentSqlToken, IdentifierSqlToken } from 'slonik';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { isOf } from '#shared/platform/spread.ts';
import { Id, IdList } from '#shared/interface/ids.ts';
import { along, type Direction, direction, lastOf, ordered } from '#shared/interface/changes.ts';
import type { Page, PageRequest } from '#shared/interface/page.ts';
import { byArrival, byKey, byName, keyedPage, sortKey } from './party_order.ts';
import { foldedHolds } from './text_match.ts';
import { type Tenant, Timestamp, SearchText } from '#shared/interface/schemas.ts';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';

const AgentState = z.enum(['active', 'dormant']);

export const AgentLabel = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_.-]{0,63}$/,
    'must be 1 to 64 lower-case letters, digits, dots, dashes and underscores, beginning with a letter or digit',
  )
  .meta({ id: 'AgentLabel', examples: ['procurement'] });

export const Agent = z
  .object({
    id: Id('agt'),
    external_id: z.string().nullable(),
    name: z.string().nullable(),
    owner_id: Id('own').meta({ description: 'the owner it had when it was first seen' }),
    framework: z.string().nullable(),
    model: z.string().nullable(),
    labels: z.array(AgentLabel),
    state: AgentState.meta({ description: 'dormant: no event was received for 30 days' }),
    first_seen_at: Timestamp,
    last_seen_at: Timestamp.meta({ description: 'when the latest analyzed event of it was received' }),
    event_count: z.int().meta({ description: 'events that were analyzed' }),
    spend_usd_minor_30d: z
      .string()
      .meta({ description: 'US cents spent in the last 30 days (UTC), today included, as far as it could be priced' }),
    open_alerts: z.int().meta({ description: 'alerts that are open, acknowledged or escalated' }),
  })
  .meta({ id: 'Agent' });
export type Agent = z.infer<typeof Agent>;

const DORMANT_AFTER = 30 * DAY;

/** Who was last seen before this time is dormant in the hour of `now`, so that an answer stays the same for as long as its ETag does. */
const dormantSince = (now: number) => timestamp(Math.floor(now / HOUR) * HOUR - DORMANT_AFTER);

const SUMMED_DAYS = 30;

/** The first and the last of the last 30 days (UTC) as dates. */
export function summedDays(now: number): { first: string; last: string } {
  const dateOf = (time: number) => timestamp(time).slice(0, 'YYYY-MM-DD'.length);
  return { first: dateOf(now - (SUMMED_DAYS - 1) * DAY), last: dateOf(now) };
}

/** Micro-USD, never negative, as text of whole cents, rounded half up. Exact: no quotient with a fraction is made. */
export const centsOf = (usd_micro: FragmentSqlToken | IdentifierSqlToken) =>
  sql.fragment`div(coalesce(${usd_micro}, 0) + 5000, 10000)::text`;

// Laterals of one row keep the planner to the primary keys, whatever it believes of the tables.
const totals = sql.fragment`left join lateral (
  select t.event_count, t.last_seen_at, t.spend_usd_micro from agent_totals t
  where t.org_id = a.org_id and t.environment = a.environment and t.agent_id = a.id limit 1) t on true`;

function columns(org_id: string, now: number) {
  const { first, last } = summedDays(now);
  return sql.fragment`a.id, a.external_id, a.name, a.owner_id, a.framework, a.model, a.labels,
    case when a.last_seen_at < ${dormantSince(now)} then 'dormant' else 'active' end as state,
    a.first_seen_at, a.last_seen_at, a.event_count,
    (select ${centsOf(sql.fragment`sum(h.spend_usd_micro)`)} from hours_of_agents h
      where ${isOf('h', org_id)} and h.agent = a.number and h.hour >= ${first}::date and h.hour < ${last}::date + 1) as spend_usd_minor_30d,
    (select count(*) from alerts l
      where l.org_id = a.org_id and l.environment = a.environment and l.agent_id = a.id
        and l.state in ('open', 'acknowledged', 'escalated')) as open_alerts`;
}

const last_seen = sql.fragment`greatest(t.last_seen_at, a.first_seen_at)`;
const withTotals = sql.fragment`a.*, coalesce(t.event_count, 0) as event_count, ${last_seen} as last_seen_at`;

/** The filters of the list. */
export const AgentFilters = z.strictObject({
  q: SearchText.optional().meta({
    description: 'part of the name, whatever its case and accents; or the exact id or external id',
  }),
  ids: IdList('agt').optional().meta({ description: 'these agents alone: up to 200 ids, separated by commas' }),
  owner_id: Id('own').optional(),
  external_id: z.string().min(1).max(255).optional().meta({ description: 'the one agent that is called this' }),
  label: AgentLabel.optional(),
  state: AgentState.optional(),
  sort: z.enum(['first_seen_at', 'name', 'spend']).optional().meta({
    description:
      'the newest first, as without it; by name; or those that spent something in the last 30 days, who spent the most first. One that pays meanwhile moves.',
  }),
  direction,
});
export type AgentFilters = z.infer<typeof AgentFilters>;

const AgentRow = Agent.extend(sortKey);

/** Agents with their totals, those alone that spent something: along the totals, or along the agents where few are looked for. */
const alongTotals = sql.fragment`agent_totals t cross join lateral (
  select a.* from agents a where a.org_id = t.org_id and a.environment = t.environment and a.id = t.agent_id limit 1) a`;
const alongAgents = sql.fragment`agents a cross join lateral (
  select t.* from agent_totals t where t.org_id = a.org_id and t.environment = a.environment and t.agent_id = a.id limit 1) t`;

/** Which agents are listed, in which order: newest first, or as is asked for. */
function orderOf({ sort, direction, q, ids, external_id }: AgentFilters, page: PageRequest) {
  if (sort === 'spend') return bySpend((q ?? ids ?? external_id) ? alongAgents : alongTotals, page, direction);
  const order =
    sort === 'name'
      ? byName(sql.fragment`coalesce(a.name, a.external_id, a.id)`)
      : byArrival(sql.fragment`a.first_seen_at`);
  const { toward } = along(direction ?? order.direction);
  return {
    from: sql.fragment`agents a ${totals}`,
    value: order.by,
    toward,
    ...ordered(order, sql.fragment`a.id`, page, direction),
  };
}

/** By what moves with every payment: the index has its ranks in order, and those of one rank are few enough to sort. */
function bySpend(from: FragmentSqlToken, page: PageRequest, direction: Direction = 'desc') {
  const order = byKey({ by: sql.fragment`t.spend_usd_micro`, type: 'numeric', direction: 'desc' });
  const { after, by, ...rest } = ordered(order, sql.fragment`t.agent_id`, page, direction);
  const { toward } = along(direction);
  const { key } = lastOf(page);
  const reached = direction === 'asc' ? sql.fragment`>=` : sql.fragment`<=`;
  return {
    from,
    value: order.by,
    toward,
    ...rest,
    after: sql.and([
      sql.fragment`t.org_id = a.org_id and t.environment = a.environment and t.spend_rank > 0`,
      key !== undefined && sql.fragment`t.spend_rank ${reached} spend_rank(${key}::text::numeric)`,
      after,
    ]),
    by: sql.fragment`t.spend_rank ${toward}, ${by}`,
  };
}

/** Agents of a tenant, newest first or in the order that is asked for, filtered. Costs what the page costs, however much its agents did. */
export async function listAgents(
  db: Db,
  { org_id, environment }: Tenant,
  filters: AgentFilters,
  page: PageRequest,
  now: number,
): Promise<Page<Agent>> {
  const dormant_since = dormantSince(now);
  const { q, ids, owner_id, external_id, label, state } = filters;
  const order = orderOf(filters, page);
  const rows = await db.any(sql.type(AgentRow)`
    select ${columns(org_id, now)}, a.sort_value::text as sort_key from (
      select ${withTotals}, ${order.value} as sort_value from ${order.from}
      where ${sql.and([
        sql.fragment`a.org_id = ${org_id} and a.environment = ${environment}`,
        q !== undefined && sql.fragment`(${foldedHolds(q)} or a.id = ${agentIdOf(q)} or a.external_id = ${q})`,
        ids !== undefined && sql.fragment`a.id = any(${sql.array(ids, 'text')})`,
        owner_id !== undefined && sql.fragment`a.owner_id = ${owner_id}`,
        external_id !== undefined && sql.fragment`a.external_id = ${external_id}`,
        label !== undefined && sql.fragment`cardinality(a.labels) > 0 and a.labels @> ${sql.array([label], 'text')}`,
        state === 'active' && sql.fragment`${last_seen} >= ${dormant_since}`,
        // That it was first seen so long ago follows, and is in the index.
        state === 'dormant' && sql.fragment`a.first_seen_at < ${dormant_since} and ${last_seen} < ${dormant_since}`,
        order.after,
      ])}
      order by ${order.by} limit ${page.limit + 1}) a
    order by a.sort_value ${order.toward}, a.id ${order.toward}`);
  return keyedPage(rows, page, order.keyOf);
}

const agentIdOf = (q: string) => Id('agt').safeParse(q).data ?? null;

/** One agent. Null when the tenant has no such agent. */
export const findAgent = (db: Db, { org_id, environment }: Tenant, id: string, now: number) =>
  db.maybeOne(sql.type(Agent)`
    select ${columns(org_id, now)} from (
      select ${withTotals} from agents a ${totals}
      where a.org_id = ${org_id} and a.environment = ${environment} and a.id = ${id}) a`);
