import type { EventInput } from '#shared/resources/events/event_input.ts';
import { HOUR, MINUTE, timestamp } from '#shared/time.ts';
import { type PlannedMandate, plannedId } from './mandates.ts';
import type { OpenMandates } from './proofs/open_mandates.ts';
import { eventsOf, type Purchase } from './purchase.ts';
import type { Random } from './random.ts';
import type { Span } from './rhythm.ts';
import { scenarios } from './scenarios/index.ts';
import type { Scenario } from './scenarios/scenario.ts';
import type { Agent, World } from './world.ts';

/** What was planted: which events they are, and which detectors may answer. The first of them is the one it is meant for. */
export type Label = {
  scenario: string;
  variant: string;
  /** The agent as its events name it. */
  agent: { external_id: string; name: string };
  detectors: string[];
  from: string;
  to: string;
  event_ids: string[];
};

export type Planted = { label: Label; agent: Agent; events: EventInput[]; mandates: PlannedMandate[] };

/** Plants every scenario somewhere in the day, each with an agent of its own, at a time when that agent does nothing else. */
export function plantScenarios(
  { agents, market, random, keyring }: World,
  span: Span,
  normal: ReadonlyMap<Agent, readonly Purchase[]>,
  openMandates: OpenMandates,
): Planted[] {
  const free = random.fork('who').shuffled(agents);
  return scenarios.map((scenario, index) => {
    const source = random.fork(`scenario ${index}`);
    const agent = takeAgent(free, scenario);
    const usual = normal.get(agent) ?? [];
    const at = whenIdle(scenario, agent, span, usual, source);
    const mandate_id = plannedId(source.fork('mandate'));
    const open_mandate = () => openMandates(agent);
    const events = scenario
      .plant({ agent, at, market, random: source, span, usual, keyring, open_mandate, mandate_id })
      .flatMap(purchase => eventsOf(purchase, span.to, source));
    const terms = scenario.mandate?.({ agent, usual, span });
    const times = events.map(event => Date.parse(event.occurred_at));
    const { name, variant, detectors } = scenario;
    return {
      label: {
        scenario: name,
        variant,
        agent: { external_id: agent.external_id, name: agent.name },
        detectors,
        from: timestamp(Math.min(...times)),
        to: timestamp(Math.max(...times)),
        event_ids: events.map(event => event.id),
      },
      agent,
      events,
      mandates: terms ? [{ ...terms, id: mandate_id, agent }] : [],
    };
  });
}

function takeAgent(free: Agent[], { name, befalls }: Scenario): Agent {
  const at = free.findIndex(agent => agent.role === befalls);
  const [agent] = at < 0 ? [] : free.splice(at, 1);
  if (!agent) throw new Error(`No ${befalls} agent is left for the scenario "${name}".`);
  return agent;
}

/** Not right at the beginning of the day, early enough to be over before it ends, and of some such times the most quiet one. */
function whenIdle(
  { name, lasts, rests_until, suits = () => true }: Scenario,
  agent: Agent,
  { day, to }: Span,
  busy: readonly Purchase[],
  random: Random,
): number {
  const endOf = (at: number) => Math.max(at + lasts + QUIET, rests_until?.(at, agent) ?? 0);
  const disturbances = (at: number) => busy.filter(other => other.at > at - QUIET && other.at < endOf(at)).length;
  const times = Array.from({ length: TRIES }, () => Math.round(random.between(day + HOUR, to - lasts - QUIET)));
  const fit = times.filter(at => suits(at, agent));
  if (fit.length === 0) throw new Error(`There is no time of the day for the scenario "${name}".`);
  return fit
    .map(at => ({ at, disturbances: disturbances(at) }))
    .reduce((a, b) => (b.disturbances < a.disturbances ? b : a)).at;
}

const QUIET = 15 * MINUTE;
const TRIES = 30;
