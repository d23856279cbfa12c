import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { Id } from '#shared/interface/ids.ts';
import { type ListedEntry, pairKey } from './screening_entries.ts';
import { EntryType } from '#shared/screening/matcher/entry.ts';
import type { ListMatch } from '#shared/screening/matcher/screen.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

const share = z.number().min(0).max(1);

const Features = z
  .object({
    name_score: share
      .nullable()
      .meta({ description: 'of the names before the modifiers; null: an exact identifier matched' }),
    tokens: z.array(
      z.object({
        query: z.string(),
        entry: z.string(),
        reason: z.string().meta({ examples: ['equal', 'spelling', 'initial'] }),
        similarity: share,
        weight: share.meta({ description: 'how much of the whole name the word is' }),
      }),
    ),
    unmatched_query: z.array(z.string()),
    unmatched_entry: z.array(z.string()),
    modifiers: z.array(z.object({ name: z.string(), points: z.number(), detail: z.string() })).meta({
      description: 'what was added to or taken from the score, and why',
    }),
    key: z
      .object({ type: z.string(), value: z.string(), label: z.string().nullable() })
      .nullable()
      .meta({ description: 'the exact identifier that matched' }),
    entry_type: EntryType,
    birth_dates: z.array(z.string()),
    weak_alias: z.boolean().meta({ description: 'the publisher says that the name is broad or of low quality' }),
    list_version: z.int(),
  })
  .meta({ id: 'MatchFeatures', description: 'Why it scores as it does.' });

export const ScreeningMatch = z
  .object({
    id: Id('mtc'),
    list: z.string(),
    entry_id: z.string().meta({ description: "the publisher's own: OFAC's ent_num, the UN's reference number" }),
    name: z.string(),
    matched_name: z.string().meta({ description: 'which of its names matched' }),
    score: share.meta({ description: '1 for an exact identifier' }),
    match_type: z.enum(['address', 'identifier', 'name', 'alias']),
    features: Features,
    programs: z.array(z.string()),
    countries: z.array(z.string()).meta({ description: 'ISO 3166-1 alpha-2' }),
    decision: z.enum(['true_match', 'false_positive']).nullable().meta({
      description: 'null while undecided; decisions of earlier screenings of the payee are remembered',
    }),
  })
  .meta({ id: 'ScreeningMatch' });
export type ScreeningMatch = z.infer<typeof ScreeningMatch>;

/** A match with the position of its entry, the digest of the entry's names, and the decision on it. */
export type KeptMatch = ListedEntry &
  Omit<ListMatch, 'list' | 'features'> &
  Pick<ScreeningMatch, 'id' | 'features' | 'decision'> & { entry_names: string };

export const shownMatch = ({
  id,
  list,
  entry_id,
  name,
  matched_name,
  score,
  match_type,
  features,
  programs,
  countries,
  decision,
}: KeptMatch): ScreeningMatch => ({
  id,
  list,
  entry_id,
  name,
  matched_name,
  score,
  match_type,
  features,
  programs,
  countries,
  decision,
});

/** Whether an identifier matched, for which there is no degree of similarity. */
export const isExact = ({ match_type }: Pick<ListMatch, 'match_type'>): boolean =>
  match_type === 'address' || match_type === 'identifier';

const Stored = z.object({
  screening_id: z.string(),
  list_org: z.string(),
  list: z.string(),
  entry_id: z.string(),
  id: z.string(),
  score: z.number(),
  match_type: z.enum(['address', 'identifier', 'name', 'alias']),
  name: z.string(),
  matched_name: z.string(),
  entry_names: z.string(),
  decision: ScreeningMatch.shape.decision,
});
export type StoredMatch = z.infer<typeof Stored>;

/** The matches of these screenings, by screening and then by `pairKey`. */
export async function matchesOf(
  db: Db,
  { org_id, environment }: Tenant,
  screening_ids: readonly string[],
): Promise<Map<string, Map<string, StoredMatch>>> {
  const by_screening = new Map<string, Map<string, StoredMatch>>();
  if (screening_ids.length === 0) return by_screening;
  const rows = await db.any(sql.type(Stored)`
    select screening_id, list_org, list, entry_id, id, score::float8 as score, match_type, name, matched_name,
      entry_names, decision
    from screening_matches
    where org_id = ${org_id} and environment = ${environment} and screening_id = any(${sql.array([...screening_ids], 'text')})
    order by screening_id, position`);
  for (const row of rows) {
    const matches = by_screening.get(row.screening_id) ?? new Map<string, StoredMatch>();
    matches.set(pairKey(row), row);
    by_screening.set(row.screening_id, matches);
  }
  return by_screening;
}

/** Replaces the matches of screenings. */
export async function saveMatches(
  tx: Db,
  { org_id, environment }: Tenant,
  screenings: readonly { id: string; matches: readonly KeptMatch[] }[],
  rewritten: readonly string[],
): Promise<void> {
  if (rewritten.length > 0)
    await tx.query(sql.unsafe`
      delete from screening_matches
      where org_id = ${org_id} and environment = ${environment} and screening_id = any(${sql.array([...rewritten], 'text')})`);
  const inserted = matchesInsert({ org_id, environment }, screenings);
  if (inserted) await tx.query(sql.unsafe`${inserted}`);
}

/** The insert of new screenings' matches, as part of a statement; null when there are none. */
export function matchesInsert(
  { org_id, environment }: Tenant,
  screenings: readonly { id: string; matches: readonly KeptMatch[] }[],
): FragmentSqlToken | null {
  const rows = screenings.flatMap(({ id, matches }) =>
    matches.map((match, position) => ({ ...match, screening_id: id, position, match_id: match.id })),
  );
  if (rows.length === 0) return null;
  return sql.fragment`
    insert into screening_matches (org_id, environment, screening_id, list_org, list, entry_id, id, position, name, matched_name, score,
      match_type, features, programs, countries, entry_names, decision)
    select ${org_id}, ${environment}, r.screening_id, r.list_org, r.list, r.entry_id, r.match_id, r.position, r.name, r.matched_name,
      r.score, r.match_type, r.features, array(select jsonb_array_elements_text(r.programs)),
      array(select jsonb_array_elements_text(r.countries)), r.entry_names, r.decision
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (screening_id text, list_org text, list text, entry_id text,
      match_id text, position smallint, name text, matched_name text, score numeric, match_type text, features jsonb, programs jsonb,
      countries jsonb, entry_names text, decision text)`;
}

/** Stores decisions on matches; earlier decisions stay. */
export async function decideMatches(
  tx: Db,
  { org_id, environment }: Tenant,
  matches: readonly Pick<StoredMatch, 'id' | 'screening_id' | 'decision'>[],
): Promise<void> {
  await tx.query(sql.unsafe`
    update screening_matches m set decision = r.decision
    from ${tableOf('r', matches, { screening_id: 'text', id: 'text', decision: 'text' })}
    where m.org_id = ${org_id} and m.environment = ${environment} and m.screening_id = r.screening_id and m.id = r.id
      and m.decision is null`);
}
