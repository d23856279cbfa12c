import type { DemoAgent, Currency, DemoOwner, RoleName, Supplier } from './agent.ts';
import type { Market } from './market.ts';
import type { Purchase } from './purchase.ts';
import type { Random } from './random.ts';
import type { WorldSpan } from './rhythm.ts';

/** What agents of one kind do all day. To add a role: a file in `roles/`, a line in its index. */
export type DemoRole = {
  name: RoleName;
  title: string;
  /** How many of them there are in a world of the usual size. */
  count: number;
  /** Only owners with this currency have such agents. */
  currency?: Currency;
  /** Whom a new agent pays. `index` counts the agents of the role. */
  suppliers: (market: Market, owner: DemoOwner, random: Random, index: number) => Supplier[];
  /** Everything the agent pays between the beginning of the history and now. */
  work: (agent: DemoAgent, span: WorldSpan, random: Random, market: Market) => Purchase[];
};
