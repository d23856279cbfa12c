import { DAY, HOUR } from '#shared/time.ts';
import { courses, type Purchase } from '../purchase.ts';
import type { Random } from '../random.ts';
import { howMany, localDays, officeTimes } from '../rhythm.ts';
import type { Agent, Role, Supplier } from '../world.ts';
import { orderOf } from './procurement.ts';

/** Agents that book journeys for a company's people: several bookings a day, some called off again. */
export const travel: Role = {
  name: 'travel',
  title: 'Travel desk',
  count: 4,
  suppliers: (market, _owner, random) =>
    market.stations.map(({ payee, usual }) => ({
      payee,
      weight: random.between(0.4, 1),
      usual: Math.round(usual * random.between(0.8, 1.2)),
    })),
  work: (agent, span, random) =>
    localDays(span, agent.owner).flatMap(day =>
      officeTimes(day, howMany(day.working ? 5 : 0.5, random), random).map(at =>
        bookingOf(agent, random.weighted(agent.suppliers), at, random),
      ),
    ),
};

function bookingOf(agent: Agent, { payee, usual }: Supplier, at: number, random: Random): Purchase {
  const order = orderOf(agent, payee, random.logNormal(usual, 0.3, 2.2), at, random);
  const booking: Purchase = {
    ...order,
    description: `Booking ${order.context?.run_id?.slice(6)} with ${payee.name}`,
    context: { ...order.context, tool_name: 'book_trip' },
  };
  if (random.chance(0.04)) return { ...booking, course: courses.canceled(random) };
  if (!random.chance(0.04)) return booking;
  return { ...booking, course: courses.refunded(booking.course, Math.round(random.between(2 * HOUR, 5 * DAY))) };
}
