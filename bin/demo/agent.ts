import type { EventInput } from '#shared/events/input/event_input.ts';
import type { DemoPayee } from './market.ts';
import type { NearMiss } from './near_misses.ts';

/** Whom agents act for; `utc_offset` in hours is where their working day is. */
export type DemoOwner = { external_id: string; name: string; country: string; currency: Currency; utc_offset: number };
export type Currency = 'USD' | 'EUR' | 'GBP';

/** An agent and what it knows: whom it pays and what that usually costs. `number` counts the agents of its role, from 1. */
export type DemoAgent = {
  external_id: string;
  number: number;
  name: string;
  framework: string;
  model: string;
  role: RoleName;
  owner: DemoOwner;
  card: NonNullable<EventInput['instrument']>;
  suppliers: Supplier[];
};

/**
 * A payee of an agent. `usual` is the middle of what it pays there, in micro-USD for USDC and in cents for money; a newcomer has not
 * been paid before the day, and is a near miss.
 */
export type Supplier = { payee: DemoPayee; weight: number; usual: number; newcomer?: NearMiss };

export type RoleName =
  | 'research'
  | 'batch'
  | 'watcher'
  | 'procurement'
  | 'treasury'
  | 'payroll'
  | 'travel'
  | 'subscriptions'
  | 'feeds'
  | 'sourcing'
  | 'catering'
  | 'seasonal';
