import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { CurrenciesPaid } from './currencies_paid.ts';
import type { Payers } from './payers.ts';
import { chainAccountOf } from '#shared/values/payee_key.ts';
import { DAY } from '#shared/values/time.ts';

/** The state of a payee, for the whole organization. Times are milliseconds since 1970. */
export type PayeeState = PayeeRecord & {
  /** When it was first paid by any agent; null: never. */
  first_paid_at: number | null;
  /** The latest first payments of agents to it, oldest first; null: it is not young, and they were not needed. */
  starts: Start[] | null;
  /** The identities under which it was paid before. */
  identities: Set<string>;
  /** Others that were paid before under an identity that is new for this payee, by identity. */
  namesakes: Map<string, Namesake[]>;
  /** What agents paid it, and in which currency. */
  payers: Payers;
  currencies: CurrenciesPaid;
  /** Its screening state; null: nothing. Read for each range. */
  screening: ScreenedPayee | null;
};

/** The registered payee: its canonical key (see `payee_key.ts`), its name, and its type. */
export type PayeeRecord = { key: string; name: string | null; type: string | null };

/** The payees of a range, and which of them wait for an identity: another may be paid under it meanwhile. */
export type Payees = { states: Map<string, PayeeState>; waiting: Map<string, Set<PayeeState>> };

/** An agent's first payment to a payee. */
export type Start = { agent_id: string; at: number; seq: number };

/** Another payee with the same identity, and when it was first paid under it. */
export type Namesake = PayeeRecord & { payee_id: string; first_paid_at: number };

/** `score` is 0 to 1 as a decimal string, `match` the listed party. */
export type ScreenedPayee = {
  state: 'potential_match' | 'confirmed_match';
  score: string | null;
  match: string | null;
};

/** How long a payee is young; new payers of an older one are no news. */
export const YOUNG = 8 * DAY;
/** First payments kept per payee. */
export const MOST_STARTS = 100;
/** Payees compared per identity: those registered first. */
export const MOST_NAMESAKES = 20;

/** The state of a payee that was never paid. */
export const unpaidPayee = ({ key, name, type }: PayeeRecord): PayeeState => ({
  key,
  name,
  type,
  first_paid_at: null,
  starts: [],
  identities: new Set(),
  namesakes: new Map(),
  payers: [],
  currencies: [],
  screening: null,
});

/** The identities of an event's payee. Wallets are identified by the first and last four characters of their address. */
export function identitiesOf(
  { payee_name_key, domain_key }: Pick<DetectionEvent, 'payee_name_key' | 'domain_key'>,
  key: string,
): string[] {
  const identities: string[] = [];
  if (payee_name_key !== null) identities.push(`name:${payee_name_key}`);
  if (domain_key !== null) identities.push(`domain:${domain_key}`);
  const wallet = walletOf(key);
  if (wallet) identities.push(wallet);
  return identities;
}

function walletOf(key: string): string | null {
  const { network = '', address = '' } = chainAccountOf(key) ?? {};
  if (network.startsWith('eip155:')) return `wallet:eip155:${(address.slice(2, 6) + address.slice(-4)).toLowerCase()}`;
  return network.startsWith('solana:') ? `wallet:solana:${address.slice(0, 4)}${address.slice(-4)}` : null;
}

export const sizeOfPayee = ({ starts, identities, namesakes, payers, currencies }: PayeeState): number =>
  3 + (starts?.length ?? 0) + identities.size + namesakes.size * MOST_NAMESAKES + payers.length + currencies.length;

/** Whether a payee was never paid before an event, nor under any name by what is known: a payment that comes late is no first one. */
export const isNewPayee = (
  { first_paid_at, identities }: Pick<PayeeState, 'first_paid_at' | 'identities'>,
  { occurred_at }: Pick<DetectionEvent, 'occurred_at'>,
): boolean => identities.size === 0 && (first_paid_at ?? Infinity) >= occurred_at;

/** Records that an agent first paid the payee at this time, or earlier than recorded. Changes `state`. */
export function addStart(state: PayeeState, { agent_id, at, seq }: Start): void {
  state.first_paid_at = Math.min(at, state.first_paid_at ?? Infinity);
  const { starts } = state;
  if (!starts) return;
  const former = starts.findIndex(start => start.agent_id === agent_id);
  const [previous] = former >= 0 ? starts.splice(former, 1) : [];
  let place = starts.length;
  while (place > 0 && (starts[place - 1]?.at ?? 0) > at) place -= 1;
  // The position is that of the first to arrive, as in `agent_payees`.
  starts.splice(place, 0, { agent_id, at, seq: previous?.seq ?? seq });
  if (starts.length > MOST_STARTS) starts.shift();
}

/** What a range contains for the first time: payees of agents, their countries, identities of payees, and what agents paid them. */
export type Firsts = {
  new_pairs: NewPair[];
  new_countries: NewCountry[];
  new_identities: NewIdentity[];
  /** What agents paid payees, and in which currency, as it is after the range, where it changed, by payee. */
  new_payers: Map<string, Pick<PayeeState, 'payers' | 'currencies'>>;
};

/** An agent's first payment to a payee; `known`: a later one was taken for the first. */
export type NewPair = { agent_id: string; payee_id: string; first_seen_at: number; first_seq: number; known: boolean };
export type NewCountry = { agent_id: string; country: string; first_seen_at: number; first_seq: number };
export type NewIdentity = { identity: string; payee_id: string; first_seen_at: number; first_seq: number };

/** Records the identities of an event's payee, and adds it to the payees of the range that wait for them. Returns the new ones. */
export function addIdentities(
  { payee_id, occurred_at, chain_seq, payee_name_key, domain_key }: DetectionEvent,
  state: PayeeState,
  waiting: Payees['waiting'],
): NewIdentity[] {
  const { key, name, type } = state;
  return identitiesOf({ payee_name_key, domain_key }, key).flatMap(identity => {
    if (state.identities.has(identity)) return [];
    state.identities.add(identity);
    state.namesakes.delete(identity);
    const namesake = { payee_id, key, name, type, first_paid_at: occurred_at };
    for (const other of waiting.get(identity) ?? []) addNamesake(other.namesakes.get(identity), namesake);
    return [{ identity, payee_id, first_seen_at: occurred_at, first_seq: chain_seq }];
  });
}

/** Keeps those registered first, as loaded. Changes `namesakes`. */
function addNamesake(namesakes: Namesake[] | undefined, namesake: Namesake): void {
  if (!namesakes) return;
  const place = namesakes.findIndex(({ payee_id }) => payee_id > namesake.payee_id);
  namesakes.splice(place < 0 ? namesakes.length : place, 0, namesake);
  if (namesakes.length > MOST_NAMESAKES) namesakes.pop();
}
