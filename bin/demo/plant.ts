import type { EventInput } from '#shared/events/input/event_input.ts';
import { HOUR, MINUTE, timestamp } from '#shared/values/time.ts';
import { type PlannedMandate, plannedId } from './mandates.ts';
import type { OpenMandates } from '#bin/demo/proofs/open_mandates.ts';
import { eventsOf, type Purchase } from './purchase.ts';
import type { Random } from './random.ts';
import type { WorldSpan } from './rhythm.ts';
import type { Scenario, Scene, Strength } from '#bin/demo/scenarios/scenario.ts';
import type { DemoAgent, RoleName } from './agent.ts';
import type { DemoWorld } from './world.ts';

/** What was planted: which events they are, and which detectors may answer. The first of them is the one it is meant for. */
export type Label = {
  scenario: string;
  variant: string;
  strength: Strength;
  /** The agents as their events name them; it is told of the first. */
  agents: [PartyName, ...PartyName[]];
  detectors: string[];
  from: string;
  to: string;
  event_ids: string[];
};

type PartyName = { external_id: string; name: string };

/** `before` is what the agent paid in the weeks before, when nothing was wrong. */
type Planted = {
  label: Label;
  agents: DemoAgent[];
  events: EventInput[];
  before: EventInput[];
  mandates: PlannedMandate[];
};

/** Plants every scenario somewhere in the day, each with agents of its own, at a time when they do nothing else. */
export function plantScenarios(
  { agents, market, random, keyring }: DemoWorld,
  scenarios: readonly Scenario[],
  span: WorldSpan,
  normal: ReadonlyMap<DemoAgent, readonly Purchase[]>,
  openMandates: OpenMandates,
): Planted[] {
  const free = random.fork('who').shuffled(agents);
  return scenarios.map((scenario, index) => {
    const { name, variant, strength, detectors, befalls } = scenario;
    const source = random.fork(`scenario ${index}`);
    const agent = takeAgent(free, befalls, name);
    const others = (scenario.others ?? []).map(role => takeAgent(free, role, name));
    const usual = normal.get(agent) ?? [];
    const at = whenIdle(scenario, agent, span, usual, source);
    const mandate_id = plannedId(source.fork('mandate'));
    const open_mandate = () => openMandates(agent);
    const scene: Scene = { agent, others, at, market, random: source, span, usual, keyring, open_mandate, mandate_id };
    const reported = (purchases: Purchase[]) => purchases.flatMap(purchase => eventsOf(purchase, span.to, source));
    const before = reported(scenario.before?.(scene) ?? []);
    const events = reported(scenario.plant(scene));
    const terms = scenario.mandate?.({ agent, usual, span });
    const times = events.map(event => Date.parse(event.occurred_at));
    return {
      label: {
        scenario: name,
        variant,
        strength,
        agents: [nameOf(agent), ...others.map(nameOf)],
        detectors,
        from: timestamp(Math.min(...times)),
        to: timestamp(Math.max(...times)),
        event_ids: events.map(event => event.id),
      },
      agents: [agent, ...others],
      events,
      before,
      mandates: terms ? [{ ...terms, id: mandate_id, agent }] : [],
    };
  });
}

const nameOf = ({ external_id, name }: DemoAgent): PartyName => ({ external_id, name });

function takeAgent(free: DemoAgent[], role: RoleName, scenario: string): DemoAgent {
  const at = free.findIndex(agent => agent.role === role);
  const [agent] = at < 0 ? [] : free.splice(at, 1);
  if (!agent) throw new Error(`No ${role} agent is left for the scenario "${scenario}".`);
  return agent;
}

/** Not right at the beginning of the day, early enough to be over before it ends, and of some such times the most quiet one. */
function whenIdle(
  { name, lasts, rests_until, suits = () => true }: Scenario,
  agent: DemoAgent,
  span: WorldSpan,
  busy: readonly Purchase[],
  random: Random,
): number {
  const endOf = (at: number) => Math.max(at + lasts + QUIET, rests_until?.(at, agent) ?? 0);
  const disturbances = (at: number) => busy.filter(other => other.at > at - QUIET && other.at < endOf(at)).length;
  const times = Array.from({ length: TRIES }, () =>
    Math.round(random.between(span.day + HOUR, span.to - lasts - QUIET)),
  );
  const fit = times.filter(at => suits(at, agent, span));
  if (fit.length === 0) throw new Error(`There is no time of the day for the scenario "${name}".`);
  return fit
    .map(at => ({ at, disturbances: disturbances(at) }))
    .reduce((a, b) => (b.disturbances < a.disturbances ? b : a)).at;
}

const QUIET = 15 * MINUTE;
const TRIES = 30;
