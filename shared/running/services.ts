import type { Config } from '#shared/settings/config.ts';
import { vetSecretKey, WrongSecretKey } from '#shared/running/secret_key/canary.ts';
import {
  createPool,
  type Db,
  type PoolOptions,
  isLostDatabase,
  sql,
  stateOfDatabase,
  timeOf,
  WrongRole,
} from '#shared/platform/db.ts';
import { SERVICE_ROLE } from '#shared/platform/service_role.ts';
import { createLog } from '#shared/platform/log.ts';
import { createClock, describeSkew, watchClock } from '#shared/platform/clock.ts';
import { createMetrics, measurePool } from '#shared/platform/metrics.ts';
import { createOutage } from '#shared/platform/outage.ts';
import { connecting } from '#shared/platform/unreachable.ts';
import { openTracing } from '#shared/platform/tracing.ts';
import { createLoadedLists, type LoadedLists } from '#shared/screening/flow/loaded_lists.ts';
import { createSearch, type Search } from '#shared/screening/search/search.ts';
import { createStorage } from '#shared/platform/storage/open_storage.ts';
import type { JobKind } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import { jobKinds } from '#shared/running/work/kinds/index.ts';
import { errorCode } from '#shared/values/file_trouble.ts';
import { SECOND } from '#shared/values/time.ts';
import type { Logger } from '#shared/platform/log.ts';
import type { Database } from './open_database.ts';
import { needMigrated, NotMigrated } from './migrated.ts';
import { createReplica, positionsOf, type Replica } from './replica.ts';
import { createQueue } from '#shared/platform/queue.ts';

/** The services of a process, with those for screening. */
export type ProcessServices = Services & {
  /** The lists that payees are screened against, ready to be searched. */
  lists: LoadedLists;
  /** Searches them. */
  search: Search;
  /** The standby of DATABASE_READ_URL; null without one. */
  replica: Replica | null;
};

type Session = Omit<PoolOptions, 'max'> & { probe: Db; log: Logger };

/** Workers of a queue in PostgreSQL listen on a connection of their own, which a pooler takes away from them. */
class DeafQueue extends Error {
  constructor() {
    super(
      'DATABASE_URL leads to a pooler that drops the settings of connections, and a queue in PostgreSQL does not work behind one. Set REDIS_URL, or connect to PostgreSQL itself.',
    );
  }
}

/** A standby takes no role of its own: whoever connects acts as the service's, as on the primary. */
async function openReplica(config: Config, url: string, { probe, log, ...session }: Session): Promise<Replica> {
  const db = await createPool(url, { ...session, role: SERVICE_ROLE, max: config.database_pool, may_be_away: true });
  db.on('error', () => {});
  const most_delay = config.database_read_delay * SECOND;
  return createReplica(db, positionsOf(probe, db), { most_delay, log, now: Date.now });
}

/** What PostgreSQL says of a connection that is to act as a role that is not there. */
const UNKNOWN_ROLE = '22023';
/** What keeps a process from its database until an operator has done something. */
const refusals = [WrongRole, WrongSecretKey, NotMigrated];

/** Opens all services of a process. `close` closes them, the queue before the database. Throws NotMigrated, and WrongSecretKey, unless `any_secret_key`. */
export async function createServices(
  config: Config,
  database: Database,
  name: string,
  { any_secret_key = false } = {},
): Promise<ProcessServices & { close(): Promise<void> }> {
  const storage = await createStorage(config);
  const tracing = config.otel_exporter_otlp_endpoint
    ? await openTracing(config.otel_exporter_otlp_endpoint, `oversight-${name}`)
    : null;
  const log = createLog(config.log_level ?? 'info', name, tracing?.ids);
  const metrics = createMetrics();
  const session = { role: database.role, must_act_as: SERVICE_ROLE, application_name: `oversight-${name}` };
  const vet = async (connection: Db) => {
    await needMigrated(connection);
    if (!any_secret_key) await vetSecretKey(connection, config.secret_key);
  };
  const probing = createPool(database.service_url, { ...session, max: 1, statement_timeout: SECOND });
  const probe = await connecting(probing).catch(async (error: unknown) => {
    await tracing?.close();
    throw errorCode(error) === UNKNOWN_ROLE ? new NotMigrated(`has no role ${SERVICE_ROLE} yet`) : error;
  });
  probe.on('error', () => {});
  const is_there = async () => (await stateOfDatabase(probe)) !== 'no database';
  let is_pooled = false;
  const onPooled = () => void (is_pooled = true);
  const outage = createOutage(log, config.database_url ? 'The database (DATABASE_URL)' : 'The embedded database');
  const watched = { ...session, max: config.database_pool, vet, outage, is_there, onPooled };
  const db = await createPool(database.service_url, watched);
  measurePool(metrics, db, config.database_pool);
  // Reported at the start; an unavailable database may come back.
  const refusal: unknown = await db.query(sql.unsafe`select 1`).then(
    () => (is_pooled && !config.redis_url ? new DeafQueue() : null),
    (error: unknown) => (refusals.some(type => error instanceof type) ? error : null),
  );
  if (refusal) {
    await Promise.all([db.end(), probe.end(), tracing?.close()]);
    throw refusal;
  }
  const replica = config.database_read_url
    ? await openReplica(config, config.database_read_url, { ...session, probe, log })
    : null;
  const clock = createClock(() => timeOf(probe));
  const watch = await watchClock(clock, skew => {
    metrics.clockSkew.set(skew / SECOND);
    const off = describeSkew(skew);
    if (off) log.warn({ clock: off }, 'the clock of this machine is wrong; that of the database counts');
  });
  db.on('error', error => isLostDatabase(error) && log.error({ error }, 'database connection lost'));
  const engine = { redis_url: config.redis_url, database_url: database.service_url, database_role: database.role };
  const onLost = (kind: JobKind, jobs: number) => metrics.jobsLost.inc({ kind }, jobs);
  const queue = createQueue(engine, jobKinds, log, onLost, tracing?.telemetry);
  const lists = createLoadedLists({ db, log });
  const search = createSearch({ log });
  return {
    config,
    db,
    probe,
    queue,
    lists,
    search,
    replica,
    storage,
    metrics,
    tracing,
    log,
    now: clock.now,
    skew: clock.skew,
    async close() {
      watch.stop();
      lists.close();
      await search.close();
      await replica?.close();
      await queue.close();
      await Promise.all([db.end(), probe.end()]);
      await tracing?.close();
    },
  };
}
