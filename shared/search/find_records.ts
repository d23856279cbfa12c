import type { FragmentSqlToken } from 'slonik';
import { sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { SearchQuery } from './query.ts';
import { MOST, noEvent, type SearchKind } from './found.ts';

/** How a kind of record is found: by its id, or by part of `text` among the newest. */
export type RecordSearch = {
  kind: SearchKind;
  prefix: string;
  from: FragmentSqlToken;
  title: FragmentSqlToken;
  detail: FragmentSqlToken;
  state: FragmentSqlToken;
  at: FragmentSqlToken;
  /** What is looked in; null: it is found by its id alone. */
  text: FragmentSqlToken | null;
  /** The id, where the table calls it something else. */
  id?: FragmentSqlToken;
  /** What makes a row the tenant's, where it has not the usual columns. */
  ours?: (tenant: Tenant) => FragmentSqlToken;
};

/** How many of the newest records are looked through for a text: no table is read to its end. */
const RECENT = 500;

/** Records by their id, or the newest whose text holds what was asked. Null where neither can be. */
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
  if (text === null || query.pattern === null) return null;
  return sql.fragment`
    ${answered} from (${row}, ${text} as words from ${from} where ${ours} order by ${key} desc limit ${RECENT}) r
    where lower(r.words) like ${query.pattern.lower} order by r.id desc limit ${MOST}`;
}
