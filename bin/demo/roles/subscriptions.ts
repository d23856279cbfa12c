import { HOUR, MINUTE } from '#shared/values/time.ts';
import { cents, courses, type Purchase } from '#bin/demo/purchase.ts';
import { fallsOn, localDays } from '#bin/demo/rhythm.ts';
import type { DemoRole } from '#bin/demo/role.ts';

/** Agents that keep a company's software paid: the same price every month, now and then some per cent more. */
export const subscriptions: DemoRole = {
  name: 'subscriptions',
  title: 'Subscription agent',
  count: 9,
  suppliers: (market, _owner, random) =>
    market.software.map(({ payee, usual }) => ({ payee, weight: 1, usual: usual * random.pick([1, 1, 2, 3]) })),
  work(agent, span, random) {
    const days = localDays(span, agent.owner);
    return agent.suppliers.flatMap(({ payee, usual }, index) => {
      const time = 6 * HOUR + random.int(0, 600) * MINUTE;
      const past = days.filter(day => day.midnight + time < span.to);
      // Three are due within the day, the dearest among them and one that costs more than last month; the others over the month.
      const back = index < 2 || index === agent.suppliers.length - 1 ? 1 : 2 + ((index * 2 + agent.number * 5) % 27);
      const due = past.at(-back)?.date ?? 1;
      return past
        .filter(day => fallsOn(day, due))
        .map((day, _, { length }): Purchase => {
          const dearer = index === 1 && length > 1 && day === past.at(-back);
          return {
            agent,
            payee,
            rail: 'card',
            amount: cents(usual * (dearer ? 1.06 : 1), agent.owner.currency),
            at: day.midnight + time,
            course: courses.card(random),
            resource_url: `https://${domainOf(payee.name ?? '')}/billing/${agent.owner.external_id}`,
            description: `${payee.name}, monthly`,
            category: '5734',
            context: { tool_name: 'renew_subscription', tool_call_id: `renewal_${day.index}_${index}`, attempt: 1 },
            near_miss: dearer ? 'subscription, 6 % dearer' : 'subscription',
          };
        });
    });
  },
};

const domainOf = (name: string) => `${name.toLowerCase().replaceAll(' ', '-')}.example`;
