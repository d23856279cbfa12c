import type { FragmentSqlToken } from 'slonik';
import { lowered, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { SearchQuery } from './query.ts';
import { MOST, noEvent, type SearchKind } from './found.ts';

/** How a kind of record is searched: by id, or among the newest by part of `text`. */
export type RecordSearch = {
  kind: SearchKind;
  prefix: string;
  from: FragmentSqlToken;
  title: FragmentSqlToken;
  detail: FragmentSqlToken;
  state: FragmentSqlToken;
  at: FragmentSqlToken;
  /** The text to search in; null when the record is found only by id. */
  text: FragmentSqlToken | null;
  /** What else finds it, by an index; null: nothing that the query says. */
  also?: (query: SearchQuery) => FragmentSqlToken | null;
  /** The id column, if it has another name. */
  id?: FragmentSqlToken;
  /** The condition for the tenant's rows, if the table lacks the usual columns. */
  ours?: (tenant: Tenant) => FragmentSqlToken;
};

/** How many of the newest records are searched for a text, so that no table is read to its end. */
const RECENT = 500;

/** Records by id, or the newest that contain the text. Null when the query can match neither way. */
export function findRecords(query: SearchQuery, tenant: Tenant, search: RecordSearch): FragmentSqlToken | null {
  const { kind, prefix, from, title, detail, state, at, text } = search;
  const key = search.id ?? sql.fragment`id`;
  const ours = search.ours?.(tenant) ?? sql.fragment`org_id = ${tenant.org_id} and environment = ${tenant.environment}`;
  const row = sql.fragment`select ${key} as id, ${title} as title, ${detail} as detail, ${state} as state, ${at} as at`;
  const answered = sql.fragment`select ${kind} as kind, r.id, r.title, r.detail, r.state, ${noEvent}, r.at`;
  if (query.id !== null)
    return query.id.prefix === prefix
      ? sql.fragment`${answered} from (${row} from ${from} where ${ours} and ${key} = ${query.id.value}) r`
      : null;
  const also = search.also?.(query);
  const parts = [
    text !== null &&
      query.pattern !== null &&
      sql.fragment`(${answered} from (${row}, ${text} as words from ${from} where ${ours} order by ${key} desc limit ${RECENT}) r
        where ${lowered(sql.fragment`r.words`)} like ${query.pattern.lower} order by r.id desc limit ${MOST})`,
    also &&
      sql.fragment`(${answered} from (${row} from ${from} where ${ours} and ${also} order by ${key} desc limit ${MOST}) r)`,
  ].filter(part => part !== false && part !== null && part !== undefined);
  return parts.length === 0 ? null : sql.fragment`${sql.join(parts, sql.fragment` union `)}`;
}
