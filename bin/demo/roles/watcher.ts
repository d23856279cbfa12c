import { HOUR, MINUTE, SECOND } from '#shared/values/time.ts';
import { courses, onPolygon, type Purchase, usdc } from '#bin/demo/purchase.ts';
import type { DemoAgent } from '#bin/demo/agent.ts';
import type { DemoRole } from '#bin/demo/role.ts';

/** An agent that asks for the same price again and again, as its job is; a plain client that names no tool calls. */
export const watcher: DemoRole = {
  name: 'watcher',
  title: 'Price watcher',
  count: 3,
  suppliers: market =>
    market.apis
      .filter(({ tool }) => tool === 'get_quote')
      .map(({ payee, endpoints }) => ({ payee, weight: 1, usual: endpoints[0]?.price ?? 0 })),
  work(agent, span, random, market) {
    const api = market.apis.find(({ tool }) => tool === 'get_quote');
    if (!api) return [];
    const purchases: Purchase[] = [];
    for (let at = span.from; at < span.to; at += (at < span.day ? 240 : 12) * MINUTE) {
      const call: Purchase = {
        agent,
        payee: api.payee,
        rail: 'x402',
        amount: usdc(api.endpoints[0]?.price ?? 0),
        at: at + random.int(0, 20) * SECOND,
        course: courses.x402(random),
        resource_url: `${api.origin}/v1/quote?symbol=EURUSD`,
        near_miss: 'same call every 12 min',
      };
      purchases.push(hasMoved(agent) && at > span.to - MOVED ? onPolygon(call) : call);
    }
    return purchases;
  },
};

/** The first of the watchers pays on another network since a few hours. */
const hasMoved = ({ number }: DemoAgent) => number === 1;
const MOVED = 9 * HOUR;
