import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { PayeeType } from '#shared/values/event_types.ts';
import { Id, IdList } from '#shared/interface/ids.ts';
import { direction, ordered } from '#shared/interface/changes.ts';
import type { Page, PageRequest } from '#shared/interface/page.ts';
import { byArrival, byName, keyedPage, sortKey } from './party_order.ts';
import { foldedHolds } from './text_match.ts';
import { type Tenant, Timestamp, SearchText } from '#shared/interface/schemas.ts';
import { countries, isCountry } from '#shared/values/countries.ts';
import { oneOfCodes } from '#shared/json/json_schema.ts';
import { PayeeKeyInput } from '#shared/values/parsed_text.ts';

export const ScreeningState = z
  .enum(['pending', 'clear', 'potential_match', 'confirmed_match', 'false_positive', 'error'])
  .meta({ id: 'ScreeningState' });

export const Payee = z
  .object({
    id: Id('pye'),
    key: z.string().meta({ description: 'its stable identity', examples: ['domain:api.example.com'] }),
    type: PayeeType.nullable(),
    name: z.string().nullable(),
    country: z.string().nullable().meta({ description: 'ISO 3166-1 alpha-2' }),
    aliases: z.array(z.string()).meta({ description: 'former names, the oldest first, at most 20' }),
    screening_state: ScreeningState,
    screening_id: Id('scr').nullable().meta({ description: 'its latest screening' }),
    first_seen_at: Timestamp,
    last_seen_at: Timestamp.meta({ description: 'when the latest analyzed event that names it was received' }),
    agent_count: z.int().meta({ description: 'agents that have paid it' }),
    event_count: z.int().meta({ description: 'events that were analyzed' }),
  })
  .meta({ id: 'Payee' });
export type Payee = z.infer<typeof Payee>;

const columns = sql.fragment`p.id, p.key, p.type, p.name, p.country, p.aliases, s.state as screening_state, s.screening_id, p.first_seen_at,
  greatest(t.last_seen_at, p.first_seen_at) as last_seen_at,
  coalesce(t.agent_count, 0) as agent_count, coalesce(t.event_count, 0) as event_count`;
const withTotals = sql.fragment`payees p
  join payee_screenings s on s.org_id = p.org_id and s.environment = p.environment and s.payee_id = p.id
  left join lateral (
  select t.event_count, t.agent_count, t.last_seen_at from payee_totals t
  where t.org_id = p.org_id and t.environment = p.environment and t.payee_id = p.id limit 1) t on true`;

export const PayeeFilters = z.strictObject({
  q: SearchText.optional().meta({
    description: 'part of the key or of a name, a former one too, whatever its case and accents',
  }),
  ids: IdList('pye').optional().meta({ description: 'these payees alone: up to 200 ids, separated by commas' }),
  key: PayeeKeyInput.optional().meta({ description: 'the one payee with this key, spelled as in an event' }),
  screening_state: ScreeningState.optional(),
  type: PayeeType.optional(),
  country: z
    .string()
    .toUpperCase()
    .refine(isCountry, 'must be an ISO 3166-1 alpha-2 code such as DE')
    .optional()
    .meta({ description: 'ISO 3166-1 alpha-2, in any case', override: oneOfCodes(countries) }),
  sort: z
    .enum(['first_seen_at', 'name'])
    .optional()
    .meta({ description: 'the newest first, as without it; or by name' }),
  direction,
});
export type PayeeFilters = z.infer<typeof PayeeFilters>;

const PayeeRow = Payee.extend(sortKey);

/** Payees of a tenant, newest first or by name, filtered; those of one state in the order of that index. */
export async function listPayees(
  db: Db,
  { org_id, environment }: Tenant,
  filters: PayeeFilters,
  page: PageRequest,
): Promise<Page<Payee>> {
  const { q, ids, key, screening_state, type, country } = filters;
  const [first_seen_at, payee_id] =
    filters.sort === 'name' || screening_state === undefined
      ? [sql.fragment`p.first_seen_at`, sql.fragment`p.id`]
      : [sql.fragment`s.first_seen_at`, sql.fragment`s.payee_id`];
  const chosen = filters.sort === 'name' ? byName(sql.fragment`coalesce(p.name, p.key)`) : byArrival(first_seen_at);
  const order = ordered(chosen, payee_id, page, filters.direction);
  const rows = await db.any(sql.type(PayeeRow)`
    select ${columns}, (${chosen.by})::text as sort_key from ${withTotals}
    where ${sql.and([
      sql.fragment`p.org_id = ${org_id} and p.environment = ${environment}`,
      q !== undefined && foldedHolds(q),
      ids !== undefined && sql.fragment`p.id = any(${sql.array(ids, 'text')})`,
      key !== undefined && sql.fragment`p.key = ${key}`,
      screening_state !== undefined && sql.fragment`s.state = ${screening_state}`,
      type !== undefined && sql.fragment`p.type = ${type}`,
      country !== undefined && sql.fragment`p.country = ${country}`,
      order.after,
    ])}
    order by ${order.by} limit ${page.limit + 1}`);
  return keyedPage(rows, page, order.keyOf);
}

/** One payee. Null when the tenant has no such payee. */
export const findPayee = (db: Db, { org_id, environment }: Tenant, id: string) =>
  db.maybeOne(sql.type(Payee)`
    select ${columns} from ${withTotals}
    where p.org_id = ${org_id} and p.environment = ${environment} and p.id = ${id}`);
