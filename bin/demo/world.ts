import type { DemoAgent, DemoOwner } from './agent.ts';
import { createMarket, type Market } from './market.ts';
import { createKeyring, type Keyring } from '#bin/demo/proofs/keyring.ts';
import { createRandom, type Random } from './random.ts';
import type { DemoRole } from './role.ts';
import { roles } from '#bin/demo/roles/index.ts';

export type DemoWorld = { agents: DemoAgent[]; market: Market; random: Random; keyring: Keyring };

/** Events that a world with so many agents as the roles say makes, about. */
export const USUAL_SIZE = 12_500;

/** A world for about `size` events; one of fewer agents would leave scenarios without an agent to befall. */
export function createWorld(seed: number, size: number): DemoWorld {
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

function hire(role: DemoRole, index: number, market: Market, random: Random): DemoAgent {
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

/** The companies of the world. Names are made up. */
const owners: DemoOwner[] = [
  { external_id: 'acct_nordwind', name: 'Nordwind Logistik GmbH', country: 'DE', currency: 'EUR', utc_offset: 1 },
  { external_id: 'acct_mercier', name: 'Atelier Mercier SARL', country: 'FR', currency: 'EUR', utc_offset: 1 },
  { external_id: 'acct_vandijk', name: 'Van Dijk Bloemen BV', country: 'NL', currency: 'EUR', utc_offset: 1 },
  { external_id: 'acct_huerta', name: 'Huerta Alta SL', country: 'ES', currency: 'EUR', utc_offset: 1 },
  { external_id: 'acct_cobalt', name: 'Cobalt Row Ltd', country: 'GB', currency: 'GBP', utc_offset: 0 },
  {
    external_id: 'acct_brightwater',
    name: 'Brightwater Analytics Inc.',
    country: 'US',
    currency: 'USD',
    utc_offset: -5,
  },
  { external_id: 'acct_lumen', name: 'Lumen & Daughters LLC', country: 'US', currency: 'USD', utc_offset: -8 },
  { external_id: 'acct_ipe', name: 'Ipê Comércio Ltda', country: 'BR', currency: 'USD', utc_offset: -3 },
  { external_id: 'acct_straits', name: 'Straits Tea Pte Ltd', country: 'SG', currency: 'USD', utc_offset: 8 },
  { external_id: 'acct_sakura', name: '株式会社さくら基盤', country: 'JP', currency: 'USD', utc_offset: 9 },
];
