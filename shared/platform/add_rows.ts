import type { FragmentSqlToken, ValueExpression } from 'slonik';
import { sql } from './db.ts';
import { isSpread } from './spread.ts';

type Adding = {
  /** Whose the rows are. */
  org_id: string;
  table: string;
  /** The columns that identify a row, as the table's primary key does. */
  key: readonly string[];
  /** How a value is combined with the stored one. */
  values: Readonly<Record<string, 'sum' | 'greatest'>>;
  /** The rows to add, no two of one key: a query that returns the key and then the values. */
  rows: FragmentSqlToken;
};

/**
 * Members of a `with` that add rows to a table's; `<table>_new` then returns the keys of those it did not have. For a caller that has these
 * rows to itself, such as the holder of a log's cursor: an upsert would write a WAL record to confirm each new row and lock each old one
 * (200 of 3,250 bytes per event).
 */
export function addRows({ org_id, table, key, values, rows }: Adding): FragmentSqlToken {
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
  // The database sees that one node has them.
  const here = isSpread() ? sql.fragment`and t.org_id = ${org_id}` : sql.fragment``;
  return sql.fragment`
    ${part('given')} (${columns}) as materialized (${rows}), ${part('old')} as (
      update ${sql.identifier([table])} t set ${list(changes)} from ${part('given')} g where ${matches('t', 'g')} ${here}
      returning ${list(key.map(column => name('t', column)))}
    ), ${part('new')} as (
      insert into ${sql.identifier([table])} (${columns}) select ${columns} from ${part('given')} g
      where not exists (select from ${part('old')} o where ${matches('o', 'g')})
      returning ${list(key.map(column => sql.identifier([column])))}
    )`;
}

const list = (parts: readonly ValueExpression[]) => sql.join(parts, sql.fragment`, `);
