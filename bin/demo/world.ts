import type { EventInput } from '#shared/events/input/event_input.ts';
import { createMarket, type Market, type Payee } from './market.ts';
import { owners } from './owners.ts';
import { createKeyring, type Keyring } from '#bin/demo/proofs/keyring.ts';
import type { NearMiss } from './near_misses.ts';
import type { Purchase } from './purchase.ts';
import { createRandom, type Random } from './random.ts';
import type { Span } from './rhythm.ts';
import { roles } from '#bin/demo/roles/index.ts';

/** Whom agents act for; `utc_offset` in hours is where their working day is. */
export type Owner = { external_id: string; name: string; country: string; currency: Currency; utc_offset: number };
export type Currency = 'USD' | 'EUR' | 'GBP';

/** An agent and what it knows: whom it pays and what that usually costs. `number` counts the agents of its role, from 1. */
export type Agent = {
  external_id: string;
  number: number;
  name: string;
  framework: string;
  model: string;
  role: RoleName;
  owner: Owner;
  card: NonNullable<EventInput['instrument']>;
  suppliers: Supplier[];
};

/**
 * A payee of an agent. `usual` is the middle of what it pays there, in micro-USD for USDC and in cents for money; a newcomer has not
 * been paid before the day, and is a near miss.
 */
export type Supplier = { payee: Payee; weight: number; usual: number; newcomer?: NearMiss };

export type RoleName =
  | 'research'
  | 'batch'
  | 'watcher'
  | 'procurement'
  | 'treasury'
  | 'payroll'
  | 'travel'
  | 'subscriptions'
  | 'feeds'
  | 'sourcing'
  | 'catering'
  | 'seasonal';

/** What agents of one kind do all day. To add a role: a file in `roles/`, a line in its index. */
export type Role = {
  name: RoleName;
  title: string;
  /** How many of them there are in a world of the usual size. */
  count: number;
  /** Only owners with this currency have such agents. */
  currency?: Currency;
  /** Whom a new agent pays. `index` counts the agents of the role. */
  suppliers: (market: Market, owner: Owner, random: Random, index: number) => Supplier[];
  /** Everything the agent pays between the beginning of the history and now. */
  work: (agent: Agent, span: Span, random: Random, market: Market) => Purchase[];
};

export type World = { agents: Agent[]; market: Market; random: Random; keyring: Keyring };

/** Events that a world with so many agents as the roles say makes, about. */
export const USUAL_SIZE = 12_500;

/** A world for about `size` events; one of fewer agents would leave scenarios without an agent to befall. */
export function createWorld(seed: number, size: number): World {
  const random = createRandom(`world ${seed}`);
  const market = createMarket(random.fork('market'));
  const copies = Math.max(1, size / USUAL_SIZE);
  const agents = roles.flatMap(role =>
    Array.from({ length: Math.round(role.count * copies) }, (_, index) =>
      hire(role, index, market, random.fork(`${role.name} ${index}`)),
    ),
  );
  return { agents, market, random, keyring: createKeyring(seed) };
}

function hire(role: Role, index: number, market: Market, random: Random): Agent {
  const owner = random.pick(owners.filter(({ currency }) => !role.currency || role.currency === currency));
  const number = index + 1;
  return {
    external_id: `${role.name}-agent-${number}`,
    number,
    name: `${role.title} ${number}`,
    ...random.pick(frameworks),
    role: role.name,
    owner,
    card: { type: 'virtual_card', id: `card_${random.hex(16)}`, last4: random.digits(4) },
    suppliers: role.suppliers(market, owner, random.fork('suppliers'), index),
  };
}

const frameworks = [
  { framework: 'langgraph', model: 'claude-sonnet-4-5' },
  { framework: 'openai-agents', model: 'gpt-5-mini' },
  { framework: 'crewai', model: 'claude-haiku-4-5' },
  { framework: 'pydantic-ai', model: 'gemini-2.5-pro' },
  { framework: 'mastra', model: 'mistral-large' },
  { framework: 'autogen', model: 'gpt-5' },
];
