import { measured, type Cost, type Costs, type Part, parts } from './costs.ts';

/** What an installation is sent. The model is linear in all of it but `batch`. */
type Workload = {
  events_a_day: number;
  /** Events in a request. */
  batch: number;
  /** The busiest minute of a day beside its average. */
  peak: number;
  /** How much of a core may be in use at the peak: queues grow without bound toward all of it. */
  busy: number;
  /** Payees that are screened, and webhooks that are sent, for each event. */
  screenings: number;
  webhooks: number;
};

export const usual: Omit<Workload, 'events_a_day'> = {
  batch: 100,
  peak: 3,
  busy: 0.6,
  screenings: 1 / 100,
  webhooks: 1 / 200,
};

/** What one server of PostgreSQL is taken to have. */
const server = { cores: 32, bytes: 16e12, wal: 200e6, connections: 500 };

type Capacity = {
  /** Events a second. */
  mean: number;
  peak: number;
  /** Cores at the peak, with what must be left free. */
  cores: Record<Part, number>;
  /** Processes of each type, one core each. */
  processes: Record<Exclude<Part, 'postgres'>, number>;
  /** Connections to PostgreSQL, with the queue in Redis. */
  connections: number;
  /** Bytes a second at the peak. */
  wal: number;
  network: number;
  /** Bytes in a year, nothing removed. */
  disk: number;
};

const DAY = 86_400;
const YEAR = 365;
/** Of a process, as the settings have it: DATABASE_POOL, and one that asks whether the database is there. */
const CONNECTIONS = 11;
/** Two that answer, so that one can be replaced. */
const least = { web: 2, detect: 1, screen: 1, webhook: 1 };

/** What a workload takes. */
export function capacityOf(workload: Workload, costs: Costs = measured): Capacity {
  const mean = workload.events_a_day / DAY;
  const peak = mean * workload.peak;
  const of = (name: keyof Cost) => costOfEvent(name, workload, costs);
  const cores = Object.fromEntries(
    parts.map(part => [part, (peak * of(part)) / 1e6 / workload.busy]),
  ) as Capacity['cores'];
  const needed = (type: keyof typeof least) => Math.max(least[type], Math.ceil(cores[type]));
  const processes = {
    web: needed('web'),
    detect: needed('detect'),
    screen: needed('screen'),
    webhook: needed('webhook'),
  };
  // `pack` and `schedule` have one process each.
  const count = Object.values(processes).reduce((sum, each) => sum + each, 2);
  return {
    mean,
    peak,
    cores,
    processes,
    connections: count * CONNECTIONS,
    wal: peak * of('wal'),
    network: peak * of('network'),
    disk: workload.events_a_day * YEAR * of('stored'),
  };
}

/** What one event costs, with its share of a request, of a screening and of a webhook. */
export const costOfEvent = (name: keyof Cost, workload: Omit<Workload, 'events_a_day'>, costs: Costs = measured) =>
  costs.event[name] +
  costs.request[name] / workload.batch +
  costs.screening[name] * workload.screenings +
  costs.webhook[name] * workload.webhooks;

/** A part that is full, from how many events a day on, and what to do then. */
type Split = { full: string; events_a_day: number; next: string };

/** Where each part must be split, the smallest first. */
export function splitsOf(workload: Omit<Workload, 'events_a_day'> = usual, costs: Costs = measured): Split[] {
  const of = (name: keyof Cost) => costOfEvent(name, workload, costs);
  /** Events a day at whose peak so much a second is used. */
  const atPeak = (most: number, each: number) => (most / each / workload.peak) * DAY;
  const core = workload.busy * 1e6;
  // Each is linear in the events, so one size says when any number of connections is reached.
  const one = capacityOf({ ...workload, events_a_day: 1e9 }, costs);
  const splits: Split[] = [
    { full: 'a `web` process', events_a_day: atPeak(core, of('web')), next: 'another for each such amount' },
    {
      full: 'a `detect` process',
      events_a_day: atPeak(core, of('detect')),
      next: 'another for each such amount; they share the organizations',
    },
    {
      full: 'the log of one organization',
      events_a_day: atPeak(costs.one_log, 1),
      next: 'nothing makes one cursor faster: have the organization be several (subsidiaries, regions), each with a log',
    },
    { full: 'a `screen` process', events_a_day: atPeak(core, of('screen')), next: 'another' },
    { full: 'a `webhook` process', events_a_day: atPeak(core, of('webhook')), next: 'another, and the queue in Redis' },
    {
      full: `${server.cores} cores of PostgreSQL`,
      events_a_day: atPeak(core * server.cores, of('postgres')),
      next: 'lists from a standby (`DATABASE_READ_URL`), then nodes of Citus',
    },
    {
      full: `${server.connections} connections`,
      events_a_day: (1e9 * server.connections) / one.connections,
      next: 'PgBouncer, or nodes of Citus',
    },
    {
      full: `${server.wal / 1e6} MB/s of WAL`,
      events_a_day: atPeak(server.wal, of('wal')),
      next: 'nodes of Citus',
    },
    {
      full: `${server.bytes / 1e12} TB of disk, within a year`,
      events_a_day: server.bytes / of('stored') / YEAR,
      next: 'archives of old events (Retention), or nodes of Citus',
    },
  ];
  return splits.toSorted((a, b) => a.events_a_day - b.events_a_day);
}

/** Servers of PostgreSQL, or nodes of Citus: by what a second takes, and by a year on disk. */
export const serversOf = ({ cores, wal, disk }: Capacity): { by_speed: number; by_disk: number } => ({
  by_speed: Math.ceil(Math.max(cores.postgres / server.cores, wal / server.wal)),
  by_disk: Math.ceil(disk / server.bytes),
});
