import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { invalidDetail } from '#shared/interface/errors.ts';
import { Id, IdList } from '#shared/interface/ids.ts';
import { direction, type Order, ordered } from '#shared/interface/changes.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { ScreeningState } from '#shared/events/parties/payee_records.ts';
import { ScreeningMatch } from './screening_matches.ts';
import { UsedList } from './screening_lists.ts';
import { Subject } from './screening_query.ts';
import { type Tenant, Timestamp, TimeFilter } from '#shared/interface/schemas.ts';

export const Decision = z
  .enum(['true_match', 'false_positive'])
  .meta({ id: 'ScreeningDecision', description: 'What a person makes of the matches of a screening.' });
export type Decision = z.infer<typeof Decision>;

export const Screening = z
  .object({
    id: Id('scr'),
    state: ScreeningState,
    payee_id: Id('pye').nullable().meta({ description: 'null: not linked to a payee' }),
    query: Subject,
    score: z.number().min(0).max(1).meta({ description: 'of the best match, 0 without one' }),
    threshold: z.number().min(0).max(1).meta({ description: 'from which score on a match counts' }),
    matches: z.array(ScreeningMatch).meta({ description: 'one for each entry of a list, the best first' }),
    allowed_by: z
      .object({ list: z.string(), entry_id: z.string(), name: z.string() })
      .nullable()
      .meta({ description: 'the entry of an allow list it was found to be: then only exact identifiers match' }),
    lists: z.array(UsedList).meta({ description: 'what it was made with' }),
    error: z.string().nullable(),
    created_at: Timestamp,
    created_by: z.string().nullable().meta({ description: '`usr_…`, `key_…`, or null: the system' }),
    updated_at: Timestamp.meta({ description: 'when a later look at the payee last changed it' }),
    reviewed_at: Timestamp.nullable(),
    reviewed_by: z.string().nullable(),
    decision: Decision.nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'Screening' });
export type Screening = z.infer<typeof Screening>;

export const ScreeningFilters = z.strictObject({
  ids: IdList('scr').optional().meta({ description: 'these screenings alone: up to 200 ids, separated by commas' }),
  state: ScreeningState.optional(),
  payee_id: Id('pye').optional(),
  from: TimeFilter.optional().meta({ description: 'created at this time or later' }),
  to: TimeFilter.optional().meta({ description: 'created before this time' }),
  sort: z.enum(['created_at', 'score']).optional().meta({
    description: 'the newest first, as without it; or, with `state=potential_match`, the best match first',
  }),
  direction,
});
export type ScreeningFilters = z.infer<typeof ScreeningFilters>;

/** The columns of a screening, of a table or alias `s`. */
export const screeningColumns = sql.fragment`s.id, s.state, s.payee_id, s.query, s.score::float8 as score, s.threshold::float8 as threshold,
  s.allowed_by, s.lists, s.error, s.created_at, s.created_by, s.updated_at, s.reviewed_at, s.reviewed_by, s.decision, s.reason,
  (select coalesce(json_agg(json_build_object('id', m.id, 'list', m.list, 'entry_id', m.entry_id, 'name', m.name,
      'matched_name', m.matched_name, 'score', m.score::float8, 'match_type', m.match_type, 'features', m.features,
      'programs', m.programs, 'countries', m.countries, 'decision', m.decision) order by m.position), '[]')
    from screening_matches m
    where m.org_id = s.org_id and m.environment = s.environment and m.screening_id = s.id) as matches`;

/** Screenings of a tenant, newest first, filtered; those that changed at `changed_from` or later, the oldest change first. */
export async function listScreenings(
  db: Db,
  { org_id, environment }: Tenant,
  { ids, state, payee_id, from, to, sort, direction, changed_from }: ScreeningFilters & { changed_from?: string },
  page: PageRequest,
): Promise<Page<Screening>> {
  if (sort === 'score' && state !== 'potential_match')
    throw invalidDetail(
      'query.sort',
      'needs_state',
      'Only screenings to review are listed by score: give state=potential_match.',
    );
  const chosen = changed_from === undefined ? sort === 'score' && byScore : byTime;
  const order = ordered(chosen || null, sql.fragment`s.id`, page, direction);
  const rows = await db.any(sql.type(Screening)`
    select ${screeningColumns} from screenings s
    where ${sql.and([
      sql.fragment`s.org_id = ${org_id} and s.environment = ${environment}`,
      ids !== undefined && sql.fragment`s.id = any(${sql.array(ids, 'text')})`,
      state !== undefined && sql.fragment`s.state = ${state}`,
      payee_id !== undefined && sql.fragment`s.payee_id = ${payee_id}`,
      from !== undefined && sql.fragment`s.created_at >= ${from}`,
      to !== undefined && sql.fragment`s.created_at < ${to}`,
      changed_from !== undefined && sql.fragment`s.updated_at >= ${changed_from}`,
      order.after,
    ])}
    order by ${order.by} limit ${page.limit + 1}`);
  return pageOf(rows, page, order.keyOf);
}

const byTime: Order<Screening> = {
  by: sql.fragment`s.updated_at`,
  type: 'timestamptz',
  direction: 'asc',
  keyOf: ({ updated_at }) => updated_at,
};
const byScore: Order<Screening> = {
  by: sql.fragment`s.score`,
  type: 'numeric',
  direction: 'desc',
  keyOf: ({ score }) => String(score),
};

/** One screening. Null when the tenant has no such screening. */
export const findScreening = (db: Db, { org_id, environment }: Tenant, id: string) =>
  db.maybeOne(sql.type(Screening)`
    select ${screeningColumns} from screenings s
    where s.org_id = ${org_id} and s.environment = ${environment} and s.id = ${id}`);
