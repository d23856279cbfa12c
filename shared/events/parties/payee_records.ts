import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { PayeeType } from '#shared/values/event_types.ts';
import { Id, IdList } from '#shared/interface/ids.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { arrivalOf, olderThan } from './first_seen.ts';
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

const payeesWithTotals = ({ org_id, environment }: Tenant) => sql.fragment`
  select p.id, p.key, p.type, p.name, p.country, p.aliases, p.screening_state, p.screening_id, p.first_seen_at,
    greatest(t.last_seen_at, p.first_seen_at) as last_seen_at,
    coalesce(t.agent_count, 0) as agent_count, coalesce(t.event_count, 0) as event_count
  from payees p left join lateral (
    select t.event_count, t.agent_count, t.last_seen_at from payee_totals t
    where t.org_id = p.org_id and t.environment = p.environment and t.payee_id = p.id limit 1) t on true
  where p.org_id = ${org_id} and p.environment = ${environment}`;

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
});
export type PayeeFilters = z.infer<typeof PayeeFilters>;

/** Payees of a tenant, newest first, filtered. */
export async function listPayees(
  db: Db,
  tenant: Tenant,
  { q, ids, key, screening_state, type, country }: PayeeFilters,
  page: PageRequest,
): Promise<Page<Payee>> {
  const rows = await db.any(sql.type(Payee)`
    ${payeesWithTotals(tenant)} and ${sql.and([
      true,
      q !== undefined && foldedHolds(q),
      ids !== undefined && sql.fragment`p.id = any(${sql.array(ids, 'text')})`,
      key !== undefined && sql.fragment`p.key = ${key}`,
      screening_state !== undefined && sql.fragment`p.screening_state = ${screening_state}`,
      type !== undefined && sql.fragment`p.type = ${type}`,
      country !== undefined && sql.fragment`p.country = ${country}`,
      olderThan(page),
    ])}
    order by p.first_seen_at desc, p.id desc limit ${page.limit + 1}`);
  return pageOf(rows, page, arrivalOf);
}

/** One payee. Null when the tenant has no such payee. */
export const findPayee = (db: Db, tenant: Tenant, id: string) =>
  db.maybeOne(sql.type(Payee)`${payeesWithTotals(tenant)} and p.id = ${id}`);
