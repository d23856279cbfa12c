import type { FragmentSqlToken, ValueExpression } from 'slonik';
import { sql } from './db.ts';

type Adding = {
  table: string;
  /** What tells rows apart, as the table's primary key does. */
  key: readonly string[];
  /** What becomes of what a row has already. */
  values: Readonly<Record<string, 'sum' | 'greatest'>>;
  /** The rows to add, no two of one key: a query that returns the key and then the values. */
  rows: FragmentSqlToken;
};

/**
 * Members of a `with` that add rows to those which the table has; `<table>_new` then returns the keys of those it did not have. For a caller
 * that is alone with these rows, as whoever holds a log's cursor is: an upsert confirms each new row and locks each old one in a record
 * of its own (200 of 3,250 bytes of WAL an event).
 */
export function addRows({ table, key, values, rows }: Adding): FragmentSqlToken {
  const added = Object.entries(values);
  const name = (prefix: string, column: string) => sql.identifier([prefix, column]);
  const part = (suffix: string) => sql.identifier([`${table}_${suffix}`]);
  const columns = list([...key, ...Object.keys(values)].map(column => sql.identifier([column])));
  const matches = (left: string, right: string) =>
    sql.join(
      key.map(column => sql.fragment`${name(left, column)} = ${name(right, column)}`),
      sql.fragment` and `,
    );
  const changes = added.map(([column, how]) => {
    const [old, more] = [name('t', column), name('g', column)];
    return sql.fragment`${sql.identifier([column])} = ${how === 'sum' ? sql.fragment`${old} + ${more}` : sql.fragment`greatest(${old}, ${more})`}`;
  });
  return sql.fragment`
    ${part('given')} (${columns}) as materialized (${rows}), ${part('old')} as (
      update ${sql.identifier([table])} t set ${list(changes)} from ${part('given')} g where ${matches('t', 'g')}
      returning ${list(key.map(column => name('t', column)))}
    ), ${part('new')} as (
      insert into ${sql.identifier([table])} (${columns}) select ${columns} from ${part('given')} g
      where not exists (select from ${part('old')} o where ${matches('o', 'g')})
      returning ${list(key.map(column => sql.identifier([column])))}
    )`;
}

const list = (parts: readonly ValueExpression[]) => sql.join(parts, sql.fragment`, `);
