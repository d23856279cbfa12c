import { type FragmentSqlToken, UniqueIntegrityConstraintViolationError } from 'slonik';
import { sql } from './sql.ts';

// What a database that is spread over the nodes of a Citus cluster asks for, and one on a single server does without.
let is_spread = false;

/** Says whether the database of this process is spread, as its connections found it. */
export const noteSpread = (found: boolean): void => void (is_spread = found);

/** Whether it is. */
export const isSpread = (): boolean => is_spread;

/** The column that says whose a row is, in tables whose rows are found by a number alone: the first of their keys. */
export const spreadKey = (): string[] => (is_spread ? ['org_id'] : []);

/** Its value, with a comma. */
export const spreadValue = (org_id: string): FragmentSqlToken =>
  is_spread ? sql.fragment`${org_id}, ` : sql.fragment``;

/** That a row of such a table is of this organization: its number alone does not lead to a node. */
export const isOf = (row: string, org_id: string): FragmentSqlToken =>
  is_spread ? sql.fragment`${sql.identifier([row, 'org_id'])} = ${org_id}` : sql.fragment`true`;

/** The error that it would be on a single server. What a node refuses of rows that are copied to it comes without its code. */
export function asOfOneServer(error: unknown): unknown {
  if (!(error instanceof Error) || Reflect.get(error, 'code') !== 'XX000') return error;
  return error.message.startsWith('duplicate key value violates unique constraint')
    ? new UniqueIntegrityConstraintViolationError(error)
    : error;
}
