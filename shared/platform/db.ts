import { AsyncLocalStorage } from 'node:async_hooks';
import type { ConnectionOptions } from 'node:tls';
import { createPgDriverFactory } from '@slonik/pg-driver';
import pg from 'pg';
import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  type CommonQueryMethods,
  ConnectionError,
  createPool as createSlonikPool,
  type DatabasePool,
  type DriverClient,
  type DriverFactory,
  type DriverTypeParser,
  type Interceptor,
  type QueryResultRow,
  SchemaValidationError,
  type FragmentSqlToken,
} from 'slonik';
import { z } from 'zod';
import type { Outage } from './outage.ts';
import { asOfOneServer, asSent, isSpread, noteSpread } from './spread.ts';
import { sql } from './sql.ts';

/** The database, or a transaction in it: the first parameter of every query function. */
export type Db = CommonQueryMethods;
export type Pool = DatabasePool;

export { concatenated, holdsText, lowered, patternOf, sql } from './sql.ts';

// The defaults parse numeric as a float and timestamptz as milliseconds; money and cursors need them exact.
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

/** A time within JSON made by the database, in the same form as every other time. */
export const timeText = (column: FragmentSqlToken): FragmentSqlToken =>
  sql.fragment`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Rows are parsed by the schema of their query, so that types match what the database sent. */
const parseRows: Interceptor = {
  name: 'parse-rows',
  transformRow: (context, query, row) => {
    const schema = context.resultParser as z.ZodType<QueryResultRow> | undefined;
    if (!schema) return row;
    const rows = parsed.get(schema) ?? 0;
    if (rows < WORTH_COMPILING) parsed.set(schema, rows + 1);
    const result = schema.safeParse(row, { jitless: rows < WORTH_COMPILING });
    if (result.success) return result.data;
    throw new SchemaValidationError(query, row, result.error.issues);
  },
};

/** Zod would compile a parser for the first row, which takes as long as 150 rows without (290 µs): too long for a schema made for one query. */
const WORTH_COMPILING = 100;
const parsed = new WeakMap<z.ZodType, number>();

/** The state of the database for `/readyz`. */
export type DatabaseState = 'ok' | 'no database' | 'read-only database';

/**
 * Whether the database answers within a second and accepts writes. Never throws. Use a pool with no other work: in another it would have to
 * wait.
 */
export async function stateOfDatabase(db: Db): Promise<DatabaseState> {
  const { promise, resolve } = Promise.withResolvers<DatabaseState>();
  const timer = setTimeout(resolve, 1_000, 'no database');
  // It is `on` for a standby, too.
  db.oneFirst(sql.type(z.object({ value: z.string() }))`select current_setting('transaction_read_only') as value`).then(
    value => resolve(value === 'on' ? 'read-only database' : 'ok'),
    () => resolve('no database'),
  );
  return promise.finally(() => clearTimeout(timer));
}

/** The time of the database, in milliseconds since 1970. */
export const timeOf = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ now: z.number() }))`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`);

/** Temporary trouble of the database: the same query may be tried again. */
export type DatabaseTrouble = 'lost' | 'full' | 'read_only' | 'slow';

/** The kind of trouble that an error means; null when the database refused the query, or it is no error of the database. */
export function troubleOfDatabase(error: Error & { code?: unknown }): DatabaseTrouble | null {
  const lost = [ConnectionError, BackendTerminatedError, BackendTerminatedUnexpectedlyError].some(
    type => error instanceof type,
  );
  const trouble = lost ? 'lost' : typeof error.code === 'string' ? troubles[error.code] : undefined;
  return trouble ?? (error.cause instanceof Error ? troubleOfDatabase(error.cause) : null);
}

/** Whether an error means that the database cannot be reached, rather than that it refused a query. */
export const isLostDatabase = (error: Error): boolean => troubleOfDatabase(error) === 'lost';

/** Codes of Node, and of PostgreSQL (appendix A of its manual). */
const codes: Record<DatabaseTrouble, readonly string[]> = {
  lost: `ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENOTFOUND 57P01 57P02 57P03 53300 08006 08003`.split(' '),
  // Its disk or memory.
  full: ['53000', '53100', '53200'],
  // A standby, such as the former primary after a failover.
  read_only: ['25006'],
  // The statement took too long, such as behind a lock.
  slow: ['57014', '55P03'],
};
const troubles: Record<string, DatabaseTrouble> = Object.fromEntries(
  Object.entries(codes).flatMap(([trouble, each]) => each.map(code => [code, trouble as DatabaseTrouble])),
);

/**
 * The append-only guarantee of the log rests on the role. A pooler that drops a connection's settings, such as PgBouncer in transaction
 * mode, would have us act as the owner of the tables.
 */
async function checkRole(client: DriverClient, role: string): Promise<{ is_pooled: boolean }> {
  const { rows } = await client.query(`
    select current_user as role, current_setting('oversight.session', true) is null as is_pooled, exists (
      select from pg_attribute where attrelid = to_regclass('hours_of_agents') and attname = 'org_id' and attnotnull) as is_spread`);
  const acting = ActingRole.parse(rows[0]);
  if (acting.role !== role) throw new WrongRole(acting.role, role);
  noteSpread(acting.is_spread);
  return acting;
}

const ActingRole = z.object({ role: z.string(), is_spread: z.boolean(), is_pooled: z.boolean() });

const mustPass = (vet: (connection: Db) => Promise<void>): Interceptor => {
  let passed = false;
  return {
    name: 'must-pass',
    async afterPoolConnection(_context, connection) {
      if (!passed) await vet(connection);
      passed = true;
      return null;
    },
  };
};

/** A connection has another role than it must have. */
export class WrongRole extends Error {
  constructor(actual: string, role: string) {
    super(
      `The database has the service act as ${actual}, not as ${role}: its log would not be safe. Does a pooler drop the settings of connections? Have the URL log in as ${role}, or connect to PostgreSQL itself.`,
    );
  }
}

export type PoolOptions = {
  max: number;
  role?: string;
  /** The role that every connection must have; any by default. */
  must_act_as?: string;
  /** Called when a connection, of those that must act as a role, is found to go through a pooler that drops its settings. */
  onPooled?: () => void;
  /** Checks the database before it is used, until it succeeds once; throws otherwise. */
  vet?: ((connection: Db) => Promise<void>) | undefined;
  application_name: string;
  /** Limit for a statement in milliseconds; 30,000 by default. */
  statement_timeout?: number;
  /** Opens the pool also while the database is away. */
  may_be_away?: boolean;
  /** Hears whether connections can be opened. */
  outage?: Outage;
  /** Asks over another connection whether the database answers at all, while a statement takes long. */
  is_there?: () => Promise<boolean>;
};

/**
 * Opens a pool. `role` is set at connection time (by default the role of the URL). Sessions are not reset when a connection is returned
 * (DISCARD ALL costs 40 % of point reads), so nothing may set session state.
 */
export function createPool(url: string, options: PoolOptions): Promise<DatabasePool> {
  const { max, role, vet, application_name, statement_timeout = 30_000 } = options;
  return createSlonikPool(withSession(url, application_name, role), {
    ...tlsOf(url),
    driverFactory: guarded(createPgDriverFactory(), options),
    typeParsers,
    interceptors: [parseRows, ...(vet ? [mustPass(vet)] : [])],
    maxPoolSize: max,
    idleTimeout: 60_000,
    statementTimeout: statement_timeout,
    resetConnection: async () => {},
    transactionRetryLimit: 0,
    queryRetryLimit: 0,
  });
}

/** After how long a statement makes us check whether the database is there at all, repeatedly. */
const PATIENCE = 4_000;
/** How far beyond its own limit a statement may run before the database counts as gone: it would have ended it. */
const SILENCE = 3_000;

/**
 * A driver that checks the role of a new connection, and gives one up when the database has gone silent: frozen, or vanished without
 * notice. The caller gets a lost connection, and the pool opens another.
 */
const guarded =
  (
    open: DriverFactory,
    { statement_timeout = 30_000, may_be_away, outage, is_there, must_act_as, onPooled = () => {} }: PoolOptions,
  ): DriverFactory =>
  async options => {
    // It asks the database which types it has.
    let driver = may_be_away ? undefined : await open(options);
    // Slonik refuses a query of another pool where it sees that a transaction waits.
    const outside = AsyncLocalStorage.snapshot();
    return {
      async createClient() {
        driver ??= await open(options);
        const client = await driver.createClient().catch((error: Error) => {
          outage?.note(options, error);
          outage?.tell();
          throw error;
        });
        outage?.end(options);
        let isGivenUp = false;
        let isChecked = must_act_as === undefined;
        let is_pooled = false;
        const send: DriverClient['query'] = async (statement, values, named) => {
          // Slonik's interceptors know a connection only for as long as it is held.
          if (!isChecked && must_act_as) ({ is_pooled } = await checkRole(client, must_act_as));
          if (!isChecked && is_pooled) onPooled();
          isChecked = true;
          // A name stands for one text, which depends on the values where the database is spread; behind a pooler the next transaction may have
          // another connection, which does not know it.
          return client.query(asSent(statement, values), values, isSpread() || is_pooled ? undefined : named);
        };
        const query: DriverClient['query'] = async (statement, values, named) => {
          // A transaction that lost its connection sends a rollback, which must not fail in another way.
          if (isGivenUp) throw silent();
          const { promise: lost, reject } = Promise.withResolvers<never>();
          const giveUp = () => {
            isGivenUp = true;
            reject(silent());
            client.destroy().catch(() => {});
          };
          const timers = [setTimeout(giveUp, statement_timeout + SILENCE)];
          // On a busy machine one question may get no answer in time.
          if (is_there)
            timers.push(
              outside(setInterval, async () => (await is_there()) || (await is_there()) || giveUp(), PATIENCE),
            );
          try {
            return await Promise.race([send(statement, values, named), lost]);
          } catch (error) {
            throw asOfOneServer(error);
          } finally {
            for (const timer of timers) clearTimeout(timer);
          }
        };
        const stream: DriverClient['stream'] = (statement, values) => client.stream(asSent(statement, values), values);
        return { ...client, query, stream };
      },
    };
  };

const silent = () => new BackendTerminatedUnexpectedlyError(new Error('the database is silent'));

/** The service never wants a scan of a whole table, however the planner estimates, nor a compiled query. The last tells that all of this has come through. */
export const session = { timezone: 'UTC', enable_seqscan: 'off', jit: 'off', 'oversight.session': 'on' };

/** The URL with the session settings every connection of the service starts with. */
export function withSession(url: string, application_name: string, role?: string): string {
  const parsed = new URL(url);
  const own = Object.entries({ ...session, ...(role && { role }) }).map(([name, value]) => `-c ${name}=${value}`);
  const settings = [parsed.searchParams.get('options'), ...own];
  parsed.searchParams.set('options', settings.filter(Boolean).join(' '));
  parsed.searchParams.set('application_name', application_name);
  for (const setting of tlsSettings) parsed.searchParams.delete(setting);
  return parsed.href;
}

/** What a URL says of TLS; Slonik reads less of it than pg, and would connect without. */
const tlsSettings = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat'];

/** TLS as pg reads it from the URL, or from `PGSSLMODE`, so that every connection is as safe as the queue's. */
function tlsOf(url: string): { ssl?: ConnectionOptions } {
  const { ssl }: { ssl: boolean | ConnectionOptions } = new pg.Client({ connectionString: url });
  return ssl ? { ssl: ssl === true ? {} : ssl } : {};
}
