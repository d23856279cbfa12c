import type { DemoOwner } from '#bin/demo/agent.ts';
import type { localDays } from '#bin/demo/rhythm.ts';
import type { Random } from '#bin/demo/random.ts';
import type { EventInput } from '#shared/events/input/event_input.ts';

/** What an agent does, day by day, when nothing is wrong. `day` is asked for every local day in turn, because agents come to know payees. */
export type Conduct = {
  /** `level` is how busy the agent is that day: 1 as a rule. Times in order, all within the day. */
  day: (day: LocalDay, level: number) => Spend[];
};

/** What a payment is, before it is known how it is reported. */
export type Spend = {
  at: number;
  payee: FamilyPayee;
  usd: number;
  rail: Rail;
};

export type Rail = 'x402' | 'card' | 'ach' | 'sepa' | 'wallet';
export type LocalDay = ReturnType<typeof localDays>[number];
export type Payee = EventInput['payment']['payee'];

/** Somebody who is paid: at about `price` dollars, for `resource` where it is an API. */
export type FamilyPayee = Payee & { key: string; price: number; resource?: string; tool?: string };

/** An agent of a world: what it is drawn as, when it works, and for whom. Times are milliseconds since 1970. */
export type FamilyAgent = {
  external_id: string;
  family: string;
  owner: FamilyOwner;
  /** It makes its first payment after this, and its last before that. */
  joins: number;
  leaves: number;
  rail: Rail;
  currency: 'USD' | 'EUR' | 'GBP';
  /** Share of its payments that fail, and of those made that are refunded. */
  failing: number;
  refunded: number;
  /** Reports the authorization as well as the settlement. */
  reports_both: boolean;
  /** The same payments every time it is asked, in order. */
  spends: () => Generator<Spend>;
};

export type FamilyOwner = Pick<DemoOwner, 'external_id' | 'country' | 'utc_offset'>;

/** What a family draws from: its own randomness, the organization's payees, and where and when the agent works. */
export type Drawn = { random: Random; market: FamilyMarket; owner: FamilyOwner; from: number; to: number };

/** Everybody whom the agents of an organization pay, by kind, the most popular first. */
export type FamilyMarket = {
  apis: FamilyPayee[];
  shops: FamilyPayee[];
  software: FamilyPayee[];
  suppliers: FamilyPayee[];
  places: FamilyPayee[];
  /** Somebody whom nobody in the organization has paid. */
  stranger: (kind: StrangerKind, random: Random, country?: string) => FamilyPayee;
  /** A country, one of the organization's own more often than not. */
  country: (random: Random) => string;
};
export type StrangerKind = 'api' | 'shop' | 'supplier' | 'person';
