import { setTimeout as pause } from 'node:timers/promises';
import type { TurnedAway } from '#shared/webhooks/webhook_backlog.ts';

/** Says which deliveries may be sent now, so that an endpoint that answers slowly or never leaves room for the others. */
export type EndpointLimiter = {
  /**
   * Takes a place for a delivery; false when its endpoint has none left, or when the delivery is being sent already. `next_at`: that of its row, where a
   * backlog may claim it if it is turned away.
   */
  enter(endpoint_id: string, delivery_id: string, next_at?: string): boolean;
  isBeingSent(endpoint_id: string, delivery_id: string): boolean;
  /** Gives the place back. `answered`: whether the endpoint answered at all; null when it was not asked. */
  leave(endpoint_id: string, delivery_id: string, answered: boolean | null): void;
  /**
   * Has `claim` fetch as many deliveries of the endpoint as have left, if any were turned away before; one call at a time.
   * `claim` returns how many it claimed: fewer than wanted means that none are left.
   */
  refill(endpoint_id: string, claim: (wanted: number, being_sent: string[]) => Promise<number>): Promise<void>;
  /** The latest thousand deliveries that were turned away since this was last asked, and not sent since: their jobs are gone. */
  takeTurnedAway(endpoint_id: string): TurnedAway;
  /** Gives back what was taken of them and not claimed: whoever sends to the endpoint next sees to it. */
  giveBackTurnedAway(endpoint_id: string, turned_away: TurnedAway): void;
  /** How many endpoints are held back: whose last attempt got no answer, and of which more is due than they have places for. */
  heldBack(): { silent: number; turned_away: number };
};

type Endpoint = {
  being_sent: Set<string>;
  silent: boolean;
  turned_away: boolean;
  turned_away_rows: Map<string, string>;
  /** Places that came free since the last refill. */
  freed: number;
  refilling: boolean;
};

export type LimiterOptions = {
  /** Deliveries that this process sends at once. */
  places: number;
  /** Of them, the most for one endpoint. */
  most?: number;
};

/** Deliveries of one endpoint that are known as turned away: reconcile finds the others. */
const MOST_KNOWN = 1_000;
/** Milliseconds in which places that come free are gathered: one claim for several. */
const GATHERING = 10;

/**
 * Makes the limiter of a process. An endpoint has up to 10 places, fewer as the free ones become few: never more than a tenth
 * of them, but one. An endpoint whose last attempt got no answer has one place when half of all are taken, and none when
 * three quarters are: however many endpoints hang, a quarter of the places is left to those that answer.
 */
export function createEndpointLimiter({ places, most = 10 }: LimiterOptions): EndpointLimiter {
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
          // Claimed deliveries may be turned away again. A claim below `wanted` means that none are left.
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
