import type { Config } from '#shared/settings/config.ts';
import type { Pool } from './db.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Queue } from './queue.ts';
import type { Tracing } from './tracing.ts';
import type { Storage } from '#shared/platform/storage/storage.ts';

/** The dependencies of handlers and jobs: nothing below imports a connection of its own. */
export type Services = {
  config: Config;
  db: Pool;
  /** One connection to check whether the database is there. */
  probe: Pool;
  queue: Queue;
  /** Where packs are kept. */
  storage: Storage;
  metrics: Metrics;
  /** Null unless OTEL_EXPORTER_OTLP_ENDPOINT is set. */
  tracing: Tracing | null;
  log: Logger;
  /** Milliseconds since 1970. The one clock of the API and the workers. */
  now: () => number;
  /** How many milliseconds this machine's clock is ahead of the database's, if known. `now` does not follow it. */
  skew: () => number | null;
};
