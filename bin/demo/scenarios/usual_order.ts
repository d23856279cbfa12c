import type { DemoPayee } from '#bin/demo/market.ts';
import type { Purchase } from '#bin/demo/purchase.ts';
import { orderOf } from '#bin/demo/roles/procurement.ts';
import { transferOf } from '#bin/demo/roles/treasury.ts';
import type { DemoAgent } from '#bin/demo/agent.ts';
import { knownSupplier, type Scene } from './scenario.ts';

/** An order, or a transfer, to somebody the agent knows, for about what it usually pays there. */
export function usualOrder({ agent, at, random }: Pick<Scene, 'agent' | 'at' | 'random'>): Purchase {
  const { payee, usual } = knownSupplier(agent, random);
  return payBy(agent)(agent, payee, usual * random.between(0.9, 1.1), at, random);
}

/** How the agent pays: from a bank account, or by card. */
export const payBy = ({ role }: DemoAgent) => (role === 'treasury' ? transferOf : orderOf);

/** Somebody nobody has paid before, whom the agent can pay; in a country that it knows, unless one is named. */
export function stranger({ agent, market, random }: Omit<Scene, 'at'>, trade: string, country = ''): DemoPayee {
  const name = `${trade} ${random.digits(5)}`;
  const where = country || (knownSupplier(agent, random).payee.country ?? agent.owner.country);
  const create = agent.role === 'treasury' ? market.newAccount : market.newMerchant;
  return create(name, where, random);
}
