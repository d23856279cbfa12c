export const parts = ['web', 'detect', 'screen', 'webhook', 'postgres'] as const;
export type Part = (typeof parts)[number];

/** What one of something costs: µs of CPU by process type, and bytes: written ahead, stored, and through the sockets of the processes. */
export type Cost = Record<Part | 'wal' | 'stored' | 'network', number>;

export type Costs = {
  /** Taken in and analyzed, in large batches. */
  event: Cost;
  /** What a request with events costs besides them, and the look at the log that follows. */
  request: Cost;
  /** A payee held against 16,000 entries. */
  screening: Cost;
  webhook: Cost;
  /** Events a second of one log, analyzed by the process that holds its cursor. */
  one_log: number;
};

const none: Cost = { web: 0, detect: 0, screen: 0, webhook: 0, postgres: 0, wal: 0, stored: 0, network: 0 };

/**
 * As `npm run bench capacity` measured them last: PostgreSQL 18, its queue, all processes and the client on two cores, among other work on the
 * same machine. On a quiet one it is less.
 */
export const measured: Costs = {
  event: { ...none, web: 100, detect: 130, postgres: 270, wal: 3_000, stored: 2_000, network: 2_200 },
  request: { ...none, web: 2_200, detect: 600, postgres: 3_200, wal: 400, network: 7_500 },
  screening: { ...none, screen: 830, postgres: 580, wal: 5_900, stored: 4_000, network: 1_600 },
  webhook: { ...none, webhook: 1_600, postgres: 2_000, wal: 6_300, stored: 2_800, network: 3_400 },
  one_log: 2_200,
};
