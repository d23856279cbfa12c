import { HOUR, SECOND } from '#shared/values/time.ts';
import type { DemoPayee } from '#bin/demo/market.ts';
import { cents, courses, type Purchase } from '#bin/demo/purchase.ts';
import { fallsOn, localDays } from '#bin/demo/rhythm.ts';
import type { DemoRole } from '#bin/demo/role.ts';

/** Agents that pay wages: nothing for days, then everybody within minutes. Of two, one pays weekly and one monthly. */
export const payroll: DemoRole = {
  name: 'payroll',
  title: 'Payroll agent',
  count: 2,
  currency: 'EUR',
  suppliers: (market, { country }, random, index) =>
    withNamesakes(market.people(index % 2 === 0 ? 14 : 24, country, random)).map(payee => ({
      payee,
      weight: 1,
      usual: Math.round(random.logNormal(index % 2 === 0 ? 68_000 : 280_000, 0.25, 2)),
    })),
  work(agent, span, random) {
    const weekly = agent.suppliers.length === 14;
    const [first] = agent.suppliers;
    const past = localDays(span, agent.owner).filter(day => day.midnight + PAY_TIME < span.to);
    // Today is pay day.
    const today = past.at(-1);
    return past
      .filter(day => today && (weekly ? day.weekday === today.weekday : fallsOn(day, today.date)))
      .flatMap(day => {
        let at = day.midnight + PAY_TIME;
        return agent.suppliers.map(({ payee, usual }): Purchase => {
          at += Math.round(random.between(4, 14) * SECOND);
          return {
            agent,
            payee,
            rail: 'sepa',
            amount: cents(weekly ? usual * random.between(0.92, 1.08) : usual, 'EUR'),
            at,
            course: courses.sepa(random),
            description: weekly ? 'Wages' : 'Salary',
            context: {
              run_id: `payroll_${day.index}`,
              tool_name: 'run_payroll',
              tool_call_id: `payroll_${day.index}_${payee.key.slice(-6)}`,
              attempt: 1,
            },
            near_miss: payee.name === first?.payee.name ? 'employees who share a name' : 'pay day',
          };
        });
      });
  },
};

/** The first two of the people have one name. */
const withNamesakes = ([first, second, ...others]: DemoPayee[]): DemoPayee[] =>
  first?.name && second ? [first, { ...second, name: first.name }, ...others] : [];

const PAY_TIME = 9 * HOUR;
