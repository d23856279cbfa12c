import type { EventInput } from '#shared/resources/events/event_input.ts';
import { SECOND } from '#shared/time.ts';
import type { Agreed } from './agree.ts';
import { tightMandates } from './mandates.ts';
import { ISSUER } from './proofs/keyring.ts';
import { createOpenMandates } from './proofs/open_mandates.ts';
import { withProofs } from './proven_traffic.ts';
import { eventsOf } from './purchase.ts';
import type { Random } from './random.ts';
import { spanUntil } from './rhythm.ts';
import { type Label, plantScenarios } from './plant.ts';
import { normalTraffic } from './traffic.ts';
import { createWorld } from './world.ts';

/** A world's events in the order they are sent, and what was planted among them. `day` is when its last 24 hours begin. */
export type Generated = { events: EventInput[]; labels: Label[]; day: number; agreed: Agreed };

/**
 * A realistic day of agent payments that ends at `now` (milliseconds since 1970), with some weeks of thinner history before it, and
 * scenarios planted in the day. The same seed and `now` give the same events, ids and all.
 */
export function generate(seed: number, now: number, size = 10_000): Generated {
  const world = createWorld(seed, size);
  const span = spanUntil(now);
  const { random } = world;
  const toEvents = random.fork('events');
  const { keyring } = world;
  const normal = normalTraffic(world, span);
  const byAgent = Map.groupBy(normal, ({ agent }) => agent);
  const openMandates = createOpenMandates(keyring, byAgent, span, random.fork('open mandates'));
  const proven = withProofs(normal, span, keyring, openMandates, random.fork('proofs'));
  const planted = plantScenarios(world, span, byAgent, openMandates);
  const befallen = new Set(planted.map(({ agent }) => agent));
  const others = world.agents.filter(agent => !befallen.has(agent));
  const events = [
    ...proven.flatMap(purchase => eventsOf(purchase, now, toEvents)),
    ...planted.flatMap(({ events }) => events),
  ];
  return {
    events: inOrderOfSending(events, random.fork('network')),
    labels: planted.map(({ label }) => label),
    day: span.day,
    agreed: {
      mandates: [
        ...tightMandates(others, byAgent, random.fork('mandates')),
        ...planted.flatMap(({ mandates }) => mandates),
      ],
      issuer: { name: ISSUER, kid: keyring.issuer.kid, jwk: keyring.issuer.jwk },
    },
  };
}

/** Clients send at once as a rule; some are slow, and now and then one keeps its events back for a while. */
function inOrderOfSending(events: EventInput[], random: Random): EventInput[] {
  return events
    .map(event => {
      const delay = random.chance(0.01) ? random.exponential(20 * SECOND) : random.exponential(0.3 * SECOND);
      return { event, sent_at: Date.parse(event.occurred_at) + delay };
    })
    .toSorted((a, b) => a.sent_at - b.sent_at)
    .map(({ event }) => event);
}
