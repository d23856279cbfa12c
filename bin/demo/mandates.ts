import type { z } from 'zod';
import type { Constraint } from '#shared/mandates/constraints.ts';
import type { Purchase } from './purchase.ts';
import type { Random } from './random.ts';
import { largest, mostIn, zoneOf } from './spending.ts';
import type { DemoAgent, RoleName } from './agent.ts';

type Limit = z.input<typeof Constraint>;

/** What a mandate says. Times are milliseconds since 1970; without them it is always in force. */
export type MandateTerms = {
  name: string;
  valid_from?: number;
  valid_until?: number;
  constraints: Limit[];
};

/** A mandate to be made before anything is paid. `id` is what events name it by here; the service gives it another. */
export type PlannedMandate = MandateTerms & { id: string; agent: DemoAgent };

/**
 * Mandates that what these agents pay complies with, but only just: their dearest payment is exactly what is allowed, and in their
 * busiest period budgets are used to 79 %. Whoever counts a payment twice, or rounds, sees breaches.
 */
export const tightMandates = (
  agents: readonly DemoAgent[],
  normal: ReadonlyMap<DemoAgent, readonly Purchase[]>,
  random: Random,
): PlannedMandate[] =>
  agents.flatMap(agent => {
    const purchases = normal.get(agent) ?? [];
    const [first] = purchases;
    if (!first) return [];
    const { amount, rail } = first;
    const room = agent.role === 'catering' ? ROOM : 1;
    const constraints: Limit[] = [
      ...(isInOneUnit(purchases)
        ? [
            {
              type: 'payment.amount_range' as const,
              max: String(Math.ceil(largest(purchases) * room)),
              ...unitOf(first),
            },
          ]
        : []),
      { type: 'payment.allowed_rails', values: [rail] },
      ...(amount.currency ? [{ type: 'payment.allowed_currencies' as const, values: [amount.currency] }] : []),
      ...own[agent.role](agent, purchases),
    ];
    return [{ id: plannedId(random), agent, name: `${agent.name}: what it may pay`, constraints }];
  });

/** Who chooses from a menu is allowed a little more than the dearest. */
const ROOM = 1.02;

/** A limit counts in one currency, or one token. */
const isInOneUnit = (purchases: readonly Purchase[]) =>
  new Set(purchases.map(({ amount: { currency, asset } }) => currency ?? asset?.network)).size === 1;

/** An id for a mandate that is not made yet. */
export const plannedId = (random: Random): string => `mnd_${random.ulid(0)}`;

/** A budget of which so much is used in the busiest day or month of these purchases. */
export function budgetUsedTo(
  share: number,
  interval: 'daily' | 'monthly',
  { owner }: DemoAgent,
  purchases: readonly Purchase[],
) {
  const max = String(Math.ceil(mostIn(interval, owner, purchases) / share));
  const unit = purchases[0] ? unitOf(purchases[0]) : { currency: owner.currency };
  return { type: 'payment.budget', max, interval, window: 'calendar', tz: zoneOf(owner), ...unit } as const;
}

/** What amounts are counted in. */
const unitOf = ({ amount: { currency, asset } }: Purchase) =>
  asset ? { asset: { network: asset.network, address: asset.address } } : { currency: currency ?? '' };

const USED = 0.79;

type Own = (agent: DemoAgent, purchases: readonly Purchase[]) => Limit[];

const cardOf = ({ card }: DemoAgent): Limit => ({ type: 'payment.allowed_payment_instruments', ids: [card.id ?? ''] });
const onBase: Limit = { type: 'payment.allowed_networks', values: ['eip155:8453'] };

const calls: Own = (agent, purchases) => [onBase, suppliersOf(agent), budgetUsedTo(USED, 'daily', agent, purchases)];
const cards: Own = (agent, purchases) => [cardOf(agent), budgetUsedTo(USED, 'monthly', agent, purchases)];

/** What is particular to a role. */
const own: Record<RoleName, Own> = {
  research: calls,
  batch: calls,
  feeds: calls,
  // One call every twelve minutes, on whatever network.
  watcher: () => [{ type: 'payment.velocity', max: 6, window_s: 3_600 }],
  procurement: cards,
  travel: (agent, purchases) => [...cards(agent, purchases), officeHours(agent)],
  subscriptions: (agent, purchases) => [
    ...cards(agent, purchases),
    { type: 'payment.allowed_categories', mcc: ['5734'] },
  ],
  treasury: agent => [suppliersOf(agent)],
  payroll: (agent, purchases) => [suppliersOf(agent), budgetUsedTo(USED, 'monthly', agent, purchases)],
  sourcing: cards,
  catering: cards,
  seasonal: cards,
};

/** Only those the agent knows. */
export const suppliersOf = ({ suppliers }: DemoAgent): Limit => ({
  type: 'payment.allowed_payees',
  payees: suppliers.map(({ payee }) => ({ key: payee.key })),
});

/** From seven to eight, where the owner is. */
export const officeHours = ({ owner }: DemoAgent): Limit => ({
  type: 'payment.time_of_day',
  from: '07:00',
  to: '20:00',
  tz: zoneOf(owner),
});
