import {
  BackendTerminatedUnexpectedlyError,
  type FragmentSqlToken,
  UniqueIntegrityConstraintViolationError,
} from 'slonik';
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

/** A statement as a spread database is asked it; on a single server as it is. */
export const asSent = (statement: string, values: readonly unknown[] = []): string =>
  is_spread ? namingOrganization(statement, values) : statement;

/**
 * A statement of one organization, with that organization named wherever rows are joined by it. Citus sends a statement whole to the node that has
 * the organization if each table in it is bound to it by value; what a lateral or a sub-query takes from the row outside, it does not follow.
 * No join crosses organizations, so nothing else is found. Unchanged where several organizations are named, or none.
 */
export function namingOrganization(statement: string, values: readonly unknown[]): string {
  const places = [...statement.matchAll(/\borg_id"? = \$(\d+)/g)].map(([, place]) => Number(place));
  const [first] = places;
  if (first === undefined || new Set(places.map(place => values[place - 1])).size !== 1) return statement;
  return statement.replace(
    /\b([a-z]\w*)\.org_id = ([a-z]\w*)\.org_id\b/g,
    (joined, left, right) => `${joined} and ${left}.org_id = $${first} and ${right}.org_id = $${first}`,
  );
}

/** The error that it would be on a single server. What a node refuses of rows that are copied to it, and that a node is lost, come without their codes. */
export function asOfOneServer(error: unknown): unknown {
  if (!is_spread || !(error instanceof Error) || Reflect.get(error, 'code') !== 'XX000') return error;
  if (lostNode.test(error.message)) return new BackendTerminatedUnexpectedlyError(error);
  if (error.message.startsWith('duplicate key value violates unique constraint'))
    return new UniqueIntegrityConstraintViolationError(error);
  const [, code] = known.find(([text]) => text.test(error.message)) ?? [];
  return code === undefined ? error : Object.assign(error, { code });
}

/** What a node says, and the code that it says it with on a single server: a full disk, a standby, a time that is over, and data. */
const known: [RegExp, string][] = [
  [/: No space left on device$/, '53100'],
  [/in a read-only transaction$/, '25006'],
  [/^canceling statement due to (statement|lock) timeout$/, '57014'],
  [/^new row for relation .* violates check constraint|^null value in column .* violates not-null constraint/, '22000'],
  [/^invalid (input syntax|byte sequence) for |^(smallint|integer|bigint|timestamp|date) out of range$/, '22000'],
];

const lostNode =
  /^(failure on connection marked as essential|server closed the connection unexpectedly|could not connect to any active placements)/;
