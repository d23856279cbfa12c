import { HOUR, MINUTE, SECOND } from '#shared/values/time.ts';
import { courses, type Purchase, usdc } from '#bin/demo/purchase.ts';
import { localDays } from '#bin/demo/rhythm.ts';
import type { DemoRole } from '#bin/demo/role.ts';

/** An agent that works through a list every night: many small calls in a few minutes, one resource each. */
export const batch: DemoRole = {
  name: 'batch',
  title: 'Address batch',
  count: 1,
  suppliers: market =>
    market.apis
      .filter(({ tool }) => tool === 'geocode')
      .map(({ payee, endpoints }) => ({ payee, weight: 1, usual: endpoints[0]?.price ?? 0 })),
  work(agent, span, random, market) {
    const api = market.apis.find(({ tool }) => tool === 'geocode');
    return localDays(span, agent.owner)
      .slice(-6)
      .flatMap(day => {
        const run_id = `nightly_${day.index}`;
        let at = day.midnight + 2 * HOUR + random.int(0, 9) * MINUTE;
        return Array.from({ length: random.int(42, 55) }).flatMap((_, row): Purchase[] => {
          at += Math.round(random.between(0.8, 2.6) * SECOND);
          if (!api) return [];
          return [
            {
              agent,
              payee: api.payee,
              rail: 'x402',
              amount: usdc(api.endpoints[0]?.price ?? 0),
              at,
              course: courses.x402(random),
              resource_url: `${api.origin}/v1/geocode?address=${day.index}-${row}`,
              context: { run_id, tool_name: api.tool, tool_call_id: `${run_id}_${row}`, attempt: 1 },
              near_miss: 'batch of small calls',
            },
          ];
        });
      });
  },
};
