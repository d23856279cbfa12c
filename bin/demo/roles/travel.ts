import { DAY, HOUR } from '#shared/values/time.ts';
import type { DemoPayee } from '#bin/demo/market.ts';
import { courses, type Purchase } from '#bin/demo/purchase.ts';
import type { Random } from '#bin/demo/random.ts';
import { howMany, localDays, officeTimes } from '#bin/demo/rhythm.ts';
import type { DemoAgent } from '#bin/demo/agent.ts';
import type { DemoRole } from '#bin/demo/role.ts';
import { orderOf } from './procurement.ts';

/** Agents that book journeys for a company's people: several bookings a day, some called off again. */
export const travel: DemoRole = {
  name: 'travel',
  title: 'Travel desk',
  count: 5,
  suppliers: (market, _owner, random) =>
    market.stations.map(({ payee, usual }) => ({
      payee,
      weight: random.between(0.4, 1),
      usual: Math.round(usual * random.between(0.8, 1.2)),
    })),
  work: (agent, span, random, market) =>
    localDays(span, agent.owner).flatMap((day): Purchase[] => {
      const bookings = officeTimes(day, howMany(day.working ? 5 : 0.5, random), random).map(at => {
        const { payee, usual } = random.weighted(agent.suppliers);
        return bookingOf(agent, payee, usual, at, random);
      });
      if (!travelsFar(agent)) return bookings;
      const hotel = market.hotelsAbroad[day.index % market.hotelsAbroad.length];
      const abroad = officeTimes(day, hotel ? random.int(1, 2) : 0, random).flatMap(at =>
        hotel ? [{ ...bookingOf(agent, hotel, NIGHT, at, random), near_miss: FAR }] : [],
      );
      return [...bookings, ...abroad];
    }),
};

/** The first of the desks sends people to another country every day. */
const travelsFar = ({ number }: DemoAgent) => number === 1;
const FAR = 'journeys to many countries' as const;
/** What a night costs, in cents. */
const NIGHT = 9_500;

function bookingOf(agent: DemoAgent, payee: DemoPayee, usual: number, at: number, random: Random): Purchase {
  const order = orderOf(agent, payee, random.logNormal(usual, 0.3, 2.2), at, random);
  const booking: Purchase = {
    ...order,
    description: `Booking ${order.context?.run_id?.slice(6)} with ${payee.name}`,
    context: { ...order.context, tool_name: 'book_trip' },
  };
  if (random.chance(0.04)) return { ...booking, course: courses.canceled(random) };
  if (random.chance(0.05)) return { ...booking, course: courses.late(random), near_miss: 'captured six days later' };
  if (!random.chance(0.04)) return booking;
  return { ...booking, course: courses.refunded(booking.course, Math.round(random.between(2 * HOUR, 5 * DAY))) };
}
