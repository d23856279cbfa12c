import { DAY, HOUR } from '#shared/values/time.ts';
import { event } from './make.ts';

type Of = { agent: string; owner?: string };

const more = ({ owner = 'owner-1' }: Of) => ({ owner: { external_id: owner } });

/** Five payments a day for thirty days that end at `end`, of about $12 each, to three payees in turn. */
export const steadyMonth = (of: Of, end: number) =>
  Array.from({ length: 150 }, (_, index) =>
    event({
      at: end - 30 * DAY + Math.floor(index / 5) * DAY + (index % 5) * HOUR,
      agent: of.agent,
      payee: `domain:usual${index % 3}.example.com`,
      cents: String(1_000 + ((index * 37) % 500)),
      more: more(of),
    }),
  );

/** A payment of dollars to one of the agent's usual payees, or another. */
export const payment = (of: Of, at: number, usd: number, payee = 'domain:usual0.example.com') =>
  event({ at, agent: of.agent, payee, cents: String(usd * 100), more: more(of) });
