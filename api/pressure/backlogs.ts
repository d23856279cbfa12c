import type { Tenant } from '#shared/interface/schemas.ts';

/** How far logs are ahead of their analysis, for the logs that this process took events for. */
export type Backlogs = {
  /** What a log can still take, or null while that is not worth mentioning. Makes no request. */
  standingOf(tenant: Tenant): Standing | null;
  /** Called with the number of events added to a log. */
  add(tenant: Tenant, events: number): void;
  /** Reads the backlogs of all logs; call it once a second. Returns the longest wait of an event in any of them, in seconds. */
  look(): Promise<number>;
};

/**
 * `quota`: how many events may be waiting; `room`: how many more fit; `seconds` until there is room again, or until all waiting events are
 * analyzed.
 */
type Standing = { quota: number; room: number; seconds: number };

/** The state of a log: as read from the database, and what was added here since. */
type State = {
  tenant: Tenant;
  seq: number;
  waiting: number;
  added: number;
  /** When it was last read, in seconds; null if not yet. */
  read_at: number | null;
  /** Events analyzed, and the seconds that analysis was busy; older measurements count less. Their ratio is the speed. */
  analyzed: number;
  worked: number;
  /** It was full and stays closed until there is some room: otherwise whoever asks most often would get it all. */
  closed: boolean;
};

type ReadBacklogs = (tenants: readonly Tenant[]) => Promise<readonly (Tenant & { seq: number; size: number })[]>;

/** The assumed speed of analysis for an unknown log, in events a second, which counts like this many seconds of measuring. */
const PRESUMED = { speed: 2_000, weight: 10 };
/** After this many seconds, a measurement has lost two thirds of its weight. */
const MEMORY = 30;
/** This many events may always be waiting, so that small senders are not held up by others or by a starting worker. */
const LEAST_QUOTA = 100;
/** A log is reported once it has used this share of its quota; a full one accepts events again once this share is free. */
const SPOKEN_OF = 0.1;
const FREED = 0.05;
/** Nobody is sent away for longer, in seconds: after a restart the speed is presumed, and analysis mostly faster. */
const LONGEST_WAIT = 15;
/** The most logs read at once; more take turns. */
const MOST_LOGS = 1_000;

/**
 * A log may have as many waiting events as its analysis, at the speed measured for it, gets through in `limit` seconds. A log that receives
 * more than can be analyzed fills up to that, and then takes just what is analyzed: it neither falls ever further behind nor, as with a
 * limit on the age of the oldest event, alternates between overfull and empty. `clock` counts seconds.
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
      seconds: Math.min(LONGEST_WAIT, Math.max(1, Math.ceil(surplus / speed))),
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
        // Events added during the query may be in `size` already; they count twice until the next look.
        state.added -= before.get(keyOf(tenant)) ?? 0;
        if (state.waiting + state.added <= 0) states.delete(keyOf(tenant));
      }
    }
    return Math.max(0, ...[...states.values()].map(state => (state.waiting + state.added) / speedOf(state)));
  }

  return { standingOf, add, look };
}

/** A log that caught up in between might have been analyzed faster: then what was measured is a lower bound. */
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
