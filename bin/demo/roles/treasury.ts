import { HOUR } from '#shared/values/time.ts';
import type { DemoPayee } from '#bin/demo/market.ts';
import { cents, courses, type Purchase } from '#bin/demo/purchase.ts';
import type { Random } from '#bin/demo/random.ts';
import { howMany, localDays, officeTimes } from '#bin/demo/rhythm.ts';
import type { DemoAgent } from '#bin/demo/agent.ts';
import type { DemoRole } from '#bin/demo/role.ts';

/** Agents that pay a company's invoices from its bank account, by SEPA transfer. A new account first gets one euro to test it. */
export const treasury: DemoRole = {
  name: 'treasury',
  title: 'Treasury agent',
  count: 7,
  currency: 'EUR',
  suppliers(market, _owner, random) {
    const shuffled = random.shuffled(market.wholesalers);
    const known = shuffled.slice(0, 7);
    // Today another is paid for the first time, in a country that the agent pays to.
    const added = shuffled.slice(7).find(({ country }) => known.some(payee => payee.country === country));
    return [...known, ...(added ? [added] : [])].map(payee => ({
      payee,
      weight: random.between(0.5, 1),
      usual: Math.round(random.logNormal(62_000, 0.4, 1.5)),
      ...(payee === added && { newcomer: 'account tested with one euro' as const }),
    }));
  },
  work(agent, span, random) {
    const known = agent.suppliers.filter(({ newcomer }) => !newcomer);
    const transfers = localDays(span, agent.owner).flatMap(day =>
      officeTimes(day, day.working ? 1 + howMany(2.5, random) : 0, random).map(at => {
        const { payee, usual } = random.weighted(known);
        return transferOf(agent, payee, random.logNormal(usual, 0.3, 2.2), at, random);
      }),
    );
    const introductions = agent.suppliers
      .filter(({ newcomer }) => newcomer)
      .flatMap(({ payee, usual }) => {
        const at = span.day + random.int(1, 15) * HOUR;
        return [
          transferOf(agent, payee, 100, at, random),
          transferOf(agent, payee, usual, at + random.int(2, 7) * HOUR, random),
        ].map((transfer): Purchase => ({ ...transfer, near_miss: 'account tested with one euro' }));
      });
    return [...transfers, ...introductions];
  },
};

/** A SEPA transfer for an invoice. `amount` in euro cents. */
export function transferOf(agent: DemoAgent, payee: DemoPayee, amount: number, at: number, random: Random): Purchase {
  const invoice = `RE-${random.digits(6)}`;
  return {
    agent,
    payee,
    rail: 'sepa',
    amount: cents(amount, 'EUR'),
    at,
    course: courses.sepa(random),
    description: `Invoice ${invoice}`,
    resource_url: `https://erp.${agent.owner.external_id.replace('acct_', '')}.example/invoices/${invoice}`,
    context: {
      run_id: `invoice_${invoice}`,
      tool_name: 'pay_invoice',
      tool_call_id: `call_${random.hex(16)}`,
      attempt: 1,
    },
  };
}
