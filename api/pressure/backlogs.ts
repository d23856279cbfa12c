import type { Tenant } from '#shared/interface/schemas.ts';

/** How far logs are ahead of their analysis, as far as this process knows: of those that it took events for. */
export type Backlogs = {
  /** What a log can still take, or null where it is not worth mentioning. Asks nothing. */
  standingOf(tenant: Tenant): Standing | null;
  /** Tells of events that were added to a log. */
  add(tenant: Tenant, events: number): void;
  /** Reads how far the logs are; for once a second. Answers with the longest wait of an event in any of them, in seconds. */
  look(): Promise<number>;
};

/** `quota` events may wait, there is room for `room` more; `seconds` until there is room again, or until all that waits is analyzed. */
type Standing = { quota: number; room: number; seconds: number };

/** Where a log stands: read from the database, and what was added here since. */
type State = {
  tenant: Tenant;
  seq: number;
  waiting: number;
  added: number;
  /** When it was last read, in seconds; null: not yet. */
  read_at: number | null;
  /** Events analyzed in the time, in seconds, that analysis was at work; what is long ago counts less. Their ratio is its speed. */
  analyzed: number;
  worked: number;
  /** It was full, and is closed until there is some room: else whoever asks most often would get all there is. */
  closed: boolean;
};

type ReadBacklogs = (tenants: readonly Tenant[]) => Promise<readonly (Tenant & { seq: number; size: number })[]>;

/** An unknown log is taken to be analyzed at this speed, in events a second, until so many seconds of measuring outweigh that. */
const PRESUMED = { speed: 2_000, weight: 10 };
/** How long a measurement counts, in seconds: it has lost two thirds of its weight then. */
const MEMORY = 30;
/** So many events may wait however slow analysis is: whoever sends little is not held for others, or for a worker that starts. */
const LEAST_QUOTA = 100;
/** A log is spoken of when it has used this much of its quota; and one that is full takes events again when it has this much left. */
const SPOKEN_OF = 0.1;
const FREED = 0.05;
/** The most logs that are read at once; more take turns. */
const MOST_LOGS = 1_000;

/**
 * A log may hold as many events that wait as analysis gets through in `limit` seconds, at the speed that it has been seen to have with
 * this log. So a log that is sent more than can be analyzed fills up to that and then takes just what is analyzed: neither ever further
 * behind nor, as with a limit on the age of the oldest event, in turn overfull and empty. `clock` counts seconds.
 */
export function createBacklogs(limit: number, read: ReadBacklogs, clock = () => performance.now() / 1_000): Backlogs {
  const states = new Map<string, State>();
  const keyOf = ({ org_id, environment }: Tenant) => `${org_id} ${environment}`;
  const speedOf = ({ analyzed, worked }: State) => analyzed / worked;

  function standingOf(tenant: Tenant): Standing | null {
    const state = states.get(keyOf(tenant));
    if (!state) return null;
    const speed = speedOf(state);
    const quota = Math.max(LEAST_QUOTA, Math.floor(speed * limit));
    const waiting = state.waiting + state.added;
    if (waiting < quota * SPOKEN_OF) return null;
    const reopened = quota * (1 - FREED);
    state.closed = waiting >= (state.closed ? reopened : quota);
    const surplus = state.closed ? waiting - reopened : waiting;
    return {
      quota,
      room: state.closed ? 0 : quota - waiting,
      seconds: Math.min(60, Math.max(1, Math.ceil(surplus / speed))),
    };
  }

  function add({ org_id, environment }: Tenant, events: number): void {
    const tenant = { org_id, environment };
    const { speed, weight } = PRESUMED;
    const fresh = {
      tenant,
      seq: 0,
      waiting: 0,
      added: 0,
      read_at: null,
      analyzed: speed * weight,
      worked: weight,
      closed: false,
    };
    const state = states.get(keyOf(tenant)) ?? fresh;
    state.added += events;
    states.set(keyOf(tenant), state);
  }

  async function look(): Promise<number> {
    const turn = [...states.values()].toSorted((a, b) => (a.read_at ?? 0) - (b.read_at ?? 0)).slice(0, MOST_LOGS);
    if (turn.length > 0) {
      const before = new Map(turn.map(state => [keyOf(state.tenant), state.added]));
      for (const { seq, size, ...tenant } of await read(turn.map(({ tenant }) => tenant))) {
        const state = states.get(keyOf(tenant));
        if (!state) continue;
        learn(state, seq, clock());
        state.seq = seq;
        state.waiting = size - seq;
        // What was added while the database was asked may be in `size` already; then it counts twice until the next look.
        state.added -= before.get(keyOf(tenant)) ?? 0;
        if (state.waiting + state.added <= 0) states.delete(keyOf(tenant));
      }
    }
    return Math.max(0, ...[...states.values()].map(state => (state.waiting + state.added) / speedOf(state)));
  }

  return { standingOf, add, look };
}

/** A log that was level meanwhile could have been analyzed faster: what was seen is then the least that is possible. */
function learn(state: State, seq: number, at: number): void {
  const seconds = at - (state.read_at ?? at);
  const moved = seq - state.seq;
  if (seconds > 0 && (moved < state.waiting || moved * state.worked > state.analyzed * seconds)) {
    const decay = Math.exp(-seconds / MEMORY);
    state.analyzed = state.analyzed * decay + moved;
    state.worked = state.worked * decay + seconds;
  }
  state.read_at = at;
}
