import { DAY, HOUR, SECOND } from '#shared/values/time.ts';
import type { DemoPayee } from '#bin/demo/market.ts';
import { cents, courses, type Purchase, type PurchaseStep } from '#bin/demo/purchase.ts';
import type { Random } from '#bin/demo/random.ts';
import { howMany, localDays, officeTimes, type WorldSpan } from '#bin/demo/rhythm.ts';
import { processor } from '#bin/demo/sources.ts';
import type { DemoAgent, Supplier } from '#bin/demo/agent.ts';
import type { DemoRole } from '#bin/demo/role.ts';

/** Agents that order what an office needs, by card, from a handful of shops. */
export const procurement: DemoRole = {
  name: 'procurement',
  title: 'Procurement agent',
  count: 13,
  suppliers(market, _owner, random, index) {
    // Everybody buys at the first shop of the market.
    const [busy, ...others] = market.shops;
    const shuffled = random.shuffled(others);
    const own = [...(busy ? [busy] : []), ...shuffled.slice(0, random.int(4, 5))];
    const known = own.map(({ payee, usual }) => ({
      payee,
      weight: random.between(0.5, 1),
      usual: Math.round(usual * random.between(0.7, 1.3)),
    }));
    // Today another shop of a country that the agent buys in is tried out, with a small order.
    const tried = shuffled
      .slice(own.length - 1)
      .find(({ payee }) => own.some(shop => shop.payee.country === payee.country));
    const [, second] = own;
    return [
      ...known,
      ...(tried
        ? [{ payee: tried.payee, weight: 0, usual: tried.usual, newcomer: 'first order at a new shop' as const }]
        : []),
      ...(second && index === 0
        ? [
            {
              payee: market.elsewhere(second.payee, random),
              weight: 0,
              usual: second.usual,
              newcomer: 'merchant with two processors' as const,
            },
          ]
        : []),
    ];
  },
  work(agent, span, random, market) {
    const known = agent.suppliers.filter(({ newcomer }) => !newcomer);
    const orders = localDays(span, agent.owner).flatMap(day =>
      officeTimes(day, howMany(day.working ? 3.3 : 0.2, random), random).flatMap(at =>
        ordersOf(agent, random.weighted(known), at, random),
      ),
    );
    const samples = agent.suppliers.flatMap(({ payee, usual, newcomer }) => {
      if (!newcomer) return [];
      const at = span.day + random.int(1, 22) * HOUR;
      return [{ ...orderOf(agent, payee, usual * random.between(0.3, 0.6), at, random), near_miss: newcomer }];
    });
    const busy = market.shops[0]?.payee;
    return [...orders, ...samples]
      .filter(({ at }) => !isAway(agent, at, span))
      .map((order): Purchase => {
        if (order.near_miss) return order;
        if (wasAway(agent) && order.at >= span.day) return { ...order, near_miss: 'back after 20 days' };
        return order.payee === busy ? { ...order, near_miss: 'shop that many agents pay' } : order;
      });
  },
};

/** The second of the agents has nothing to do for twenty days before the day. */
const wasAway = ({ number }: DemoAgent) => number === 2;
const isAway = (agent: DemoAgent, at: number, { day }: WorldSpan) => wasAway(agent) && at < day && at > day - 20 * DAY;

/** An order; some are declined and paid with the second try, some are called off or sent back. */
function ordersOf(agent: DemoAgent, { payee, usual }: Supplier, at: number, random: Random): Purchase[] {
  const order = orderOf(agent, payee, random.logNormal(usual, 0.4, 2.3), at, random);
  if (random.chance(0.03)) {
    const near_miss = 'retry of a failed payment';
    const failed = courses.failed('do_not_honor', 'The issuer declined the payment.', SECOND);
    const again = { ...order, at: at + random.int(40, 200) * SECOND, context: { ...order.context, attempt: 2 } };
    return [
      { ...order, course: failed, near_miss },
      { ...again, near_miss },
    ];
  }
  if (random.chance(0.02)) return [{ ...order, course: courses.canceled(random) }];
  if (random.chance(0.05))
    return [{ ...order, course: confirmed(order.course), near_miss: 'confirmed by a second source' }];
  if (!random.chance(0.03)) return [order];
  const after = Math.round(random.between(5 * HOUR, 4 * DAY));
  if (random.chance(0.5)) return [{ ...order, course: courses.refunded(order.course, after) }];
  const part = cents(random.between(0.2, 0.6) * Number(order.amount.value), agent.owner.currency);
  return [{ ...order, course: courses.refunded(order.course, after, part), near_miss: 'partial refund' }];
}

/** The processor says too that it is settled. */
const confirmed = (course: PurchaseStep[]): PurchaseStep[] => {
  const last = course.at(-1);
  return last ? [...course, { ...last, after: last.after + 20 * SECOND, source_id: processor.id }] : course;
};

/** An order paid by card. `amount` in cents of the owner's currency. */
export function orderOf(agent: DemoAgent, payee: DemoPayee, amount: number, at: number, random: Random): Purchase {
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
