import type { Purchase } from './purchase.ts';
import type { Span } from './rhythm.ts';
import { roles } from './roles/index.ts';
import type { World } from './world.ts';

/** What everybody pays when nothing is wrong, from the beginning of the history until now. */
export const normalTraffic = ({ agents, market, random }: World, span: Span): Purchase[] =>
  agents.flatMap(agent => {
    const role = roles.find(({ name }) => name === agent.role);
    const purchases = role?.work(agent, span, random.fork(agent.external_id), market) ?? [];
    return purchases.filter(({ at }) => at >= span.from && at <= span.to);
  });
