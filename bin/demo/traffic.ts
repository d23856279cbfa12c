import type { Purchase } from './purchase.ts';
import type { Span } from './rhythm.ts';
import { roles } from '#bin/demo/roles/index.ts';
import type { World } from './world.ts';

/** What everybody pays when nothing is wrong, from the beginning of the history until now. */
export const normalTraffic = ({ agents, market, random }: World, span: Span): Purchase[] =>
  agents.flatMap(agent => {
    const role = roles.find(({ name }) => name === agent.role);
    const purchases = role?.work(agent, span, random.fork(agent.external_id), market) ?? [];
    return purchases.filter(purchase => purchase.at <= span.to && !isUnderWay(purchase, span));
  });

/** What is settled within seconds is left out where the day ends in between: nobody would ever report the rest. */
const isUnderWay = ({ rail, at, course }: Purchase, { to }: Span) =>
  rail === 'x402' && course.some(({ after }) => at + after > to);
