import type { FragmentSqlToken, ListSqlToken } from 'slonik';
import { z } from 'zod';
import { type Db, patternOf, sql } from '#shared/platform/db.ts';
import { holding, holdingPrice, holdingRailStatus } from './holding.ts';
import { MandateResult } from './event_verdicts.ts';
import { fold } from '#shared/values/fold.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** With at most this many agents and payees, the first events of each in the order of the list are read by index. Beyond that, matches are dense enough to scan. */
const FEW = 200;

/**
 * What `q` matches, as a condition on events `e` of `from` that meet `where`: an exact event, payment or agent id, or a case- and accent-insensitive
 * substring of payee name, payee key or agent name. The text is searched in the small tables, so that the log needs no text index.
 */
export async function findMatches(
  db: Db,
  tenant: Tenant,
  q: string,
  from: FragmentSqlToken,
  where: ListSqlToken | FragmentSqlToken,
  page: FirstRows,
): Promise<FragmentSqlToken> {
  const { org_id, environment } = tenant;
  // A text of only accents and invisible characters folds to nothing, which would match every name.
  const folded = fold(q);
  const partiesIn = (table: 'agents' | 'payees') => sql.fragment`
    select id from ${sql.identifier([table])}
    where org_id = ${org_id} and environment = ${environment} and folded like ${patternOf(folded)} and ${folded} <> ''`;
  const [agents, payees] = await Promise.all(
    (['agents', 'payees'] as const).map(table =>
      db.anyFirst(sql.type(z.object({ id: z.string() }))`${partiesIn(table)} limit ${FEW + 1}`),
    ),
  );
  if (agents === undefined || payees === undefined) throw new Error('unreachable');
  // Ids are upper case; people paste them in any case.
  const canonical = q.length === 30 ? q.slice(0, 4).toLowerCase() + q.slice(4).toUpperCase() : q;
  const firstOf = (column: Indexed, values: readonly string[]) => sql.fragment`
    select m.chain_seq from (${firstWith(column, tenant, values, from, where, page)}) m`;
  const parts = [
    firstOf('id', [canonical]),
    firstOf('payment_id', [q]),
    agents.length <= FEW && firstOf('agent_id', [...agents, canonical]),
    payees.length <= FEW && firstOf('payee_id', payees),
  ].filter(part => part !== false);
  const alternatives = [
    sql.fragment`e.chain_seq in (${sql.join(parts, sql.fragment` union all `)})`,
    agents.length > FEW && sql.fragment`e.agent_id in (${partiesIn('agents')})`,
    payees.length > FEW && sql.fragment`e.payee_id in (${partiesIn('payees')})`,
  ].filter(part => part !== false);
  return sql.fragment`(${sql.join(alternatives, sql.fragment` or `)})`;
}

/** The size of a page, its order in the log, and the conditions on where in the log it is, of a position. */
export type FirstRows = {
  limit: number;
  order: FragmentSqlToken;
  placed: (position: FragmentSqlToken) => (FragmentSqlToken | false)[];
};

/** Columns with an index in the order of the log. */
type Indexed = 'agent_id' | 'payee_id' | 'payment_id' | 'id' | 'rail_status' | 'price_key';

const value = sql.fragment`given.value`;

/** What a list has of an event before it reads those of its page. */
export const positioned = sql.fragment`e.chain_seq, e.amount_usd_micro, e.occurred_at`;

/** A query of the first events with each of these values, each found by index, as `positionsOf` has them but for the order. */
export const firstWith = (
  column: Indexed,
  tenant: Tenant,
  values: readonly string[],
  from: FragmentSqlToken,
  where: ListSqlToken | FragmentSqlToken,
  { limit, order }: FirstRows,
): FragmentSqlToken => sql.fragment`
  select m.* from unnest(${sql.array([...new Set(values)], 'text')}) given (value) cross join lateral (
    select ${positioned} from ${from} where ${where} and ${has(column, tenant)}
    order by e.chain_seq ${order} limit ${limit}) m`;

const has = (column: Indexed, tenant: Tenant): FragmentSqlToken => {
  if (column === 'id') return sql.fragment`e.id = ${value}`;
  if (column === 'rail_status') return holdingRailStatus(tenant, value);
  return column === 'price_key' ? holdingPrice(tenant, value) : holding(column, tenant, value);
};

/** The same for the events that were evaluated against a mandate, with this result where they last were; with any, where it is left out. */
export const firstUnder = (
  mandate_id: string,
  tenant: Tenant,
  result: MandateResult | undefined,
  from: FragmentSqlToken,
  where: ListSqlToken | FragmentSqlToken,
  { limit, order, placed }: FirstRows,
): FragmentSqlToken => sql.fragment`
  select m.chain_seq from unnest(${sql.array(result ? [result] : MandateResult.options, 'text')}) given (value)
  cross join lateral (
    select j.chain_seq from mandate_evaluations j
    join ${from} on e.org_id = j.org_id and e.environment = j.environment and e.chain_seq = j.chain_seq
    where ${sql.and([where, ofMandate(tenant, mandate_id), ...placed(sql.fragment`j.chain_seq`)])} and j.result = ${value} and ${isLatest}
    order by j.chain_seq ${order} limit ${limit}) m`;

/** The condition that an event `e` is one of these. */
export const evaluatedAgainst = (
  tenant: Tenant,
  mandate_id: string,
  result: MandateResult | undefined,
): FragmentSqlToken => sql.fragment`exists (
  select 1 from mandate_evaluations j
  where ${ofMandate(tenant, mandate_id)} and j.chain_seq = e.chain_seq and ${isLatest}
    and j.result = any(${sql.array(result ? [result] : MandateResult.options, 'text')}))`;

const ofMandate = ({ org_id, environment }: Tenant, mandate_id: string) =>
  sql.fragment`j.org_id = ${org_id} and j.environment = ${environment} and j.mandate_id = ${mandate_id}`;

const isLatest = sql.fragment`not exists (
  select 1 from mandate_evaluations k
  where k.org_id = j.org_id and k.environment = j.environment and k.chain_seq = j.chain_seq and k.mandate_id = j.mandate_id
    and k.number > j.number)`;
