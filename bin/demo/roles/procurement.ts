import { DAY, HOUR, SECOND } from '#shared/time.ts';
import type { Payee } from '../market.ts';
import { cents, courses, type Purchase } from '../purchase.ts';
import type { Random } from '../random.ts';
import { howMany, localDays, officeTimes } from '../rhythm.ts';
import type { Agent, Role, Supplier } from '../world.ts';

/** Agents that order what an office needs, by card, from a handful of shops. */
export const procurement: Role = {
  name: 'procurement',
  title: 'Procurement agent',
  count: 7,
  suppliers(market, _owner, random) {
    // Everybody buys at the first shop of the market; the last of the agent's own is tried out today, with a small order.
    const [busy, ...others] = market.shops;
    const own = random.shuffled(others).slice(0, random.int(5, 6));
    return [...(busy ? [busy] : []), ...own].map(({ payee, usual }, index) => ({
      payee,
      weight: random.between(0.5, 1),
      usual: Math.round(usual * random.between(0.7, 1.3)),
      newcomer: index === own.length,
    }));
  },
  work(agent, span, random) {
    const known = agent.suppliers.filter(({ newcomer }) => !newcomer);
    const orders = localDays(span, agent.owner).flatMap(day =>
      officeTimes(day, howMany(day.working ? 3.3 : 0.2, random), random).flatMap(at =>
        ordersOf(agent, random.weighted(known), at, random),
      ),
    );
    const samples = agent.suppliers
      .filter(({ newcomer }) => newcomer)
      .map(({ payee, usual }) =>
        orderOf(agent, payee, usual * random.between(0.3, 0.6), span.day + random.int(1, 22) * HOUR, random),
      );
    return [...orders, ...samples];
  },
};

/** An order; some are declined and paid with the second try, some are called off or sent back. */
function ordersOf(agent: Agent, { payee, usual }: Supplier, at: number, random: Random): Purchase[] {
  const order = orderOf(agent, payee, random.logNormal(usual, 0.4, 2.3), at, random);
  if (random.chance(0.03)) {
    const declined = { ...order, course: courses.failed('do_not_honor', 'The issuer declined the payment.', SECOND) };
    const again = { ...order, at: at + random.int(40, 200) * SECOND, context: { ...order.context, attempt: 2 } };
    return [declined, again];
  }
  if (random.chance(0.02)) return [{ ...order, course: courses.canceled(random) }];
  if (!random.chance(0.03)) return [order];
  const part = cents(random.between(0.2, 0.6) * Number(order.amount.value), agent.owner.currency);
  const after = Math.round(random.between(5 * HOUR, 4 * DAY));
  return [{ ...order, course: courses.refunded(order.course, after, random.chance(0.4) ? part : undefined) }];
}

/** An order paid by card. `amount` in cents of the owner's currency. */
export function orderOf(agent: Agent, payee: Payee, amount: number, at: number, random: Random): Purchase {
  const number = random.digits(8);
  return {
    agent,
    payee,
    rail: 'card',
    amount: cents(amount, agent.owner.currency),
    at,
    course: courses.card(random),
    description: `Order ${number} at ${payee.name ?? payee.key}`,
    context: {
      run_id: `order_${number}`,
      tool_name: 'checkout',
      tool_call_id: `call_${random.hex(16)}`,
      attempt: 1,
    },
    metadata: { order: number, cost_center: `CC-${random.int(10, 40)}` },
  };
}
