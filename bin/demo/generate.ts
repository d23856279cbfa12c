import type { EventInput } from '#shared/events/input/event_input.ts';
import { SECOND } from '#shared/values/time.ts';
import type { Agreed } from './agree.ts';
import { tightMandates } from './mandates.ts';
import type { NearMiss } from './near_misses.ts';
import { ISSUER } from '#bin/demo/proofs/keyring.ts';
import { createOpenMandates } from '#bin/demo/proofs/open_mandates.ts';
import { withProofs } from './proven_traffic.ts';
import { eventsOf, type Purchase } from './purchase.ts';
import type { Random } from './random.ts';
import { type WorldSpan, spanUntil } from './rhythm.ts';
import { type Label, plantScenarios } from './plant.ts';
import { scenarios as shown } from '#bin/demo/scenarios/index.ts';
import type { Scenario } from '#bin/demo/scenarios/scenario.ts';
import { processor } from './sources.ts';
import { createWorld, USUAL_SIZE, type DemoWorld } from './world.ts';
import { roles } from '#bin/demo/roles/index.ts';

/**
 * A world's events in the order they are sent, what was planted among them, and what looks like it and is normal. `day` is when its last
 * 24 hours begin.
 */
export type Generated = { events: EventInput[]; labels: Label[]; near_misses: NearMisses; day: number; agreed: Agreed };

/** The events of the day that are normal, by what they look like. */
type NearMisses = Map<NearMiss, string[]>;

type Options = { size?: number; scenarios?: readonly Scenario[] };

/**
 * A realistic day of agent payments that ends at `now` (milliseconds since 1970), with some weeks of thinner history before it, and
 * scenarios planted in the day. The same seed and `now` give the same events, ids and all.
 */
export function generate(seed: number, now: number, { size = USUAL_SIZE, scenarios = shown }: Options = {}): Generated {
  const world = createWorld(seed, size);
  const span = spanUntil(now);
  const { random } = world;
  const toEvents = random.fork('events');
  const { keyring } = world;
  const normal = normalTraffic(world, span);
  const byAgent = Map.groupBy(normal, ({ agent }) => agent);
  const openMandates = createOpenMandates(keyring, byAgent, span, random.fork('open mandates'));
  const proven = withProofs(normal, span, keyring, openMandates, random.fork('proofs')).map(purchase => ({
    purchase,
    events: eventsOf(purchase, now, toEvents),
  }));
  const planted = plantScenarios(world, scenarios, span, byAgent, openMandates);
  const befallen = new Set(planted.flatMap(({ agents }) => agents));
  const others = world.agents.filter(agent => !befallen.has(agent));
  const events = [...proven, ...planted].flatMap(each => each.events);
  const before = planted.flatMap(each => each.before);
  return {
    events: inOrderOfSending([...events, ...before], random.fork('network')),
    labels: planted.map(({ label }) => label),
    near_misses: nearMissesOf(proven, span.day),
    day: span.day,
    agreed: {
      mandates: [
        ...tightMandates(others, byAgent, random.fork('mandates')),
        ...planted.flatMap(({ mandates }) => mandates),
      ],
      issuer: { name: ISSUER, kid: keyring.issuer.kid, jwk: keyring.issuer.jwk },
      sources: [processor],
    },
  };
}

function nearMissesOf(normal: readonly { purchase: Purchase; events: EventInput[] }[], day: number): NearMisses {
  const near_misses: NearMisses = new Map();
  for (const { purchase, events } of normal) {
    if (!purchase.near_miss) continue;
    const ofDay = events.filter(event => Date.parse(event.occurred_at) >= day).map(event => event.id);
    if (ofDay.length > 0)
      near_misses.set(purchase.near_miss, [...(near_misses.get(purchase.near_miss) ?? []), ...ofDay]);
  }
  return near_misses;
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

/** What everybody pays when nothing is wrong, from the beginning of the history until now. */
const normalTraffic = ({ agents, market, random }: DemoWorld, span: WorldSpan): Purchase[] =>
  agents.flatMap(agent => {
    const role = roles.find(({ name }) => name === agent.role);
    const purchases = role?.work(agent, span, random.fork(agent.external_id), market) ?? [];
    return purchases.filter(purchase => purchase.at <= span.to && !isUnderWay(purchase, span));
  });

/** What is settled within seconds is left out where the day ends in between: nobody would ever report the rest. */
const isUnderWay = ({ rail, at, course }: Purchase, { to }: WorldSpan) =>
  rail === 'x402' && course.some(({ after }) => at + after > to);
