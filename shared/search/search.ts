import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { parseQuery } from './query.ts';
import { Found, FoundRow, MOST, SearchKind, searchKinds } from './found.ts';
import { kindSearches, type SearchAccess } from './kinds.ts';

export const SearchAnswer = z
  .object({
    groups: z
      .array(
        z.object({
          kind: SearchKind,
          results: z.array(Found).meta({ description: `newest first, at most ${MOST}` }),
        }),
      )
      .meta({ description: 'a group for each kind of which something was found' }),
  })
  .meta({ id: 'SearchAnswer' });
export type SearchAnswer = z.infer<typeof SearchAnswer>;

/**
 * The tenant's records that match a text: ids, amounts, names, cards, orders, positions in the log. One bounded indexed query for each kind
 * that `may` allows, all in one statement.
 */
export async function search(
  db: Db,
  tenant: Tenant,
  text: string,
  may: (access: SearchAccess) => boolean,
): Promise<SearchAnswer> {
  const query = parseQuery(text);
  const parts = searchKinds
    .filter(kind => may(kindSearches[kind]))
    .flatMap(kind => kindSearches[kind].find(query, tenant, may) ?? [])
    .map(part => sql.fragment`select * from (${part}) p`);
  if (parts.length === 0) return { groups: [] };
  const rows = await db.any(sql.type(FoundRow)`${sql.join(parts, sql.fragment` union all `)}`);
  const groups = searchKinds.map(kind => ({
    kind,
    results: rows
      .filter(row => row.kind === kind)
      .map(({ id, title, detail, state, amount, chain_seq, at }) => ({
        id,
        title,
        detail,
        state,
        amount,
        chain_seq,
        at,
      }))
      .toSorted((a, b) => (b.chain_seq ?? 0) - (a.chain_seq ?? 0) || ((a.at ?? '') < (b.at ?? '') ? 1 : -1))
      .slice(0, MOST),
  }));
  return { groups: groups.filter(({ results }) => results.length > 0) };
}
