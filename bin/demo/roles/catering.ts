import { HOUR, MINUTE } from '#shared/values/time.ts';
import type { DemoRole } from '#bin/demo/role.ts';
import { localDays } from '#bin/demo/rhythm.ts';
import { orderOf } from './procurement.ts';

/** An agent that orders meals from a menu, three times a day. What its mandate allows is what the dearest costs and a little more. */
export const catering: DemoRole = {
  name: 'catering',
  title: 'Canteen agent',
  count: 1,
  suppliers: (market, { country }, random) =>
    MENU.map(usual => ({
      payee: market.newMerchant(`Kitchen ${random.digits(4)}`, country, random),
      weight: 1,
      usual,
    })),
  work: (agent, span, random) =>
    localDays(span, agent.owner).flatMap(({ midnight }) =>
      agent.suppliers.map(({ payee, usual }, index) => ({
        ...orderOf(agent, payee, usual, midnight + (8 + 5 * index) * HOUR + random.int(0, 20) * MINUTE, random),
        near_miss: 'prices just below the limit' as const,
      })),
    ),
};

/** In cents. */
const MENU = [8_900, 9_400, 9_700];
