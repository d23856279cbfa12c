import type { Tenant } from '#shared/interface/schemas.ts';
import { asError } from '#shared/interface/errors.ts';
import type { Services } from '#shared/platform/services.ts';
import { SECOND } from '#shared/values/time.ts';
import type { Attempt } from '#shared/webhooks/send.ts';
import {
  type Acknowledged,
  BEGIN_WITHIN,
  type ClaimedDelivery,
  claimBacklog,
  recordAcknowledged,
  releaseBacklog,
  type TurnedAway,
} from '#shared/webhooks/webhook_backlog.ts';
import { findSigning } from '#shared/webhooks/webhook_endpoints.ts';
import type { EndpointLimiter } from './endpoint_limiter.ts';
import { insist } from './insist.ts';

type Backlog = {
  services: Pick<Services, 'db' | 'queue' | 'log' | 'now'>;
  limiter: EndpointLimiter;
  stopping: AbortSignal;
  /** Makes one attempt; never throws. */
  attempt(work: ClaimedDelivery, at: number): Promise<Attempt>;
  /** Called for each acknowledgement once it is recorded, with the state of its delivery. */
  acknowledged(tenant: Tenant, done: Acknowledged, state: string | null): Promise<void>;
  /** Records an attempt that was not acknowledged and handles the consequences. */
  other(tenant: Tenant, work: ClaimedDelivery, attempt: Attempt & { at: number }): Promise<void>;
};

/** How many deliveries one statement claims or records: it grows while the endpoint answers quickly. */
const LEAST = 10;
const MOST = 100;
/** Attempts to one endpoint at once, if the limiter has places for them. */
const LANES = 10;
/** How long a batch relies on what it read about its endpoint: a new address or secret, or its deletion, soon takes effect. */
const BELIEVED = SECOND / 4;

/**
 * Creates the sender of backlogs. Once an endpoint has acknowledged something, its due deliveries are claimed, sent and recorded by the
 * hundred, without a job for each, until none is left or it stops answering. One at a time for each endpoint in a process.
 */
export function createBacklog({ services, limiter, stopping, attempt, acknowledged, other }: Backlog) {
  const { db, queue, log, now } = services;
  /** Endpoints whose backlog is being sent, and whether they have acknowledged something else meanwhile. */
  const underWay = new Map<string, { again: boolean }>();

  /** `worker` is the name under which this process takes jobs. */
  return async (tenant: Tenant, endpoint_id: string, worker?: string): Promise<void> => {
    const running = underWay.get(endpoint_id);
    if (running) {
      running.again = true;
      return;
    }
    const state = { again: false };
    underWay.set(endpoint_id, state);
    try {
      // What a job has acknowledged meanwhile may have been the last chance to return to what found no place.
      while ((await drain(tenant, endpoint_id, worker)) && state.again) state.again = false;
    } catch (error) {
      log.warn({ error, endpoint_id }, 'backlog not sent on; reconcile will find it');
    } finally {
      underWay.delete(endpoint_id);
    }
  };

  /** Returns whether it ended only for lack of places or time. */
  async function drain(tenant: Tenant, endpoint_id: string, worker: string | undefined): Promise<boolean> {
    let limit = LEAST;
    let recording: Promise<void> = Promise.resolve();
    let goesOn = true;
    let held_up = false;
    // Not yet claimed; their jobs are gone.
    let turned_away: TurnedAway = new Map();
    try {
      while (goesOn && !stopping.aborted) {
        turned_away = new Map([...turned_away, ...limiter.takeTurnedAway(endpoint_id)]);
        const began = now();
        const claimed = await claimBacklog(db, tenant, { endpoint_id, turned_away, worker }, limit, began);
        const ids = new Set(claimed.map(({ delivery_id }) => delivery_id));
        turned_away = new Map(claimed.length < limit ? [] : [...turned_away].filter(([id]) => !ids.has(id)));
        if (claimed.length === 0) {
          await recording;
          turned_away = limiter.takeTurnedAway(endpoint_id);
          if (turned_away.size === 0) return false;
          continue;
        }
        const sent = await sendAll(tenant, endpoint_id, claimed, began);
        const { done, unsent, faults } = sent;
        held_up = sent.held_up;
        goesOn = unsent.length === 0;
        const [earlier] = await Promise.allSettled([recording]);
        recording = record(tenant, done);
        // A rejection is handled below, where it is awaited.
        recording.catch(() => {});
        if (held_up) limiter.giveBackTurnedAway(endpoint_id, turned_away);
        await queue.add('webhook', await insist(() => releaseBacklog(db, tenant, unsent, now()), stopping));
        if (earlier.status === 'rejected') throw asError(earlier.reason);
        if (faults.length > 0) throw asError(faults[0]);
        limit = now() - began < SECOND / 2 ? Math.min(MOST, limit * 2) : Math.max(LEAST, Math.floor(limit / 2));
      }
      return held_up;
    } finally {
      await recording;
    }
  }

  /**
   * Sends the claimed deliveries over several lanes. Returns what was acknowledged, the ids of what was not sent, whether that is only for
   * lack of places or time, and the errors that ended the lanes.
   */
  async function sendAll(tenant: Tenant, endpoint_id: string, claimed: readonly ClaimedDelivery[], began: number) {
    const look = lookAt(tenant, endpoint_id);
    const waiting = [...claimed];
    const done: Acknowledged[] = [];
    const faults: unknown[] = [];
    let goesOn = true;
    let active = true;
    const lane = async () => {
      for (;;) {
        const { state, ...endpoint } = await look();
        if (state !== 'active' || !goesOn || stopping.aborted || now() - began >= BEGIN_WITHIN) {
          active = state === 'active';
          return;
        }
        const work = waiting.shift();
        if (!work) return;
        // A job of this process is sending it and records the outcome itself.
        if (limiter.isBeingSent(work.endpoint_id, work.delivery_id)) continue;
        if (!limiter.enter(work.endpoint_id, work.delivery_id)) {
          waiting.unshift(work);
          return;
        }
        const at = now();
        const result = await attempt({ ...work, ...endpoint }, at);
        const silent = result.outcome === 'failed' && result.status === null;
        limiter.leave(work.endpoint_id, work.delivery_id, !silent);
        if (silent || result.status === 429) goesOn = false;
        if (result.outcome === 'delivered') done.push({ ...work, ...result, at });
        else await other(tenant, work, { ...result, at });
      }
    };
    const lanes = Array.from({ length: Math.min(LANES, claimed.length) }, () =>
      lane().catch(error => {
        goesOn = false;
        faults.push(error);
      }),
    );
    await Promise.all(lanes);
    const unsent = waiting.map(({ delivery_id }) => delivery_id);
    return { done, unsent, faults, held_up: unsent.length > 0 && goesOn && active };
  }

  /** Looks up an endpoint's address, state and secrets, at most 250 ms old. */
  function lookAt(tenant: Tenant, endpoint_id: string) {
    let at = now();
    let signing = findSigning(db, tenant, endpoint_id);
    return () => {
      if (now() - at >= BELIEVED) {
        at = now();
        signing = findSigning(db, tenant, endpoint_id);
      }
      return signing;
    };
  }

  async function record(tenant: Tenant, done: readonly Acknowledged[]): Promise<void> {
    if (done.length === 0) return;
    const states = await insist(() => recordAcknowledged(db, tenant, done, now()), stopping);
    for (const each of done) await acknowledged(tenant, each, states.get(each.delivery_id) ?? null);
  }
}
