import { createPgDriverFactory } from '@slonik/pg-driver';
import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  type CommonQueryMethods,
  ConnectionError,
  createPool as createSlonikPool,
  createSqlTag,
  type DatabasePool,
  type DriverTypeParser,
  type Interceptor,
  type QueryResultRow,
  SchemaValidationError,
  type FragmentSqlToken,
} from 'slonik';
import type { z } from 'zod';

/** The database, or a transaction in it: what every query function takes first. */
export type Db = CommonQueryMethods;
export type Pool = DatabasePool;

export const sql = createSqlTag();

/** The role the service acts as: it owns nothing and may not change or remove what is in the log (see 0001). */
export const SERVICE_ROLE = 'oversight_service';

// The defaults make a float of numeric and milliseconds of timestamptz; money and cursors need them exact.
const typeParsers: DriverTypeParser[] = [
  { name: 'int8', parse: value => Number(value) },
  { name: 'numeric', parse: value => value },
  { name: 'date', parse: value => value },
  { name: 'timestamptz', parse: value => (value === '-infinity' ? null : rfc3339(value)) },
];

/** `2026-11-20 09:43:37.1+00` as `2026-11-20T09:43:37.100Z`. */
function rfc3339(value: string): string {
  if (value.endsWith('+00')) {
    const [seconds, fraction = ''] = value.slice(0, -3).split('.');
    return `${seconds?.replace(' ', 'T')}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
  }
  return new Date(value).toISOString();
}

/** A time within JSON that the database makes, as text in the form of every other time. */
export const timeText = (column: FragmentSqlToken): FragmentSqlToken =>
  sql.fragment`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Rows are parsed by the schema their query names, so that what the type says is what the database sent. */
const parseRows: Interceptor = {
  name: 'parse-rows',
  transformRow: (context, query, row) => {
    const schema = context.resultParser as z.ZodType<QueryResultRow> | undefined;
    if (!schema) return row;
    const result = schema.safeParse(row);
    if (result.success) return result.data;
    throw new SchemaValidationError(query, row, result.error.issues);
  },
};

/** Whether the database answers within a second. Never throws. Ask with a pool that does nothing else: in another it would wait its turn. */
export async function isReachable(db: Db): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, 1_000, false);
  db.query(sql.unsafe`select 1`).then(
    () => resolve(true),
    () => resolve(false),
  );
  return promise.finally(() => clearTimeout(timer));
}

/** Whether an error means that the database cannot be reached, rather than that it refused something. */
export function isLostDatabase(error: Error & { code?: unknown }): boolean {
  const lost = [ConnectionError, BackendTerminatedError, BackendTerminatedUnexpectedlyError].some(
    type => error instanceof type,
  );
  if (lost || (typeof error.code === 'string' && lostCodes.has(error.code))) return true;
  return error.cause instanceof Error && isLostDatabase(error.cause);
}

const lostCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08006',
  '08003',
]);

/** Whether an error means that the database has no room for more: its disk is full, or its memory. */
export function isFullDatabase(error: Error & { code?: unknown }): boolean {
  if (typeof error.code === 'string' && fullCodes.has(error.code)) return true;
  return error.cause instanceof Error && isFullDatabase(error.cause);
}

const fullCodes = new Set(['53000', '53100', '53200']);

export type PoolOptions = { max: number; role?: string; application_name: string; statement_timeout?: number };

/**
 * Opens a pool. `role` is taken on at connection time (the default is none: the role of the URL).
 * Sessions are not reset when a connection goes back (DISCARD ALL costs 40 % of point reads), so nothing may set session state.
 */
export function createPool(
  url: string,
  { max, role, application_name, statement_timeout = 30_000 }: PoolOptions,
): Promise<DatabasePool> {
  return createSlonikPool(withSession(url, application_name, role), {
    driverFactory: createPgDriverFactory(),
    typeParsers,
    interceptors: [parseRows],
    maxPoolSize: max,
    idleTimeout: 60_000,
    statementTimeout: statement_timeout,
    resetConnection: async () => {},
    transactionRetryLimit: 0,
    queryRetryLimit: 0,
  });
}

/** No statement of the service wants a whole table, whatever an organization's share of it is thought to be, nor one compiled. */
const session = ['-c timezone=UTC', '-c enable_seqscan=off', '-c jit=off'];

/** The URL with the session settings every connection of the service starts with. */
export function withSession(url: string, application_name: string, role?: string): string {
  const parsed = new URL(url);
  const settings = [parsed.searchParams.get('options'), ...session, role && `-c role=${role}`];
  parsed.searchParams.set('options', settings.filter(Boolean).join(' '));
  parsed.searchParams.set('application_name', application_name);
  return parsed.href;
}
