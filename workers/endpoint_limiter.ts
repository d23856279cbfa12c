import { setTimeout as pause } from 'node:timers/promises';
import { HOUR } from '#shared/values/time.ts';
import type { TurnedAway } from '#shared/webhooks/webhook_backlog.ts';

/** Decides which deliveries may be sent now, so that an endpoint that answers slowly or never leaves room for the others. */
export type EndpointLimiter = {
  /**
   * Takes a place for a delivery; false when its endpoint has no place free, or when the delivery is already being sent. `next_at` is that
   * of its row, by which a backlog may claim the delivery if it is turned away.
   */
  enter(endpoint_id: string, delivery_id: string, next_at?: string): boolean;
  isBeingSent(endpoint_id: string, delivery_id: string): boolean;
  /** Frees the place. `answered`: whether the endpoint answered at all; null when no request was made. */
  leave(endpoint_id: string, delivery_id: string, answered: boolean | null): void;
  /**
   * If deliveries of the endpoint were turned away, has `claim` fetch as many as there are places freed since; one call at a time. `claim`
   * returns how many it claimed: fewer than wanted means that none are left.
   */
  refill(endpoint_id: string, claim: (wanted: number, being_sent: string[]) => Promise<number>): Promise<void>;
  /** The latest thousand deliveries turned away since the last call and not sent since. Their jobs are gone. */
  takeTurnedAway(endpoint_id: string): TurnedAway;
  /** Returns those that were taken but not claimed: whoever sends to the endpoint next takes care of them. */
  giveBackTurnedAway(endpoint_id: string, turned_away: TurnedAway): void;
  /** How many endpoints are held back: those whose last attempt got no answer, and those with more due than they have places. */
  heldBack(): { silent: number; turned_away: number };
};

type Endpoint = {
  being_sent: Set<string>;
  silent: boolean;
  /** When its last delivery left, in milliseconds. */
  left_at: number;
  turned_away: boolean;
  turned_away_rows: Map<string, string>;
  /** Places freed since the last refill. */
  freed: number;
  refilling: boolean;
};

export type LimiterOptions = {
  /** How many deliveries this process sends at once. */
  places: number;
  /** The most of those for one endpoint. */
  most?: number;
  /** Counts milliseconds. */
  clock?: () => number;
};

/** How many turned-away deliveries of one endpoint are remembered; reconcile finds the rest. */
const MOST_KNOWN = 1_000;
/** How long it is remembered that an endpoint did not answer, in milliseconds: one that was disabled is never asked again. */
const SILENCE_KEPT = HOUR;
/** For how many milliseconds freed places are collected, so that one claim serves several. */
const GATHERING = 10;

/**
 * Creates the limiter of a process. An endpoint has up to 10 places, and fewer as free places run out: at most a tenth of the free ones,
 * but at least one. An endpoint whose last attempt got no answer gets one place while half of all are taken, and none while three quarters
 * are: however many endpoints hang, a quarter of the places stays free for those that answer.
 */
export function createEndpointLimiter({
  places,
  most = 10,
  clock = () => performance.now(),
}: LimiterOptions): EndpointLimiter {
  const endpoints = new Map<string, Endpoint>();
  let in_use = 0;
  const placesOf = ({ silent }: Endpoint) => {
    const free = places - in_use;
    if (!silent) return Math.min(most, Math.max(1, Math.ceil(free / 10)));
    if (free > places / 2) return most;
    return free > places / 4 ? 1 : 0;
  };
  const forgetIdle = (endpoint_id: string, { being_sent, silent, turned_away, refilling }: Endpoint) => {
    if (being_sent.size === 0 && !silent && !turned_away && !refilling) endpoints.delete(endpoint_id);
  };
  return {
    enter(endpoint_id, delivery_id, next_at) {
      const endpoint = endpoints.get(endpoint_id) ?? idle();
      if (endpoint.being_sent.has(delivery_id)) return false;
      endpoint.turned_away_rows.delete(delivery_id);
      if (endpoint.being_sent.size >= placesOf(endpoint)) {
        endpoint.turned_away = true;
        if (next_at !== undefined) remember(endpoint.turned_away_rows, delivery_id, next_at);
        return false;
      }
      endpoint.being_sent.add(delivery_id);
      in_use += 1;
      endpoints.set(endpoint_id, endpoint);
      return true;
    },
    isBeingSent: (endpoint_id, delivery_id) => endpoints.get(endpoint_id)?.being_sent.has(delivery_id) === true,
    leave(endpoint_id, delivery_id, answered) {
      const endpoint = endpoints.get(endpoint_id);
      if (!endpoint?.being_sent.delete(delivery_id)) return;
      in_use -= 1;
      if (answered !== null) endpoint.silent = !answered;
      endpoint.left_at = clock();
      const { turned_away, refilling, freed } = endpoint;
      endpoint.freed = turned_away || refilling ? Math.min(freed + 1, most) : 0;
      forgetIdle(endpoint_id, endpoint);
    },
    takeTurnedAway(endpoint_id) {
      const endpoint = endpoints.get(endpoint_id);
      if (!endpoint) return new Map();
      const rows = endpoint.turned_away_rows;
      endpoint.turned_away_rows = new Map();
      endpoint.turned_away = false;
      return rows;
    },
    giveBackTurnedAway(endpoint_id, turned_away) {
      if (turned_away.size === 0) return;
      const endpoint = endpoints.get(endpoint_id) ?? idle();
      endpoint.turned_away = true;
      for (const [delivery_id, next_at] of turned_away) remember(endpoint.turned_away_rows, delivery_id, next_at);
      endpoints.set(endpoint_id, endpoint);
    },
    heldBack() {
      for (const [endpoint_id, endpoint] of endpoints)
        if (endpoint.silent && clock() - endpoint.left_at >= SILENCE_KEPT)
          forgetIdle(endpoint_id, { ...endpoint, silent: false, turned_away: false });
      const limited = [...endpoints.values()];
      return {
        silent: limited.filter(({ silent }) => silent).length,
        turned_away: limited.filter(({ turned_away }) => turned_away).length,
      };
    },
    async refill(endpoint_id, claim) {
      const endpoint = endpoints.get(endpoint_id);
      if (!endpoint || endpoint.refilling) return;
      endpoint.refilling = true;
      try {
        while (endpoint.turned_away && endpoint.freed > 0) {
          if (endpoint.freed < most / 2) await pause(GATHERING);
          const wanted = endpoint.freed;
          endpoint.freed = 0;
          endpoint.turned_away = false;
          const claimed = await claim(wanted, [...endpoint.being_sent]);
          // Claimed deliveries may be turned away again.
          endpoint.turned_away ||= claimed === wanted;
        }
      } finally {
        endpoint.refilling = false;
        forgetIdle(endpoint_id, endpoint);
      }
    },
  };
}

const idle = (): Endpoint => ({
  being_sent: new Set(),
  silent: false,
  left_at: 0,
  turned_away: false,
  turned_away_rows: new Map(),
  freed: 0,
  refilling: false,
});

function remember(rows: Map<string, string>, delivery_id: string, next_at: string) {
  const [oldest] = rows.keys();
  if (rows.size >= MOST_KNOWN && oldest !== undefined) rows.delete(oldest);
  rows.set(delivery_id, next_at);
}
